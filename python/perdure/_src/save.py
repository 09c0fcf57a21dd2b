"""save, save_checkpointables and their asynchronous forms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from perdure import _core
from perdure._src.arguments import PathLike, checked, checked_name, path_bytes
from perdure._src.context import current_context
from perdure._src.foreign_parts import ForeignParts
from perdure._src.handler_registry import Resolved, Resolver
from perdure._src.handlers.native import NativeHandler
from perdure._src.handlers.tree import TreeHandler
from perdure._src.response import SaveResponse
from perdure.errors import InputTypeError, InvalidError


class _Request(NamedTuple):
    path: PathLike
    items: dict[str, Any]
    resolved: dict[str, Resolved]
    overwrite: bool
    base: PathLike | None
    custom_metadata: Mapping[str, Any] | None
    metrics: Any


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
            int, float, complex, str, bytes).
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
    """
    _save(_tree_request(path, state, overwrite, base, custom_metadata, metrics, checkpointable_name))


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
    return _save_async(_tree_request(path, state, overwrite, base, custom_metadata, metrics, checkpointable_name))


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
    _save(_request(path, checkpointables, overwrite, custom_metadata, metrics))


def save_checkpointables_async(
    path: PathLike,
    checkpointables: Mapping[str, Any],
    *,
    overwrite: bool = False,
    custom_metadata: Mapping[str, Any] | None = None,
    metrics: Any = None,
) -> SaveResponse:
    """As ``save_checkpointables``, in the background once the first half of every handler has run; see ``save_async``."""
    return _save_async(_request(path, checkpointables, overwrite, custom_metadata, metrics))


def _tree_request(
    path: PathLike, state: Any, overwrite: bool, base: PathLike | None, custom_metadata: Any, metrics: Any, name: str
) -> _Request:
    resolved = {checked_name(name): Resolved(TreeHandler(), TreeHandler.recorded_as)}
    return _Request(path, {name: state}, resolved, overwrite, base, custom_metadata, metrics)


def _request(path: PathLike, checkpointables: Any, overwrite: bool, custom_metadata: Any, metrics: Any) -> _Request:
    items = dict(checked(checkpointables, Mapping, "checkpointables"))
    if not items:
        raise InvalidError("checkpointables: it is empty; there is nothing to save")
    for name in items:
        _core.check_item_name(checked_name(name))
    resolver = Resolver(current_context().checkpointables.registry)
    resolved = {name: resolver.for_save(name, item) for name, item in items.items()}
    return _Request(path, items, resolved, overwrite, None, custom_metadata, metrics)


def _plan(request: _Request) -> tuple[_core.SaveJob, ForeignParts]:
    """Everything that can be refused without touching a disk."""
    if request.base is not None:
        _core.Checkpoint(path_bytes(request.base, "base"), follow_links=False)  # a wrong path shall not pass unnoticed
    context = current_context()
    job = _core.SaveJob(
        path_bytes(request.path),
        overwrite=checked(request.overwrite, bool, "overwrite"),
        custom_metadata=_json_object(request.custom_metadata),
        direct_io=context.file.direct_io,
        stage_bytes_max=context.memory.staging_bytes_max,
    )
    foreign = ForeignParts()
    for name, item in request.items.items():
        resolved = request.resolved[name]
        if isinstance(resolved.handler, NativeHandler):
            job.add(name, resolved.typestr, resolved.handler.writer(item))
        else:
            foreign.add(job, name, resolved, item)
    if request.metrics is not None:
        job.add_metrics(_json_text(request.metrics, "metrics"))
    return job, foreign


def _begin(request: _Request) -> tuple[_core.SaveJob, ForeignParts]:
    job, foreign = _plan(request)
    job.begin()
    if not foreign:
        return job, foreign
    try:
        foreign.look(job)
    except BaseException:
        foreign.abandon()
        job.abandon()
        raise
    return job, foreign


def _save(request: _Request) -> None:
    job, foreign = _begin(request)
    if not foreign:
        job.finish()
        return
    response = _start(job, foreign, waits=False)
    try:
        response.result()
    except BaseException:  # Ctrl-C too: this call has not saved, so nothing may be left
        response.abandon()
        raise


def _save_async(request: _Request) -> SaveResponse:
    job, foreign = _begin(request)
    try:
        is_staged = job.stage()
    except BaseException:
        foreign.abandon()
        job.abandon()
        raise
    return _start(job, foreign, waits=not is_staged)


def _start(job: _core.SaveJob, foreign: ForeignParts, waits: bool) -> SaveResponse:
    if foreign:
        try:
            foreign.start()
        except BaseException:
            job.abandon()
            raise
    return SaveResponse(job.start(waits), foreign)


def _json_object(custom_metadata: Mapping[str, Any] | None) -> str:
    plain = {} if custom_metadata is None else dict(checked(custom_metadata, Mapping, "custom_metadata"))
    return _json_text(plain, "custom_metadata")


def _json_text(value: Any, what: str) -> str:
    try:
        return json.dumps(value)
    except TypeError as error:
        raise InputTypeError(f"{what}: JSON cannot hold it: {error}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidError(f"{what}: JSON cannot hold it: {error}") from error
