"""load, load_checkpointables, their asynchronous forms, metadata, verify and delete."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from perdure import _core
from perdure._src.arguments import PathLike, checked, path_bytes
from perdure._src.context import current_context
from perdure._src.handler_registry import Resolver
from perdure._src.load_items import describe_item, prepare_load
from perdure._src.response import LoadResponse
from perdure._src.tree_io import CheckpointMetadata, describe_tree, load_tree
from perdure.errors import InvalidError

T = TypeVar("T")
_ATTEMPTS_MAX = 9


def load(
    path: PathLike,
    abstract_state: Any = None,
    *,
    checkpointable_name: str = "AUTO",
    only: Sequence[str] | None = None,
) -> Any:
    """Reads the tree saved at ``path``.

    Args:
        path: A committed checkpoint: the directory, one of its items, a flat v0 checkpoint or a manager's step.
        abstract_state: Tree whose leaves give shape, dtype and placement, or what ``metadata`` gives. Shapes must be equal; values
            are cast to its dtypes. Without it: containers as saved; arrays in the kind that was saved, if that package is imported, else NumPy.
        checkpointable_name: Which item. ``"AUTO"``: ``state``, else the first tree.
        only: Key paths (``"params.dense"``, with all below) or patterns (``"params.*.bias"``); nothing else is read.

    Returns:
        A tree of ``abstract_state``'s structure, or of the saved one.

    Raises:
        NotFoundError: Nothing is committed at ``path``.
        MismatchError: A shape differs, a leaf is missing or unused; the message has every key path.
        CorruptError: A checksum differs; ``__notes__`` has leaf, chunk, file and offset.
        CheckpointError: Again and again, another save has overwritten the checkpoint before it was read. (After one, the load begins
            again: what it gives is of one save.)
    """
    return _steadily(path, lambda checkpoint: _load(checkpoint, checkpointable_name, abstract_state, only))


def load_async(
    path: PathLike,
    abstract_state: Any = None,
    *,
    checkpointable_name: str = "AUTO",
    only: Sequence[str] | None = None,
) -> LoadResponse[Any]:
    """As ``load``, in the background; a path where nothing is committed is refused at once. ``abstract_state`` must stay as it is."""
    open_checkpoint(path)
    path = os.path.join(os.getcwd(), os.fsdecode(path))
    return LoadResponse(lambda: _steadily(path, lambda checkpoint: _load(checkpoint, checkpointable_name, abstract_state, only)))


def load_checkpointables(path: PathLike, abstract_checkpointables: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Reads the named objects of a checkpoint.

    Args:
        path: A committed checkpoint, as for ``load``.
        abstract_checkpointables: What to read, by name, and for each what its handler needs to know (``None``: as saved), or what
            ``checkpointables_metadata`` gives. Nothing else is read. ``None`` or empty: everything, as saved.

    Raises:
        NotFoundError: Nothing is committed at ``path``, or a name is not there; the message has the names that are.
        NoHandlerError: No handler takes a checkpointable.
        KeyError: The second half of a handler failed; ``__cause__`` is what it raised. What the first half raises comes as it is, and
            what perdure raises too, with a note that names the checkpointable.
    """
    return _steadily(path, lambda checkpoint: prepare_load(checkpoint, path, abstract_checkpointables)())


def load_checkpointables_async(
    path: PathLike, abstract_checkpointables: Mapping[str, Any] | None = None
) -> LoadResponse[dict[str, Any]]:
    """As ``load_checkpointables``, in the background once the first half of every handler has run."""
    return LoadResponse(prepare_load(open_checkpoint(path), path, abstract_checkpointables))


def metadata(path: PathLike, checkpointable_name: str = "AUTO") -> CheckpointMetadata:
    """What the tree at ``path`` looks like, without reading an array. Errors as of ``load``."""
    return _steadily(path, lambda checkpoint: _metadata(checkpoint, describe_tree(checkpoint, checkpointable_name)))


def checkpointables_metadata(path: PathLike) -> CheckpointMetadata:
    """What every item at ``path`` looks like, as its handler says; ``None`` where no handler knows. Errors as of ``load_checkpointables``."""
    resolver = Resolver(current_context().checkpointables.registry)

    def describe(checkpoint: _core.Checkpoint) -> CheckpointMetadata:
        return _metadata(checkpoint, {name: describe_item(checkpoint, name, resolver) for name in checkpoint.item_names})

    return _steadily(path, describe)


def verify(path: PathLike) -> _core.VerifyReport:
    """Checks every byte, reference and private file of a checkpoint.

    Returns:
        A report with ``ok``, ``bytes_checked`` and ``faults``; each fault has ``leaf``, ``chunk``, ``file``, ``offset`` and ``what``.

    Raises:
        NotFoundError: There is no checkpoint at ``path``.
    """
    return _core.verify(path_bytes(path), follow_links=current_context().file.follow_links)


def delete(path: PathLike) -> None:
    """Deletes a checkpoint. It disappears in one step: no reader ever finds a part of it. Also removes what a deletion or a save that was
    cut short has left of one.

    Raises:
        NotFoundError: Nothing is at ``path``.
        InvalidError: It is no checkpoint, a link, or a part of a checkpoint. Nothing was deleted.
        AlreadyExistsError: Somebody is saving to ``path``.
    """
    _core.delete_checkpoint(path_bytes(path))


def open_checkpoint(path: PathLike) -> _core.Checkpoint:
    return _core.Checkpoint(path_bytes(path), follow_links=current_context().file.follow_links)


def _steadily(path: PathLike, read: Callable[[_core.Checkpoint], T]) -> T:
    """What is read of one checkpoint; read again where another save has overwritten it meanwhile."""
    for _ in range(_ATTEMPTS_MAX):
        checkpoint = open_checkpoint(path)
        try:
            return read(checkpoint)
        except Exception:
            if not checkpoint.was_replaced:
                raise
    return read(open_checkpoint(path))


def _load(checkpoint: _core.Checkpoint, name: str, abstract: Any, only: Sequence[str] | None) -> Any:
    return load_tree(checkpoint, name, abstract, None if only is None else _key_paths(only))


def _key_paths(only: Sequence[str]) -> list[bytes]:
    if isinstance(only, (str, bytes)):
        raise InvalidError(f"only: a sequence of key paths, not a {type(only).__name__}")
    return [checked(path, str, "only").encode(errors="surrogatepass") for path in checked(only, Iterable, "only")]


def _metadata(checkpoint: _core.Checkpoint, described: Any) -> CheckpointMetadata:
    custom = json.loads(checkpoint.custom_metadata)
    metrics = checkpoint.metrics
    return CheckpointMetadata(
        described,
        custom,
        checkpoint.init_timestamp_nsecs,
        checkpoint.commit_timestamp_nsecs,
        None if metrics is None else json.loads(metrics),
    )
