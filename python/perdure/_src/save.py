"""save, save_checkpointables and their asynchronous forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perdure import _core
from perdure._src.arguments import PathLike, checked, checked_name
from perdure._src.context import current_context
from perdure._src.handler_registry import Resolved, Resolver
from perdure._src.handlers.tree import TreeHandler
from perdure._src.response import SaveResponse
from perdure._src.save_steps import SaveRequest, save_in_background, save_now
from perdure.errors import InvalidError


def save(
    path: PathLike,
    state: Any,
    *,
    overwrite: bool = False,
    base: PathLike | None = None,
    custom_metadata: Mapping[str, Any] | None = None,
    metrics: Any = None,
    checkpointable_name: str = "state",
) -> None:
    """Saves a tree as one checkpoint directory. It is durable when this returns.

    Args:
        path: Where the checkpoint shall be. Missing parent directories are made.
        state: Containers (dict, list, tuple, NamedTuple, dataclass) of arrays (NumPy, torch, jax) and plain values (None, bool,
            int, float, complex, str, bytes, members of enums that are int, float or str).
        overwrite: Replace the checkpoint at ``path``, which stays whole until the new one is. What is no checkpoint is never replaced.
        base: An earlier checkpoint with which unchanged data may be shared. A hint: data that is not shared is written afresh.
        custom_metadata: A JSON object that travels along.
        metrics: A JSON value that ``metadata`` gives back, and that Orbax's managers choose the best step by.
        checkpointable_name: Name of the tree's item in the checkpoint.

    Raises:
        InputTypeError: A leaf cannot be saved; the message has its key path. Nothing was written.
        InvalidError: Two key paths have one storage name, or an argument makes no sense.
        AlreadyExistsError: ``path`` exists, or is being saved to.
        IoError: The operating system refused. What was at ``path`` is untouched.

    Warns:
        LossyCastWarning: Arrays that the stored dtype of the context cannot hold, beyond the rounding of floats; once, with all of
            their key paths.
    """
    save_now(_tree_request(path, state, overwrite, base, custom_metadata, metrics, checkpointable_name))


def save_async(
    path: PathLike,
    state: Any,
    *,
    overwrite: bool = False,
    base: PathLike | None = None,
    custom_metadata: Mapping[str, Any] | None = None,
    metrics: Any = None,
    checkpointable_name: str = "state",
) -> SaveResponse:
    """As ``save``, but returns once everything that may change has been copied; the rest is done in the background.

    What ``save`` refuses is raised here. What fails later is raised by the response's ``result()``; if nobody asks, a line on
    stderr says so when the program ends, and its exit code is 1. A program that ends finishes its saves.
    """
    return save_in_background(_tree_request(path, state, overwrite, base, custom_metadata, metrics, checkpointable_name))


def save_checkpointables(
    path: PathLike,
    checkpointables: Mapping[str, Any],
    *,
    overwrite: bool = False,
    custom_metadata: Mapping[str, Any] | None = None,
    metrics: Any = None,
) -> None:
    """Saves named objects as one checkpoint, in one commit. Each is written by the handler that takes it.

    Args, errors: as of ``save``; also NoHandlerError naming a checkpointable that no handler takes, and what a handler raises, as
        it is. Then nothing is saved.
    """
    save_now(_request(path, checkpointables, overwrite, custom_metadata, metrics))


def save_checkpointables_async(
    path: PathLike,
    checkpointables: Mapping[str, Any],
    *,
    overwrite: bool = False,
    custom_metadata: Mapping[str, Any] | None = None,
    metrics: Any = None,
) -> SaveResponse:
    """As ``save_checkpointables``, in the background once the first half of every handler has run; see ``save_async``."""
    return save_in_background(_request(path, checkpointables, overwrite, custom_metadata, metrics))


def _tree_request(
    path: PathLike, state: Any, overwrite: bool, base: PathLike | None, custom_metadata: Any, metrics: Any, name: str
) -> SaveRequest:
    resolved = {checked_name(name): Resolved(TreeHandler(), TreeHandler.recorded_as)}
    return SaveRequest(path, {name: state}, resolved, overwrite, base, custom_metadata, metrics)


def _request(path: PathLike, checkpointables: Any, overwrite: bool, custom_metadata: Any, metrics: Any) -> SaveRequest:
    items = dict(checked(checkpointables, Mapping, "checkpointables"))
    if not items:
        raise InvalidError("checkpointables: it is empty; there is nothing to save")
    for name in items:
        _core.check_item_name(checked_name(name))
    resolver = Resolver(current_context().checkpointables.registry)
    resolved = {name: resolver.for_save(name, item) for name, item in items.items()}
    return SaveRequest(path, items, resolved, overwrite, None, custom_metadata, metrics)
