"""Arrays of one call, handed to the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from perdure import _core
from perdure._src.type_handlers.arguments import SaveArgs, check_input_arguments
from perdure._src.type_handlers.future import CommitFuture
from perdure._src.type_handlers.leaf_files import (
    check_different_names,
    check_one_directory,
    created_directory,
    key_path,
    name_bytes,
)
from perdure._src.type_handlers.limits import engine_limiter, foreign_limiter, reserved_bytes
from perdure._src.type_handlers.param_info import ParamInfo
from perdure._src.type_handlers.status import SerializationStatusCallback, TransferPriority
from perdure.errors import InvalidError


def write_arrays(
    values: Sequence[Any],
    infos: Sequence[ParamInfo],
    args: Sequence[SaveArgs] | None,
    status: SerializationStatusCallback | None = None,
    *,
    copy: bool = True,
) -> list[CommitFuture]:
    """Starts to write arrays. With ``copy``, those that are transferred synchronously may be changed when this returns.

    How all of them are stored (database or directories, limits, sizes of data files) is taken from the first info.
    """
    args = [SaveArgs()] * len(values) if args is None else args
    check_input_arguments(values, infos, args)
    check_one_directory(infos)
    check_different_names(infos)
    limiter = foreign_limiter(infos[0].byte_limiter)
    together = [range(len(values))] if limiter is None else [[i] for i in range(len(values))]
    batches = [_batch([(values[i], infos[i], args[i]) for i in group], status) for group in together]
    if copy:
        for batch in batches:
            batch.stage()
    sizes = [values[group[0]].nbytes for group in together]

    async def write() -> None:
        directory = await created_directory(infos)
        for batch, size in zip(batches, sizes):
            if limiter is None:
                batch.write(directory)
            else:
                async with reserved_bytes(limiter, size):
                    batch.write(directory)

    return [CommitFuture(write)]


def _batch(leaves: list[tuple[Any, ParamInfo, SaveArgs]], status: SerializationStatusCallback | None) -> _core.LeafBatch:
    infos = [info for _, info, _ in leaves]
    first = infos[0]
    is_asked = status is not None or any(info.is_prioritized_key_fn for info in infos)
    return _core.LeafBatch(
        [_plain(*leaf) for leaf in leaves],
        use_ocdbt=bool(first.is_ocdbt_checkpoint),
        data_file_bytes_max=first.ocdbt_target_data_file_size,
        priorities=[_priority(info, status) for info in infos] if is_asked else [],
        status=status,
        key_paths=[key_path(info) for info in infos],
        transfer_bytes_max=getattr(first.device_host_byte_limiter, "max_bytes", None),
        write_limiter=engine_limiter(first.byte_limiter),
    )


def _priority(info: ParamInfo, status: SerializationStatusCallback | None) -> TransferPriority:
    if status is not None:
        return status.key_priority(key_path(info))
    if info.is_prioritized_key_fn is not None:
        return info.is_prioritized_key_fn(key_path(info))
    return TransferPriority.SYNCHRONOUS


def _plain(value: Any, info: ParamInfo, arg: SaveArgs) -> tuple:
    size, axes = arg.chunk_byte_size, tuple(arg.shard_axes)
    write_shape = None if info.write_shape is None else tuple(info.write_shape)
    counts = {"chunk_byte_size": () if size is None else (size,), "shard_axes": axes, "write_shape": write_shape or ()}
    for what, values in counts.items():
        if not all(isinstance(value, (int, np.integer)) and value >= 0 for value in values):
            raise InvalidError(f"{what} of '{info.name}': {getattr(info, what, None) or getattr(arg, what)!r}")
    return (
        name_bytes(info),
        value,
        None if arg.dtype is None else np.dtype(arg.dtype).name,
        size,
        axes,
        write_shape,
        bool(info.use_zarr3),
        bool(info.use_compression),
    )
