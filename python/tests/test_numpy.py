"""NumPy arrays and scalars: every dtype, whatever the memory looks like."""

import warnings

import ml_dtypes
import numpy as np
import pytest
from dtypes import DTYPES, NAMES
from exact import random_array, round_trip, same
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import perdure


@pytest.mark.parametrize("name", NAMES)
def test_every_dtype_in_every_shape_and_layout(tmp_path, name):
    base = random_array(DTYPES[name], (3, 4, 5))
    tree = [random_array(DTYPES[name], shape) for shape in [(), (0,), (3,), (2, 0, 3), (1, 1, 1, 1), (2,) * 12]]
    tree += [base.T, base[::2], base[::-1, ::-2], np.asfortranarray(base), np.broadcast_to(base[0], (7, 4, 5)), base[:, 1], base[..., None]]
    tree += [base[0, 0, 0], np.moveaxis(base, 0, 1)[1:]]
    same(round_trip(tmp_path, tree), tree)


@pytest.mark.parametrize("name", NAMES)
def test_memory_that_is_not_aligned(tmp_path, name):
    dtype = DTYPES[name]
    memory = np.zeros(1 + 24 * dtype.itemsize, np.uint8)
    unaligned = memory[1:].view(dtype)
    unaligned[:] = random_array(dtype, (24,))
    column = np.zeros(5, [("pad", "u1"), ("value", dtype)])["value"]
    column[:] = unaligned[:5]
    tree = [unaligned, unaligned.reshape(4, 6).T[::2], column]
    same(round_trip(tmp_path, tree), tree)


@pytest.mark.parametrize("dtype", [">i2", ">u4", ">i8", ">f2", ">f4", ">f8", ">c8", ">c16"])
def test_big_endian_becomes_native(tmp_path, dtype):
    native = random_array(np.dtype(dtype).newbyteorder("="), (7,))
    swapped = native.astype(dtype)
    got = round_trip(tmp_path, [swapped, swapped[::-2], swapped[3:4].reshape(()), swapped[3]])
    same(got, [native, native[::-2], native[3:4].reshape(()), native[3]])


def test_strides_of_any_kind(tmp_path):
    wide = np.zeros((3, 20_000_000), np.uint8)
    wide[:, 0] = [1, 2, 3]
    line = np.arange(20.0)
    tree = [wide[:, 0], wide[:, ::10_000_000], sliding_window_view(line, 5), as_strided(line, (4, 3), (0, 8)),
            as_strided(line[9:], (5, 2), (-16, -8)), as_strided(line, (0, 2**40), (2**50, 8)), np.zeros((1,) * 33), line[1:2].reshape(())]
    same(round_trip(tmp_path, tree), tree)


def test_read_only_and_mapped_files(tmp_path):
    fixed = np.arange(5.0)
    fixed.flags.writeable = False
    on_disk = np.memmap(tmp_path / "numbers", np.float32, "w+", shape=(3, 4))
    on_disk[:] = 7
    got = round_trip(tmp_path, [fixed, on_disk])
    same(got, [fixed, np.full((3, 4), 7, np.float32)])
    assert got[0].flags.writeable


def test_bytes_beyond_the_values_of_a_dtype_keep_the_value(tmp_path):
    odd = np.array([0, 1, 2, 255], np.uint8)
    got = round_trip(tmp_path, {"bool": odd.view(bool), "int4": odd.view(ml_dtypes.int4)})
    same(got, {"bool": np.array([False, True, True, True]), "int4": np.array([0, 1, 2, -1]).astype(ml_dtypes.int4)})


def matrix():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.matrix([[1, 2]])


SUBCLASSES = [matrix(), np.ma.masked_array([1, 2], [0, 1]), np.rec.array([(1, 2.0)], dtype="i4,f8"),
              np.zeros(3).view(type("Own", (np.ndarray,), {}))]
OTHER_DTYPES = ["longdouble", "clongdouble", "S3", "U3", "M8[s]", "m8[s]", "O", "V4", "i4,f8"]


@pytest.mark.parametrize("value", SUBCLASSES + [np.zeros(3, d) for d in OTHER_DTYPES] + [np.zeros(3, d)[0] for d in OTHER_DTYPES if d != "O"],
                         ids=lambda value: f"{type(value).__name__}-{value.dtype}")
def test_what_is_more_than_numbers_is_refused_by_path(tmp_path, value):
    with pytest.raises(perdure.InputTypeError, match=r"at 'deep\.1\.k'"):
        perdure.save(tmp_path / "c", {"w": np.ones(3), "deep": [1, {"k": value}]})
    assert not list(tmp_path.iterdir())


def test_ties_come_back_and_equal_arrays_stay_apart(tmp_path):
    one = np.arange(100_000.0)
    tree = {"a": one, "b": one, "equal": one.copy(), "zeros": np.zeros(100_000), "more": np.zeros(100_000)}
    for mapped in (False, True):
        context = perdure.Context()
        context.array.loading.mapped = mapped
        with context:
            got = round_trip(tmp_path, tree)
            asked = perdure.load(tmp_path / "c", {**tree, "b": one.copy()})
        same(got, tree)
        same(asked, tree)
        assert got["a"] is got["b"] and asked["a"] is not asked["b"]
        assert not any(np.shares_memory(x, y) for x, y in [(got["a"], got["equal"]), (got["zeros"], got["more"]), (asked["a"], asked["b"])])


@pytest.mark.parametrize("wanted", [np.float32, np.dtype(">f4"), ml_dtypes.bfloat16])
def test_a_template_decides_the_dtype(tmp_path, wanted):
    values = np.array([1, 1.5, -3e38])
    got = round_trip(tmp_path, {"a": values}, {"a": np.zeros(3, wanted)})["a"]
    same(got, values.astype(np.dtype(wanted).newbyteorder("=")))
