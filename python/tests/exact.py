"""Equality of trees as users mean it: same classes, same order, same bits."""

import dataclasses
import math
import struct

import numpy as np
from dtypes import is_below_a_byte

import perdure


def round_trip(tmp_path, tree, template=None):
    perdure.save(tmp_path / "c", tree, overwrite=True)
    return perdure.load(tmp_path / "c", template)


def float_of(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def same(got, want, where="$"):
    assert type(got) is type(want), f"{where}: {type(got)}, expected {type(want)}"
    if isinstance(want, (np.ndarray, np.generic)):
        assert (got.dtype, got.shape, got.tobytes()) == (want.dtype, want.shape, want.tobytes()), where
    elif isinstance(want, dict):
        same(list(got), list(want), where + ".keys()")
        for key in want:
            same(got[key], want[key], f"{where}[{key!r}]")
    elif isinstance(want, (list, tuple)):
        assert len(got) == len(want), where
        for i, pair in enumerate(zip(got, want)):
            same(*pair, f"{where}[{i}]")
    elif dataclasses.is_dataclass(want):
        for field in dataclasses.fields(want):
            assert hasattr(got, field.name) == hasattr(want, field.name), f"{where}.{field.name}"
            if hasattr(want, field.name):
                same(getattr(got, field.name), getattr(want, field.name), f"{where}.{field.name}")
    elif isinstance(want, float):
        assert struct.pack("<d", got) == struct.pack("<d", want), f"{where}: {got}"
    elif isinstance(want, complex):
        assert struct.pack("<dd", got.real, got.imag) == struct.pack("<dd", want.real, want.imag), f"{where}: {got}"
    else:
        assert got == want, f"{where}: {got!r}"


def random_array(dtype, shape, seed=0):
    """Any bits that the dtype can hold."""
    dtype, count = np.dtype(dtype), math.prod(shape)
    raw = np.random.default_rng(seed).integers(0, 256, count * dtype.itemsize, dtype=np.uint8)
    if dtype == bool:
        raw %= 2
    if is_below_a_byte(dtype.name):
        return (raw % 16).astype(np.float32).astype(dtype).reshape(shape)
    return raw.view(dtype).reshape(shape)
