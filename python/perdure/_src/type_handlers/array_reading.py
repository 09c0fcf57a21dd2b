"""Arrays of one call, as the engine reads them."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Sequence

import numpy as np

from perdure import _core
from perdure._src.cast_warnings import lossy_message
from perdure._src.type_handlers.arguments import RestoreArgs
from perdure._src.type_handlers.leaf_files import check_one_directory, created_directory, name_bytes
from perdure._src.type_handlers.limits import engine_limiter, foreign_limiter, reserved_bytes
from perdure._src.type_handlers.metadata import ArrayLeafMetadata, StorageMetadata
from perdure._src.type_handlers.param_info import ParamInfo
from perdure.errors import LossyCastWarning


async def read_arrays(infos: Sequence[ParamInfo], args: Sequence[RestoreArgs]) -> list[np.ndarray | None]:
    """The arrays, in memory of their own; ``None`` where ``skip_deserialize`` says so."""
    check_one_directory(infos)
    directory = await created_directory(infos)
    wanted = [i for i, info in enumerate(infos) if not info.skip_deserialize]
    found: list[np.ndarray | None] = [None] * len(infos)
    if not wanted:
        return found
    reader = await asyncio.to_thread(_core.LeafReader, directory, infos[0].is_ocdbt_checkpoint)
    lossy = []
    for group in _groups(wanted, infos):
        for i, (array, changed) in zip(group, await _read(reader, [infos[i] for i in group], [args[i] for i in group])):
            found[i] = array
            if changed:
                lossy.append(infos[i].name)
    if lossy:
        warnings.warn(LossyCastWarning(lossy_message("the asked dtype", lossy)), stacklevel=4)
    return found


def _groups(wanted: list[int], infos: Sequence[ParamInfo]) -> list[list[int]]:
    """Leaves that one call of the engine reads."""
    groups: dict[object, list[int]] = {}
    for i in wanted:
        info = infos[i]
        alone = i if foreign_limiter(info.byte_limiter) is not None else None
        groups.setdefault((bool(info.raise_array_data_missing_error), id(info.byte_limiter), alone), []).append(i)
    return list(groups.values())


async def _read(reader: _core.LeafReader, infos: list[ParamInfo], args: list[RestoreArgs]) -> list[tuple[np.ndarray, bool]]:
    leaves = [(name_bytes(i), None if a.dtype is None else np.dtype(a.dtype).name) for i, a in zip(infos, args)]
    first = infos[0]

    async def read() -> list[tuple[np.ndarray, bool]]:
        return await asyncio.to_thread(
            reader.read,
            leaves,
            missing_is_fill=not first.raise_array_data_missing_error,
            limiter=engine_limiter(first.byte_limiter),
        )

    limiter = foreign_limiter(first.byte_limiter)
    if limiter is None:
        return await read()
    shape, dtype, _ = await asyncio.to_thread(reader.describe, leaves[0][0])
    size = int(np.prod(shape, dtype=object)) * dtype.itemsize
    async with reserved_bytes(limiter, size):
        return await read()


async def describe_arrays(infos: Sequence[ParamInfo]) -> list[ArrayLeafMetadata]:
    """What is stored under the names, without reading it."""
    check_one_directory(infos)
    directory = await created_directory(infos)
    reader = await asyncio.to_thread(_core.LeafReader, directory, infos[0].is_ocdbt_checkpoint)

    def describe(info: ParamInfo) -> ArrayLeafMetadata:
        shape, dtype, chunk_shape = reader.describe(name_bytes(info))
        return ArrayLeafMetadata(info.name, info.parent_dir, shape, dtype, StorageMetadata(chunk_shape))

    return await asyncio.to_thread(lambda: [describe(info) for info in infos])
