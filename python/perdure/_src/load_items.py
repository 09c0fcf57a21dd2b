"""The items of a checkpoint and their handlers: which one loads what, and its two halves."""

from __future__ import annotations

import asyncio
import os
import pathlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from perdure import _core
from perdure._src.arguments import PathLike, checked, checked_name
from perdure._src.context import current_context
from perdure._src.event_loop import HandlerLoop, run_alone
from perdure._src.handler_registry import Resolver
from perdure._src.handlers.native import CheckpointItem, Filling, NativeHandler
from perdure._src.tree_io import abstract_of
from perdure.errors import Error, NoHandlerError, NotFoundError


class _Wanted(NamedTuple):
    name: str
    handler: Any
    abstract: Any


def prepare_load(checkpoint: _core.Checkpoint, path: PathLike, abstract_checkpointables: Any) -> Callable[[], dict[str, Any]]:
    """Everything that is done in the caller's thread; the function that is returned does the rest, in any."""
    wanted = _wanted(checkpoint, path, abstract_of(abstract_checkpointables))
    loop: HandlerLoop | None = None
    background: dict[str, Any] = {}
    try:
        for name, handler, abstract in wanted:
            if isinstance(handler, NativeHandler):
                continue
            loop = loop or HandlerLoop()
            if current_context().array.loading.verify:
                checkpoint.check_files(name)
            directory = pathlib.Path(os.fsdecode(checkpoint.item_path(name)))
            background[name] = loop.run(handler.load(directory, abstract))
    except BaseException:
        _close(loop, background)
        raise

    def finish() -> dict[str, Any]:
        try:
            loaded = {} if loop is None else loop.run(_gather(background))
        finally:
            _close(loop, background)
        if loop is not None:
            checkpoint.check_not_replaced()  # the handlers were given a path
        found = {one.name: _named(one.name, lambda: _read_one(checkpoint, loaded, one)) for one in wanted}
        # only now is an object of the caller changed: all that can be read has been read
        return {name: _named(name, value.fill) if isinstance(value, Filling) else value for name, value in found.items()}

    return finish


def _wanted(checkpoint: _core.Checkpoint, path: PathLike, asked: Any) -> list[_Wanted]:
    names = checkpoint.item_names
    items = dict(checked({} if asked is None else asked, Mapping, "abstract_checkpointables"))
    for name in items:
        if checked_name(name) and name not in names:
            raise NotFoundError(f"there is no item '{name}' in '{os.fspath(path)}'; there is {', '.join(map(repr, names)) or 'none'}")
        if name or names != [""]:
            _core.check_item_name(name)
    resolver = Resolver(current_context().checkpointables.registry)
    asked_for = [(name, abstract_of(abstract)) for name, abstract in (items or dict.fromkeys(names)).items()]
    return [_Wanted(name, resolver.for_load(name, checkpoint.typestr(name), abstract).handler, abstract) for name, abstract in asked_for]


async def _gather(background: dict[str, Any]) -> dict[str, Any]:
    """What the second halves give, or raise, by name. They run at the same time."""
    awaitables = {name: awaitable for name, awaitable in background.items() if hasattr(awaitable, "__await__")}
    results = await asyncio.gather(*awaitables.values(), return_exceptions=True)
    return background | dict(zip(awaitables, results))


def _read_one(checkpoint: _core.Checkpoint, loaded: dict[str, Any], one: _Wanted) -> Any:
    if isinstance(one.handler, NativeHandler):
        return one.handler.read(CheckpointItem(checkpoint, one.name), one.abstract)
    if isinstance(loaded[one.name], BaseException):
        raise loaded[one.name]
    return loaded[one.name]


def _named(name: str, step: Callable[[], Any]) -> Any:
    """What the step gives; what it raises names the checkpointable."""
    try:
        return step()
    except Error as error:
        error.add_note(f"checkpointable {name}")
        raise
    except Exception as error:
        raise KeyError(f"checkpointable '{name}' could not be loaded: {error}") from error


def _close(loop: HandlerLoop | None, background: dict[str, Any]) -> None:
    for awaitable in background.values():
        if hasattr(awaitable, "close"):
            awaitable.close()
    if loop is not None:
        loop.close()


def describe_item(checkpoint: _core.Checkpoint, name: str, resolver: Resolver) -> Any:
    try:
        handler = resolver.for_load(name, checkpoint.typestr(name), None).handler
    except NoHandlerError:
        return None
    if isinstance(handler, NativeHandler):
        return handler.describe(CheckpointItem(checkpoint, name))
    describe = getattr(handler, "metadata", None)
    if describe is None:
        return None
    try:
        return run_alone(describe(pathlib.Path(os.fsdecode(checkpoint.item_path(name)))))
    except NotImplementedError:
        return None
