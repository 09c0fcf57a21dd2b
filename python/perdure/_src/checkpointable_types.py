"""What a piece of a checkpoint may be, and what writes and reads it: protocols. Nothing needs to inherit from them."""

from __future__ import annotations

import pathlib
from collections.abc import Awaitable
from typing import Any, Protocol, TypeVar, runtime_checkable

from perdure._src.type_handlers.param_info import PathAwaitingCreation

T = TypeVar("T")
AbstractT = TypeVar("AbstractT")


def typestr(cls: type) -> str:
    """``module.qualname``: how a class is named in a checkpoint."""
    return f"{cls.__module__}.{cls.__qualname__}"


@runtime_checkable
class StatefulCheckpointable(Protocol):
    """An object that saves and loads itself. Both methods have two halves, as those of ``CheckpointableHandler``."""

    async def save(self, directory: PathAwaitingCreation) -> Awaitable[None]:
        """Looks at what is to be saved, in the caller's thread; what it returns writes it, in the background."""
        ...

    async def load(self, directory: pathlib.Path) -> Awaitable[None]:
        """The same for loading, into this object."""
        ...


class CheckpointableHandler(Protocol[T, AbstractT]):
    """Saves and loads one kind of checkpointable. Made anew for each call, without arguments.

    ``save`` and ``load`` are coroutines of two halves: what they do themselves runs in the thread of the caller, who waits; what
    they return is awaited in the background. When ``save_async`` returns, the caller may change the object: take from it what is
    to be saved in the first half.
    """

    async def save(self, directory: PathAwaitingCreation, checkpointable: T) -> Awaitable[None]:
        """First half: look at ``checkpointable``. Second: ``path = await directory.await_creation()``, then write below ``path``.

        Every file there is synced to the disk and listed with its checksum before the checkpoint becomes visible.
        """
        ...

    async def load(self, directory: pathlib.Path, abstract_checkpointable: AbstractT | None = None) -> Awaitable[T]:
        """What it returns gives the object. ``abstract_checkpointable``: what the caller asks for, if anything."""
        ...

    async def metadata(self, directory: pathlib.Path) -> AbstractT:
        """What the saved object looks like. May be left out."""
        ...

    def is_handleable(self, checkpointable: Any) -> bool:
        """Whether ``save`` takes it."""
        ...

    def is_abstract_handleable(self, abstract_checkpointable: Any) -> bool | None:
        """Whether ``load`` takes it. ``None``: if the checkpoint was saved by this handler. Not asked about ``None``."""
        ...
