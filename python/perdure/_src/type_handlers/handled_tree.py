"""Saves of trees in which some leaves have handlers of users."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Sequence
from typing import Any

from perdure import _core
from perdure._src.context import current_context
from perdure._src.type_handlers.global_registry import REGISTRY
from perdure._src.type_handlers.leaf_call import Leaf, LeafCall, SavePlace
from perdure._src.type_handlers.param_info import PathAwaitingCreation
from perdure._src.type_handlers.type_handler import TypeHandler


class HandledTree:
    """The two halves of such a save: handlers look at their leaves; then they and the engine write, into one database.

    Whoever calls it stages ``writer``, if what the engine writes may change meanwhile.
    """

    def __init__(self, writer: _core.ItemWriter):
        self.writer = writer
        self._held: _core.HeldDirectory | None = None

    async def save(self, directory: PathAwaitingCreation, checkpointable: Any) -> Awaitable[None]:
        self._held = _core.HeldDirectory(os.fsencode(directory.path))
        calls = self._calls(directory)
        try:
            for call in calls:
                await call.serialize()
        except BaseException:
            await _settle(calls)
            raise
        return self._write(directory, calls, current_context().file.direct_io)

    def _calls(self, directory: PathAwaitingCreation) -> list[LeafCall]:
        place = SavePlace.make(directory, self.writer.use_ocdbt)
        groups: dict[int, tuple[TypeHandler, list[Leaf]]] = {}
        for leaf in map(Leaf._make, self.writer.handled):
            handler = REGISTRY.get(type(leaf.value))
            groups.setdefault(id(handler), (handler, []))[1].append(leaf)
        return [LeafCall(handler, leaves, place) for handler, leaves in groups.values()]

    async def _write(self, directory: PathAwaitingCreation, calls: Sequence[LeafCall], direct_io: bool) -> None:
        try:
            path = await directory.await_creation()
            for call in calls:
                await call.wait()
            for call in calls:
                await call.finalize(path)
        finally:
            await _settle(calls)
        await asyncio.to_thread(self.writer.write_to, os.fsencode(path), direct_io)
        self._held = None


async def _settle(calls: Sequence[LeafCall]) -> None:
    for call in calls:
        await call.settle()
