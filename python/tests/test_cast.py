"""cast gives the bits of NumPy's and ml_dtypes' astype: for every code of the small types, for edges and seeded draws of the wide ones."""

import itertools
import warnings

import numpy as np
import pytest
from dtypes import BITS, DTYPES, NAMES

from perdure import _core

SMALL_FLOATS = [name for name in NAMES if "float" in name and DTYPES[name].itemsize <= 2]


def every_code(name):
    count = 256 ** DTYPES[name].itemsize if "int" in name else 2 ** BITS[name]
    return np.arange(count).astype(f"u{DTYPES[name].itemsize}").view(DTYPES[name])


def rounding_edges():
    """Numbers of the small floats, their midpoints, and what lies just beside."""
    out = []
    for name in SMALL_FLOATS:
        values = every_code(name).astype(np.float64)
        values = np.unique(values[np.isfinite(values)])
        middles = (values[1:] + values[:-1]) / 2
        beyond = values[-1] + (values[-1] - values[-2]) * np.array([0.25, 0.5, 0.75, 1, 2])
        for near in (values, middles, beyond, -beyond):
            out += [near, *(near * (1 + sign * 2.0**-bits) for sign in (-1, 1) for bits in (12, 23, 25, 40, 52))]
    return np.concatenate(out)


def floats(dtype):
    random = np.random.default_rng(1)
    integer_edges = [sign * (2.0**bits + step) for bits in range(66) for step in (-1.5, -1, -0.5, 0, 0.5, 1) for sign in (-1, 1)]
    with np.errstate(over="ignore", invalid="ignore"):
        near = np.concatenate([rounding_edges(), integer_edges, random.standard_normal(50_000) * 300]).astype(dtype)
    anything = random.integers(0, 256, 8 * 50_000, dtype=np.uint8).view(dtype)
    payloads = np.array([0, 1, 0x1FFF, 0x2000, 0x12345678], f"u{dtype.itemsize}") << (8 * dtype.itemsize - 33 if dtype.itemsize == 8 else 0)
    infinity = np.array(np.inf, dtype).view(payloads.dtype)
    nans = (infinity | payloads & (2 ** np.finfo(dtype).nmant - 1)).view(dtype)
    return np.concatenate([near, anything, nans, -nans])


def integers(dtype):
    random = np.random.default_rng(2)
    bits = 8 * dtype.itemsize
    edges = np.array([(sign * (1 << shift) + step) % 2**bits for shift in range(64) for step in range(-2, 3) for sign in (-1, 1)], f"u{dtype.itemsize}")
    ties = np.array([((3 << shift) + (1 << shift - low) + step) % 2**bits for shift in range(9, 62) for low in (1, 3, 8, 9, 24, 25) if low < shift
                     for step in (-1, 0, 1)], f"u{dtype.itemsize}")
    draws = random.integers(0, 2**bits, 50_000, dtype=f"u{dtype.itemsize}") >> random.integers(0, bits, 50_000).astype(f"u{dtype.itemsize}")
    return np.concatenate([edges, ties, draws, -draws]).view(dtype)


def sources(name):
    dtype = DTYPES[name]
    if dtype.itemsize <= 2:
        return every_code(name)
    if dtype.kind in "iu":
        return integers(dtype)
    if dtype.kind == "c":
        parts = floats(np.dtype(f"f{dtype.itemsize // 2}"))
        return np.stack([parts, np.roll(parts, 7)], axis=-1).reshape(-1).view(dtype)
    return floats(dtype)


@pytest.fixture(scope="module")
def source_of():
    cache = {}
    return lambda name: cache[name] if name in cache else cache.setdefault(name, sources(name))


def is_cast(source, target):
    with warnings.catch_warnings(action="ignore"):
        try:
            np.zeros(1, DTYPES[source]).astype(DTYPES[target])
        except TypeError:
            return False
    return True


def codes(array):
    return np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)


def is_defined(values, target):
    """Casts to uint32 of what does not fit give one result in the vectors of astype and another in its tails."""
    if target != "uint32" or values.dtype.name not in ("bfloat16", "float32", "float64", "complex64", "complex128"):
        return np.full(len(values), True)
    return (values.real > -(2.0**31)) & (values.real < 2.0**32)


PAIRS = [pair for pair in itertools.permutations(NAMES, 2) if is_cast(*pair)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("source", "target"), PAIRS, ids=[f"{source}-{target}" for source, target in PAIRS])
def test_cast_gives_the_bits_of_astype(source, target, source_of):
    values = source_of(source)
    values = values[is_defined(values, target)]
    with np.errstate(all="ignore"):
        expected = codes(values.astype(DTYPES[target]))
    actual = np.frombuffer(_core.cast(values.tobytes(), source, target)[0], np.uint8).reshape(expected.shape)
    wrong = np.flatnonzero((actual != expected).any(axis=1))
    assert wrong.size == 0, f"{wrong.size} differ, the first: {values[wrong[0]]!r} {codes(values)[wrong[0]]} -> {actual[wrong[0]]}, astype: {expected[wrong[0]]}"


def flags(values, source, target):
    report = _core.cast(np.array(values, DTYPES[source]).tobytes(), source, target)[1]
    return {name for name, is_set in zip(("kind", "integer", "float"), report, strict=True) if is_set}


@pytest.mark.parametrize(
    ("values", "source", "target", "expected"),
    [
        ([1.1, 1e-30, np.inf, np.nan], "float32", "bfloat16", set()),
        ([3.4e38], "float32", "bfloat16", {"float"}),
        ([70000.0], "float64", "float16", {"float"}),
        ([500.0], "float32", "float8_e4m3fn", {"float"}),
        ([np.inf], "float32", "float8_e4m3fn", {"float"}),
        ([7.0], "float32", "float4_e2m1fn", set()),
        ([7.5], "float32", "float4_e2m1fn", {"float"}),
        ([np.nan], "float32", "float4_e2m1fn", {"float"}),
        ([0.0], "float32", "float8_e8m0fnu", {"float"}),
        ([1.0, -2.0, 0.0], "float32", "int8", set()),
        ([1.5], "float32", "int8", {"kind"}),
        ([128.0], "float32", "int8", {"kind", "integer"}),
        ([np.nan], "float64", "int64", {"kind", "integer"}),
        ([2.0**63], "float64", "uint64", set()),
        ([2.0**63], "float64", "int64", {"kind", "integer"}),
        ([300], "int64", "uint8", {"integer"}),
        ([-1], "int64", "uint64", {"integer"}),
        ([2**63], "uint64", "int64", {"integer"}),
        ([8], "int8", "int4", {"integer"}),
        ([2**24], "int32", "float32", set()),
        ([2**24 + 1], "int32", "float32", {"kind"}),
        ([2**63 - 1], "int64", "float64", {"kind"}),
        ([70000], "int32", "float16", {"kind", "float"}),
        ([9], "int32", "float4_e2m1fn", {"kind", "float"}),
        ([0, 1], "uint8", "bool", set()),
        ([2], "uint8", "bool", {"kind"}),
        ([0.5], "float32", "bool", {"kind"}),
        ([True], "bool", "complex64", set()),
        ([1 + 0j], "complex64", "float32", set()),
        ([1 + 2j], "complex64", "float32", {"kind"}),
        ([1j], "complex128", "bool", {"kind"}),
        ([1e300j], "complex128", "complex64", {"float"}),
    ],
)
def test_report_says_what_was_lost_beyond_rounding(values, source, target, expected):
    assert flags(values, source, target) == expected


def test_pairs_that_astype_refuses_wrap_and_round_as_the_others_do():
    assert _core.cast(bytes([0x0F, 0x07]), "int4", "uint2") == (bytes([3, 3]), (False, True, False))
    assert _core.cast(bytes([0x7F, 0x80]), "float8_e8m0fnu", "float8_e5m2") == (bytes([0x3C, 0x40]), (False, False, False))


def test_unknown_names_and_odd_sizes_are_refused():
    with pytest.raises(ValueError, match="unknown dtype 'float33'"):
        _core.cast(b"", "float33", "int8")
    with pytest.raises(ValueError, match="3 bytes are not a whole number of int16"):
        _core.cast(b"abc", "int16", "int8")
