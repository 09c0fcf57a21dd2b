"""load, load_checkpointables, their asynchronous forms, metadata, verify and delete."""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from perdure import _core
from perdure._src.arguments import PathLike, checked, checked_name, path_bytes
from perdure._src.context import current_context
from perdure._src.event_loop import HandlerLoop, run_alone
from perdure._src.handler_registry import Resolver
from perdure._src.handlers.native import CheckpointItem, NativeHandler
from perdure._src.response import LoadResponse
from perdure._src.tree_io import CheckpointMetadata, abstract_of, describe_tree, load_tree
from perdure.errors import Error, InvalidError, NoHandlerError, NotFoundError


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
    """
    return _load(open_checkpoint(path), checkpointable_name, abstract_state, only)


def load_async(
    path: PathLike,
    abstract_state: Any = None,
    *,
    checkpointable_name: str = "AUTO",
    only: Sequence[str] | None = None,
) -> LoadResponse[Any]:
    """As ``load``, in the background; a path where nothing is committed is refused at once. ``abstract_state`` must stay as it is."""
    checkpoint = open_checkpoint(path)
    return LoadResponse(lambda: _load(checkpoint, checkpointable_name, abstract_state, only))


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
    return _prepare(path, abstract_checkpointables)()


def load_checkpointables_async(
    path: PathLike, abstract_checkpointables: Mapping[str, Any] | None = None
) -> LoadResponse[dict[str, Any]]:
    """As ``load_checkpointables``, in the background once the first half of every handler has run."""
    return LoadResponse(_prepare(path, abstract_checkpointables))


def metadata(path: PathLike, checkpointable_name: str = "AUTO") -> CheckpointMetadata:
    """What the tree at ``path`` looks like, without reading an array. Errors as of ``load``."""
    checkpoint = open_checkpoint(path)
    return _metadata(checkpoint, describe_tree(checkpoint, checkpointable_name))


def checkpointables_metadata(path: PathLike) -> CheckpointMetadata:
    """What every item at ``path`` looks like, as its handler says; ``None`` where no handler knows. Errors as of ``load_checkpointables``."""
    checkpoint = open_checkpoint(path)
    resolver = Resolver(current_context().checkpointables.registry)
    return _metadata(checkpoint, {name: _describe(checkpoint, name, resolver) for name in checkpoint.item_names})


def verify(path: PathLike) -> _core.VerifyReport:
    """Checks every byte, reference and private file of a checkpoint.

    Returns:
        A report with ``ok``, ``bytes_checked`` and ``faults``; each fault has ``leaf``, ``chunk``, ``file``, ``offset`` and ``what``.

    Raises:
        NotFoundError: There is no checkpoint at ``path``.
    """
    return _core.verify(path_bytes(path), follow_links=current_context().file.follow_links)


def delete(path: PathLike) -> None:
    """Deletes a checkpoint. It disappears in one step: no reader ever finds a part of it.

    Raises:
        NotFoundError: Nothing is at ``path``.
        InvalidError: It is no checkpoint, a link, or a part of a checkpoint. Nothing was deleted.
        AlreadyExistsError: Somebody is saving to ``path``.
    """
    _core.delete_checkpoint(path_bytes(path))


def open_checkpoint(path: PathLike) -> _core.Checkpoint:
    return _core.Checkpoint(path_bytes(path), follow_links=current_context().file.follow_links)


def _load(checkpoint: _core.Checkpoint, name: str, abstract: Any, only: Sequence[str] | None) -> Any:
    return load_tree(checkpoint, name, abstract, None if only is None else _key_paths(only))


def _key_paths(only: Sequence[str]) -> list[bytes]:
    if isinstance(only, (str, bytes)):
        raise InvalidError(f"only: a sequence of key paths, not a {type(only).__name__}")
    return [checked(path, str, "only").encode(errors="surrogatepass") for path in checked(only, Iterable, "only")]


class _Wanted(NamedTuple):
    name: str
    handler: Any
    abstract: Any


def _prepare(path: PathLike, abstract_checkpointables: Any) -> Callable[[], dict[str, Any]]:
    """Everything that is done in the caller's thread; the function that is returned does the rest, in any."""
    checkpoint = open_checkpoint(path)
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
        return {one.name: _finish_one(checkpoint, loaded, one) for one in wanted}

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


def _finish_one(checkpoint: _core.Checkpoint, loaded: dict[str, Any], one: _Wanted) -> Any:
    try:
        if isinstance(one.handler, NativeHandler):
            return one.handler.read(CheckpointItem(checkpoint, one.name), one.abstract)
        if isinstance(loaded[one.name], BaseException):
            raise loaded[one.name]
        return loaded[one.name]
    except Error as error:
        error.add_note(f"checkpointable {one.name}")
        raise
    except Exception as error:
        raise KeyError(f"checkpointable '{one.name}' could not be loaded: {error}") from error


def _close(loop: HandlerLoop | None, background: dict[str, Any]) -> None:
    for awaitable in background.values():
        if hasattr(awaitable, "close"):
            awaitable.close()
    if loop is not None:
        loop.close()


def _describe(checkpoint: _core.Checkpoint, name: str, resolver: Resolver) -> Any:
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
