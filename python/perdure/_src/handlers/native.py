"""Handlers whose bytes the engine writes and reads. In a save of ours no Python runs in their background."""

from __future__ import annotations

import asyncio
import os
import pathlib
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol

from perdure import _core
from perdure._src.arguments import path_bytes
from perdure._src.context import current_context
from perdure._src.type_handlers.handled_tree import HandledTree
from perdure._src.type_handlers.param_info import PathAwaitingCreation
from perdure._src.tree_io import describe_tree, load_tree
from perdure.errors import NotFoundError


_ORBAX_MARKER = "commit_success.txt"


class Item(Protocol):
    """A saved checkpointable, to be read."""

    @property
    def path(self) -> pathlib.Path: ...

    def find_file(self, name: str) -> bytes | None:
        """The content of a file; None if there is none."""
        ...

    def load_tree(self, abstract: Any, *, as_numpy: bool | None = None) -> Any:
        """``as_numpy``: instead of what the active context says."""
        ...

    def describe_tree(self) -> Any: ...


class CheckpointItem:
    """An item of an open checkpoint: its files are compared with the checkpoint's list."""

    def __init__(self, checkpoint: _core.Checkpoint, name: str):
        self._checkpoint, self._name = checkpoint, name

    @property
    def path(self) -> pathlib.Path:
        return pathlib.Path(os.fsdecode(self._checkpoint.item_path(self._name)))

    def find_file(self, name: str) -> bytes | None:
        return self._checkpoint.find_file(self._name, name)

    def load_tree(self, abstract: Any, *, as_numpy: bool | None = None) -> Any:
        return load_tree(self._checkpoint, self._name, abstract, as_numpy=as_numpy)

    def describe_tree(self) -> Any:
        return describe_tree(self._checkpoint, self._name)


class DirectoryItem:
    """A directory by itself: a part of an item, or what a user's handler lets us read."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = pathlib.Path(path)

    def _open(self) -> _core.Checkpoint:
        return _core.Checkpoint(path_bytes(self.path), follow_links=current_context().file.follow_links)

    def find_file(self, name: str) -> bytes | None:
        file = self.path / name
        return file.read_bytes() if file.is_file() else None

    def load_tree(self, abstract: Any, *, as_numpy: bool | None = None) -> Any:
        return load_tree(self._open(), "AUTO", abstract, as_numpy=as_numpy)

    def describe_tree(self) -> Any:
        return describe_tree(self._open(), "AUTO")


class Filling(NamedTuple):
    """An object that was given to be loaded: ``fill`` does so, with what has been read, and gives it back."""

    fill: Callable[[], Any]


class NativeHandler:
    """Base of the built-in handlers: ``writer`` and ``read`` say what they do; the rest makes it a ``CheckpointableHandler``.

    ``recorded_as`` is what checkpoints call the handler: where Orbax has one of this form, Orbax's name.
    """

    recorded_as: str
    secondary_typestrs: tuple[str, ...] = ()

    def writer(self, checkpointable: Any) -> _core.ItemWriter:
        """Looks at the object, in the caller's thread. Raises what says why it cannot be saved."""
        raise NotImplementedError

    def read(self, item: Item, abstract: Any) -> Any:
        """The object that was saved, in the form that ``abstract`` asks for; ``Filling`` where ``abstract`` itself is to be changed."""
        raise NotImplementedError

    def describe(self, item: Item) -> Any:
        """What the saved object looks like, without reading it."""
        return None

    def is_handleable(self, checkpointable: Any) -> bool:
        raise NotImplementedError

    def is_abstract_handleable(self, abstract_checkpointable: Any) -> bool | None:
        return None

    async def save(self, directory: PathAwaitingCreation, checkpointable: Any) -> Awaitable[None]:
        """For handlers of users that leave a part to this one."""
        writer, context = self.writer(checkpointable), current_context()
        if writer.handled:
            background = await HandledTree(writer).save(directory, checkpointable)
        else:
            background = _write(writer, directory, context.file.direct_io)
        if context.memory.staging_bytes_max is None:
            writer.stage()
            return background
        await background  # the save itself may need all the room that there is for copies
        return _nothing()

    async def load(self, directory: pathlib.Path, abstract_checkpointable: Any = None) -> Awaitable[Any]:
        async def read() -> Any:
            value = self.read(DirectoryItem(directory), abstract_checkpointable)
            return value.fill() if isinstance(value, Filling) else value

        return read()

    async def metadata(self, directory: pathlib.Path) -> Any:
        return self.describe(DirectoryItem(directory))


async def _write(writer: _core.ItemWriter, directory: PathAwaitingCreation, direct_io: bool) -> None:
    path = await directory.await_creation()
    await asyncio.to_thread(writer.write_to, os.fsencode(path), direct_io)


async def _nothing() -> None:
    """The second half of what is done already."""


def read_file(item: Item, names: tuple[str, ...], *, or_any: bool = False) -> bytes:
    """The first of these files that is there. Raises NotFoundError naming them.

    ``or_any``: else the only file that is there; handlers of Orbax v0 let their user choose its name.
    """
    others = [path.name for path in item.path.iterdir() if or_any and not path.name.startswith("_") and path.name != _ORBAX_MARKER]
    for name in (*names, *(others if len(others) == 1 else ())):
        content = item.find_file(name)
        if content is not None:
            return content
    raise NotFoundError(f"there is no file {' or '.join(map(repr, names))} in '{item.path}'")
