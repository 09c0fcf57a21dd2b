"""The steps of a save, from what was asked for to what is on the disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from perdure import _core
from perdure._src.arguments import PathLike, checked, path_bytes
from perdure._src.cast_warnings import warn_of_casts
from perdure._src.context import current_context
from perdure._src.foreign_parts import ForeignParts
from perdure._src.handler_registry import Resolved
from perdure._src.handlers.native import NativeHandler
from perdure._src.response import SaveResponse
from perdure._src.tree_io import has_worker_calls
from perdure._src.type_handlers.handled_tree import HandledTree
from perdure.errors import InputTypeError, InvalidError

T = TypeVar("T")


class SaveRequest(NamedTuple):
    """A save with its arguments. ``resolved``: the handler of each item."""

    path: PathLike
    items: dict[str, Any]
    resolved: dict[str, Resolved]
    overwrite: bool
    base: PathLike | None
    custom_metadata: Mapping[str, Any] | None
    metrics: Any


def _plan(request: SaveRequest) -> tuple[_core.SaveJob, ForeignParts]:
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
        if not isinstance(resolved.handler, NativeHandler):
            foreign.add(job, name, resolved, item)
            continue
        writer = resolved.handler.writer(item)
        if writer.handled:
            foreign.add(job, name, Resolved(HandledTree(writer), resolved.typestr), item)
        else:
            job.add(name, resolved.typestr, writer)
    if request.metrics is not None:
        job.add_metrics(_json_text(request.metrics, "metrics"))
    return job, foreign


def _begin(request: SaveRequest) -> tuple[_core.SaveJob, ForeignParts]:
    job, foreign = _plan(request)
    _before_start(job, foreign, job.begin)
    if foreign:
        _before_start(job, foreign, lambda: foreign.look(job))
    return job, foreign


def save_now(request: SaveRequest) -> None:
    job, foreign = _begin(request)
    if not foreign and not has_worker_calls():
        warn_of_casts("the stored dtype", job.finish()["lossy_leaves"])
        return
    _before_start(job, foreign, lambda: job.keep(foreign.writers()))
    response = _start(job, foreign, waits=False)
    try:
        response.result()
    except BaseException:  # Ctrl-C too: this call has not saved, so nothing may be left
        response.abandon()
        raise


def save_in_background(request: SaveRequest) -> SaveResponse:
    job, foreign = _begin(request)
    is_staged = _before_start(job, foreign, lambda: job.stage(foreign.writers()))
    return _start(job, foreign, waits=not is_staged)


def _before_start(job: _core.SaveJob, foreign: ForeignParts, step: Callable[[], T]) -> T:
    try:
        return step()
    except BaseException:
        foreign.abandon()
        job.abandon()
        raise


def _start(job: _core.SaveJob, foreign: ForeignParts, waits: bool) -> SaveResponse:
    try:
        if foreign:
            foreign.start()
        return SaveResponse(job.start(waits), foreign)
    except BaseException:
        foreign.cancel()
        job.abandon()
        raise


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
