"""Handlers of arrays, numbers and texts. The engine does the work; these say what it shall do."""

from __future__ import annotations

import asyncio
import os
import pathlib
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from perdure import _core
from perdure._src.adapters import adapter_of_class
from perdure._src.type_handlers.arguments import RestoreArgs, SaveArgs, check_input_arguments
from perdure._src.type_handlers.array_reading import describe_arrays, read_arrays
from perdure._src.type_handlers.array_writing import write_arrays
from perdure._src.type_handlers.future import CommitFuture
from perdure._src.type_handlers.leaf_files import check_different_names, check_one_directory, created_directory, name_bytes
from perdure._src.type_handlers.metadata import ArrayLeafMetadata, LeafMetadata
from perdure._src.type_handlers.param_info import ParamInfo
from perdure._src.type_handlers.status import SerializationStatusCallback
from perdure._src.type_handlers.type_handler import TypeHandler
from perdure.errors import InputTypeError, MismatchError

_NUMBERS = (bool, int, float, complex, str)


class NumpyHandler(TypeHandler):
    """NumPy arrays.

    In a directory of their own each, complete once its future is done; with ``ParamInfo.is_ocdbt_checkpoint`` in the item's
    database, complete after ``finalize``.
    """

    def __init__(self, *, deepcopy_host_arrays: bool = True):
        """
        Args:
            deepcopy_host_arrays: Copy the arrays before ``serialize`` returns. Otherwise they must not change before the futures are done.
        """
        self._copy = deepcopy_host_arrays

    def typestr(self) -> str:
        return "np.ndarray"

    async def serialize(
        self, values: Sequence[np.ndarray], infos: Sequence[ParamInfo], args: Sequence[SaveArgs] | None = None
    ) -> list[CommitFuture]:
        return write_arrays(values, infos, args, copy=self._copy)

    async def deserialize(self, infos: Sequence[ParamInfo], args: Sequence[RestoreArgs] | None = None) -> list[Any]:
        args = _restore_args(infos, args)
        return [_as_type(array, arg, np.ndarray) for array, arg in zip(await read_arrays(infos, args), args)]

    async def metadata(self, infos: Sequence[ParamInfo]) -> list[ArrayLeafMetadata]:
        return await describe_arrays(infos)

    def finalize(self, directory: pathlib.Path) -> None:
        """Completes the item's database for all native handlers; nothing is left to do for the others."""
        _core.finalize_leaves(os.fsencode(directory))


class ArrayHandler(NumpyHandler):
    """Arrays of JAX. They come back as such if JAX is imported, on the devices that ``RestoreArgs.sharding`` says if it has one."""

    def __init__(self, callback: SerializationStatusCallback | None = None):
        """
        Args:
            callback: Chooses priorities, and is told how far each array is.
        """
        super().__init__()
        self.callback = callback

    def typestr(self) -> str:
        return "jax.Array"

    async def serialize(
        self, values: Sequence[Any], infos: Sequence[ParamInfo], args: Sequence[SaveArgs] | None = None
    ) -> list[CommitFuture]:
        for value, info in zip(values, infos):
            if str(getattr(value, "dtype", "")).startswith("key<"):
                raise InputTypeError(f"'{info.name}' is a random key: a handler of arrays would lose its kind; save its key data")
        return write_arrays(values, infos, args, self.callback)

    async def deserialize(self, infos: Sequence[ParamInfo], args: Sequence[RestoreArgs] | None = None) -> list[Any]:
        args = _restore_args(infos, args)
        default = sys.modules["jax"].Array if "jax" in sys.modules else np.ndarray
        return [_as_type(array, arg, default) for array, arg in zip(await read_arrays(infos, args), args)]


class ScalarHandler(NumpyHandler):
    """Numbers of Python and NumPy, stored as arrays without axes. They come back as Python's."""

    def typestr(self) -> str:
        return "scalar"

    async def serialize(
        self, values: Sequence[Any], infos: Sequence[ParamInfo], args: Sequence[SaveArgs] | None = None
    ) -> list[CommitFuture]:
        for value, info in zip(values, infos):
            if not _is_number(value):
                raise InputTypeError(f"'{info.name}' is a '{type(value).__name__}', which the handler of numbers cannot store")
        return write_arrays([np.asarray(value) for value in values], infos, args)

    async def deserialize(self, infos: Sequence[ParamInfo], args: Sequence[RestoreArgs] | None = None) -> list[Any]:
        args = _restore_args(infos, args)
        arrays = await read_arrays(infos, args)
        return [_as_number(info, array, arg) for info, array, arg in zip(infos, arrays, args)]


class StringHandler(TypeHandler):
    """Texts, all in one file of the item."""

    def typestr(self) -> str:
        return "string"

    async def serialize(
        self, values: Sequence[str], infos: Sequence[ParamInfo], args: Sequence[SaveArgs] | None = None
    ) -> list[CommitFuture]:
        check_input_arguments(values, infos)
        check_one_directory(infos)
        check_different_names(infos)
        for value, info in zip(values, infos):
            if not isinstance(value, str):
                raise InputTypeError(f"'{info.name}' is a '{type(value).__name__}', not a text")
        texts = [(name_bytes(info), value.encode(errors="surrogatepass")) for value, info in zip(values, infos)]

        async def write() -> None:
            _core.write_strings(await created_directory(infos), texts)

        return [CommitFuture(write)]

    async def deserialize(
        self, infos: Sequence[ParamInfo], args: Sequence[RestoreArgs] | None = None
    ) -> list[str | None]:
        _restore_args(infos, args)
        check_one_directory(infos)
        directory = await created_directory(infos)
        wanted = [name_bytes(info) for info in infos if not info.skip_deserialize]
        texts = iter(await asyncio.to_thread(_core.read_strings, directory, wanted) if wanted else ())
        return [None if info.skip_deserialize else next(texts).decode(errors="surrogatepass") for info in infos]

    async def metadata(self, infos: Sequence[ParamInfo]) -> list[LeafMetadata]:
        await created_directory(infos)
        return [LeafMetadata(info.name, info.parent_dir) for info in infos]


def _is_number(value: Any) -> bool:
    if isinstance(value, (bool, int, float, complex)):
        return not isinstance(value, int) or -(2**63) <= value < 2**64
    return getattr(value, "shape", None) == () and hasattr(value, "dtype") and np.dtype(value.dtype).kind not in "OSUMm"


def _restore_args(infos: Sequence[ParamInfo], args: Sequence[RestoreArgs] | None) -> Sequence[RestoreArgs]:
    args = [RestoreArgs()] * len(infos) if args is None else args
    check_input_arguments(infos, args)
    return args


def _as_type(array: np.ndarray | None, arg: RestoreArgs, default: type) -> Any:
    kind = arg.restore_type or default
    if array is None or kind is np.ndarray:
        return array
    if kind in _NUMBERS and array.ndim == 0:
        return kind(array.item())
    adapter = adapter_of_class(kind) if isinstance(kind, type) else None
    if adapter is None:
        raise InputTypeError(f"restore_type: an array cannot become a '{getattr(kind, '__name__', kind)}'")
    return adapter.restore(kind.__module__.partition(".")[0], _template(array, arg), array)


def _template(array: np.ndarray, arg: RestoreArgs) -> Any:
    sharding = getattr(arg, "sharding", None)
    if sharding is None:
        return None
    import jax

    return jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=sharding)


def _as_number(info: ParamInfo, array: np.ndarray | None, arg: RestoreArgs) -> Any:
    if array is None:
        return None
    if array.ndim != 0:
        raise MismatchError(f"'{info.name}' is an array of shape {array.shape}, not a scalar")
    number = array.item()
    return number if arg.restore_type is None else arg.restore_type(number)
