"""Saves of trees in which some leaves have handlers of users."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable
from typing import Any

from perdure import _core
from perdure._src.context import current_context
from perdure._src.type_handlers.arguments import SaveArgs
from perdure._src.type_handlers.global_registry import REGISTRY
from perdure._src.type_handlers.limits import get_byte_limiter
from perdure._src.type_handlers.param_info import ParamInfo, PathAwaitingCreation
from perdure._src.type_handlers.type_handler import Future, TypeHandler

Leaf = tuple[str, tuple, Any, str]  # storage name, key path, object, typestr


class HandledTree:
    """The two halves of such a save: handlers look at their leaves; then they and the engine write, into one database."""

    def __init__(self, writer: _core.ItemWriter):
        self._writer = writer
        self._held: _core.HeldDirectory | None = None

    async def save(self, directory: PathAwaitingCreation, checkpointable: Any) -> Awaitable[None]:
        self._held = _core.HeldDirectory(os.fsencode(directory.path))
        self._writer.stage()
        groups: dict[str, list[Leaf]] = {}
        for leaf in self._writer.handled:
            groups.setdefault(leaf[3], []).append(leaf)
        handlers = {typestr: REGISTRY.get(type(leaves[0][2])) for typestr, leaves in groups.items()}
        futures: list[Future] = []
        try:
            for typestr, leaves in groups.items():
                futures += await self._serialize(handlers[typestr], leaves, directory)
        except BaseException:
            await _settle(futures)
            raise
        direct_io = current_context().file.direct_io

        async def write() -> None:
            try:
                path = await directory.await_creation()
            finally:
                await _settle(futures)
            for future in futures:
                future.result()
            for handler in handlers.values():
                await asyncio.to_thread(handler.finalize, path)
            await asyncio.to_thread(self._writer.write_to, os.fsencode(path), direct_io)
            self._held = None

        return write()

    async def _serialize(self, handler: TypeHandler, leaves: list[Leaf], directory: PathAwaitingCreation) -> list[Future]:
        context = current_context()
        memory = context.memory
        write_limiter = get_byte_limiter(memory.write_concurrent_bytes)
        transfer_limiter = get_byte_limiter(memory.transfer_concurrent_bytes)
        infos = [
            ParamInfo(
                name=name,
                parent_dir=directory,
                keypath=key_path,
                byte_limiter=write_limiter,
                device_host_byte_limiter=transfer_limiter,
                is_ocdbt_checkpoint=self._writer.use_ocdbt,
                use_compression=context.array.saving.use_compression,
                use_zarr3=context.array.saving.use_zarr3,
                value_typestr=typestr,
                is_prioritized_key_fn=memory.is_prioritized_key_fn,
            )
            for name, key_path, _, typestr in leaves
        ]
        args = [_save_args(key_path, value) for _, key_path, value, _ in leaves]
        return list(await handler.serialize([value for _, _, value, _ in leaves], infos, args) or [])


def _save_args(key_path: tuple, value: Any) -> SaveArgs:
    saving = current_context().array.saving
    creator = saving.scoped_storage_options_creator
    options = (creator(key_path, value) if creator is not None else None) or saving.storage_options
    return SaveArgs(dtype=options.dtype, chunk_byte_size=options.chunk_byte_size, shard_axes=tuple(options.shard_axes))


async def _settle(futures: list[Future]) -> None:
    """Returns when nobody writes any more."""
    for future in futures:
        try:
            await asyncio.to_thread(future.result)
        except Exception:  # raised again by whoever asks for the result
            pass
