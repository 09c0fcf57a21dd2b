"""Stores and arrays, read-only."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from perdure import _core
from perdure._src.arguments import PathLike, checked, path_bytes
from perdure.errors import InvalidError


class KvStore:
    """A read-only map from bytes keys to bytes values. Made by ``open_kvstore``."""

    def __init__(self, core: _core.KvStore):
        self._core = core

    def list(self, prefix: bytes = b"") -> list[bytes]:
        """Keys that start with ``prefix``, sorted bytewise."""
        return self._core.list(checked(prefix, bytes, "prefix"))

    def read(self, key: bytes) -> bytes:
        """The value of ``key``. Raises NotFoundError if there is none, CorruptError if it cannot be whole."""
        return self._core.read(checked(key, bytes, "key"))


def open_kvstore(path: PathLike, *, format: str = "ocdbt", generation: int | None = None) -> KvStore:
    """Opens a store for reading.

    Args:
        path: Directory of the store.
        format: ``"ocdbt"``: a database. ``"file"``: a key for each file below the directory.
        generation: Of an OCDBT database; ``None``: the latest.

    Raises:
        NotFoundError: There is no such store or generation.
        CorruptError: It is not what its format says.
        InvalidError: There is no such format; the message names those that there are.
    """
    if generation is not None and checked(generation, int, "generation") not in range(2**63):
        raise InvalidError(f"generation: {generation} cannot be one")
    return KvStore(_core.open_kvstore(path_bytes(path), checked(format, str, "format"), generation))


class Array:
    """A Zarr array that is read when it is indexed. Made by ``open_array``.

    Attributes:
        shape: Extents.
        dtype: NumPy's or ml_dtypes' dtype.
        chunk_shape: Extents of the unit of storage.
    """

    def __init__(self, core: _core.StoredArray):
        self._core = core
        self.shape: tuple[int, ...] = core.shape
        self.dtype: np.dtype = core.dtype
        self.chunk_shape: tuple[int, ...] = core.chunk_shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __getitem__(self, index: Any) -> np.ndarray:
        """The indexed part as NumPy array in memory of its own; only the chunks that it touches are read.

        Integers and slices with any step, ``...``; other indices raise IndexError.
        """
        start, extent, rest = _plan_index(index, self.shape)
        return self._core.read(start, extent)[rest]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self[...] if dtype is None else self[...].astype(dtype)


def open_array(path: PathLike, name: str = "") -> Array:
    """Opens an array of a Zarr directory, an OCDBT database or a checkpoint item.

    Args:
        path: The directory: of the array itself, of the store, or of the item.
        name: Storage name of the array in the store, such as ``"params.dense.kernel"``.

    Raises:
        NotFoundError: There is no such array; the message names it.
    """
    return Array(_core.open_array(path_bytes(path), checked(name, str, "name").encode(errors="surrogatepass")))


def _plan_index(index: Any, shape: tuple[int, ...]) -> tuple[list[int], list[int], tuple]:
    """The smallest box that holds the indexed elements, and the index that picks them from it."""
    items = list(index) if isinstance(index, tuple) else [index]
    tail = []
    if any(item is Ellipsis for item in items):
        at = next(i for i, item in enumerate(items) if item is Ellipsis)
        items[at : at + 1] = [slice(None)] * (len(shape) - len(items) + 1)
        tail = [Ellipsis]  # NumPy's rule: with "..." the result is an array, also without axes
    items += [slice(None)] * (len(shape) - len(items))
    if len(items) > len(shape):
        raise IndexError(f"too many indices: the array has {len(shape)} axes, {len(items)} were given")
    start, extent, rest = [], [], []
    for axis, (item, size) in enumerate(zip(items, shape)):
        if isinstance(item, slice):
            picked = range(*item.indices(size))
            low = min(picked[0], picked[-1]) if picked else 0
            start.append(low)
            extent.append(abs(picked[-1] - picked[0]) + 1 if picked else 0)
            rest.append(slice(None, None, picked.step))
        else:
            at = _position(item, axis, size)
            start.append(at)
            extent.append(1)
            rest.append(0)
    return start, extent, (*rest, *tail)


def _position(item: Any, axis: int, size: int) -> int:
    try:
        at = operator.index(item)
    except TypeError:
        at = None
    if at is None or isinstance(item, (bool, np.bool_)):  # NumPy would take a bool as a mask
        raise IndexError(f"axis {axis}: an integer or a slice, not '{type(item).__name__}'") from None
    if not -size <= at < size:
        raise IndexError(f"index {at} is out of bounds for axis {axis} with size {size}")
    return at % size
