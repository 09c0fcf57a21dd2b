"""One handler of a user with all its leaves of a tree that is being saved."""

from __future__ import annotations

import asyncio
import pathlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from perdure._src.context import current_context
from perdure._src.type_handlers.arguments import SaveArgs
from perdure._src.type_handlers.leaf_files import file_name
from perdure._src.type_handlers.limits import ByteLimiter, get_byte_limiter
from perdure._src.type_handlers.param_info import ParamInfo, PathAwaitingCreation
from perdure._src.type_handlers.status import IsPrioritizedKeyFn, KeyPath, TransferPriority, asked_once
from perdure._src.type_handlers.type_handler import Future, TypeHandler
from perdure.errors import Error, InputTypeError


class Leaf(NamedTuple):
    """As the engine names it."""

    name: str  # in the store
    key_path: KeyPath
    value: Any
    typestr: str


class SavePlace(NamedTuple):
    """What all handlers of a tree share in one save."""

    directory: PathAwaitingCreation
    use_ocdbt: bool
    write_limiter: ByteLimiter
    transfer_limiter: ByteLimiter
    priority: IsPrioritizedKeyFn | None

    @classmethod
    def make(cls, directory: PathAwaitingCreation, use_ocdbt: bool) -> SavePlace:
        memory = current_context().memory
        status = memory.serialization_status_callback
        priority = memory.is_prioritized_key_fn if status is None else status.key_priority
        return cls(
            directory,
            use_ocdbt,
            get_byte_limiter(memory.write_concurrent_bytes),
            get_byte_limiter(memory.transfer_concurrent_bytes),
            None if priority is None else asked_once(priority),
        )


class LeafCall:
    """First ``serialize``, in the thread that saves; then ``wait`` and ``finalize``, in the background. ``settle`` if it comes to nothing.

    As the handler is called for all leaves at once, a status callback hears of all at once.
    """

    def __init__(self, handler: TypeHandler, leaves: Sequence[Leaf], place: SavePlace):
        self._handler, self._leaves, self._place = handler, leaves, place
        self._status = current_context().memory.serialization_status_callback
        self._futures: list[Future] = []

    async def serialize(self) -> None:
        self._tell("on_transfer_start", synchronous=True)
        values, infos = [leaf.value for leaf in self._leaves], [self._info(leaf) for leaf in self._leaves]
        futures = await self._handler.serialize(values, infos, [_save_args(leaf) for leaf in self._leaves])
        self._futures = _checked_futures(self._handler, futures)
        self._tell("on_transfer_end", synchronous=True)

    async def wait(self) -> None:
        """Returns when the futures are done. Raises what failed."""
        self._tell("on_write_start", synchronous=True)
        self._tell("on_transfer_start", synchronous=False)
        for future in self._futures:
            await asyncio.to_thread(future.result)
        self._tell("on_transfer_end", synchronous=False)
        self._tell("on_write_start", synchronous=False)

    async def finalize(self, directory: pathlib.Path) -> None:
        await asyncio.to_thread(self._handler.finalize, directory)
        self._tell("on_write_end")

    async def settle(self) -> None:
        """Returns when nobody writes any more."""
        for future in self._futures:
            try:
                await asyncio.to_thread(future.result)
            except Exception:  # raised again by whoever asks for the result
                pass

    def _info(self, leaf: Leaf) -> ParamInfo:
        try:
            return self._make_info(leaf)
        except Error as error:  # the name leads out of the directory
            error.add_note(f"leaf {leaf.name}")
            raise

    def _make_info(self, leaf: Leaf) -> ParamInfo:
        saving, place = current_context().array.saving, self._place
        return ParamInfo(
            name=file_name(leaf.name),
            parent_dir=place.directory,
            keypath=leaf.key_path,
            byte_limiter=place.write_limiter,
            device_host_byte_limiter=place.transfer_limiter,
            is_ocdbt_checkpoint=place.use_ocdbt,
            use_compression=saving.use_compression,
            use_zarr3=saving.use_zarr3,
            value_typestr=leaf.typestr,
            is_prioritized_key_fn=place.priority,
        )

    def _tell(self, event: str, synchronous: bool | None = None) -> None:
        told = getattr(self._status, event, None)
        if told is None:
            return
        for leaf in self._leaves:
            if synchronous is None or synchronous == (self._place.priority(leaf.key_path) is TransferPriority.SYNCHRONOUS):
                told(leaf.key_path)


def _save_args(leaf: Leaf) -> SaveArgs:
    saving = current_context().array.saving
    creator = saving.scoped_storage_options_creator
    options = (creator(leaf.key_path, leaf.value) if creator is not None else None) or saving.storage_options
    return SaveArgs(dtype=options.dtype, chunk_byte_size=options.chunk_byte_size, shard_axes=tuple(options.shard_axes))


def _checked_futures(handler: TypeHandler, futures: Any) -> list[Future]:
    checked = list(futures or ())
    for future in checked:
        if not callable(getattr(future, "result", None)):
            raise InputTypeError(f"serialize of the type handler '{handler.typestr()}' gave a '{type(future).__name__}', not a future")
    return checked
