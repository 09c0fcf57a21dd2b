"""Python objects as trees: what the engine sees of them, and what it makes of them again."""

import collections
import dataclasses
import gc
import math
import struct
import sys
import types
import weakref
from typing import Any, ClassVar, NamedTuple

import ml_dtypes
import numpy as np
import pytest
from perdure import _core
from perdure.errors import InputTypeError, InvalidError


class Moments(NamedTuple):
    mu: Any
    nu: Any


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    w: Any
    b: Any = 0


@dataclasses.dataclass
class Counted:
    kind: ClassVar[str] = "counted"
    w: Any
    start: dataclasses.InitVar[int]
    count: int = dataclasses.field(init=False)

    def __post_init__(self, start):
        self.count = start


def paths(tree, leaf_types=None):
    return [path for path, _ in _core._tree_leaves(tree, leaf_types)]


def same_bits(a, b):
    return type(a) is type(b) and struct.pack("d", a) == struct.pack("d", b)


# ------------------------------------------------------------------------------------------------------------------- walking
def test_leaves_come_in_order_under_dotted_key_paths():
    tree = {"b": [1, (2, {})], "a": {3: 4, ("x", 1): 5, True: 6, None: 7, 0.5: 8}}
    assert paths(tree) == ["b.0", "b.1.0", "a.3", "a.('x', 1)", "a.True", "a.None", "a.0.5"]


def test_fields_of_named_tuples_and_dataclasses_are_keys():
    assert paths([Moments(1, Counted(2, 3))]) == ["0.mu", "0.nu.w", "0.nu.count"]


def test_a_field_that_was_never_set_is_left_out():
    counted = Counted.__new__(Counted)
    counted.w = 1
    assert paths(counted) == ["w"]


def test_the_order_of_an_ordered_dict_is_its_own():
    tree = collections.OrderedDict(a=1, b=2)
    tree.move_to_end("a")
    assert paths(tree) == ["b", "a"]


def test_any_mapping_is_a_mapping():
    assert paths(types.MappingProxyType({"a": collections.ChainMap({"b": 1})})) == ["a.b"]


def test_leaf_types_are_leaves_although_they_look_like_containers():
    assert paths({"a": Moments(1, 2), "b": (3,)}, (Moments,)) == ["a", "b.0"]


@pytest.mark.parametrize("close", [lambda a: a.append(a), lambda a: a.append({"x": (a,)})])
def test_a_cycle_is_refused(close):
    tree = [1]
    close(tree)
    with pytest.raises(InputTypeError, match="contains itself at 'deep.1"):
        _core._tree_leaves({"deep": tree})


def test_a_hundred_thousand_levels_work():
    tree = 1
    for _ in range(100_000):
        tree = [tree]
    copy = _core._tree_copy(tree)
    for _ in range(100_000):
        (copy,) = copy
    assert copy == 1


def test_children_outlive_a_container_that_changes_while_it_is_read():
    class Meta(type):
        def __subclasscheck__(cls, other):
            if other is list:
                tree.clear()
            return False

    class Evil(metaclass=Meta):
        pass

    tree = {f"key{i}": [str(i) * 20] for i in range(100)}
    leaves = _core._tree_leaves(tree, (Evil,))
    assert [leaf for _, leaf in leaves] == [str(i) * 20 for i in range(100)] and tree == {}


@pytest.mark.parametrize("key", [b"bytes", frozenset(), 1j, np.int64(3), (1, b"x"), ml_dtypes.bfloat16])
def test_a_key_that_is_not_plain_is_refused_with_its_place(key):
    name = type(key[1] if isinstance(key, tuple) else key).__name__
    with pytest.raises(InputTypeError, match=f"key of type '{name}' at 'a.0'"):
        _core._tree_leaves({"a": [{key: 1}]})


def test_keys_are_tuples_of_64_levels_at_most():
    key = 1
    for _ in range(64):
        key = (key,)
    assert _core._tree_copy({key: 0}) == {key: 0}
    with pytest.raises(InputTypeError, match="key of type 'tuple'"):
        _core._tree_leaves({(key,): 0})


@pytest.mark.parametrize(
    "tree, both", [({"p": {1: 0, "1": 0}}, ["p[1]", "p['1']"]), ({"a.b": 0, "a": {"b": 0}}, ["['a.b']", "a.b"])]
)
def test_two_key_paths_of_one_name_are_refused_with_both(tree, both):
    with pytest.raises(InvalidError) as error:
        _core._tree_check_names(tree)
    assert all(path in str(error.value) for path in both)


# -------------------------------------------------------------------------------------------------------------- plain values
@pytest.mark.parametrize("leaf", [None, True, False, 0, -1, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 10**40, -(10**40), 10**9,
                                  2**64, "", "text", "\ud800", "\ud83d\ude00", "\U0001f600", "nul\0", b"", b"\x00\xff"])
def test_plain_values_come_back_as_they_were(leaf):
    copy = _core._tree_copy({"x": leaf})["x"]
    assert copy == leaf and type(copy) is type(leaf)


@pytest.mark.parametrize("bits", [0, 1 << 63, 0x7FF0 << 48, 0x7FF8000000000000, 0x7FF0000000000001, 0xFFF8DEADBEEF0001, 1])
def test_every_bit_of_a_float_survives(bits):
    (leaf,) = struct.unpack("d", struct.pack("Q", bits))
    assert same_bits(_core._tree_copy(leaf), leaf)
    copy = _core._tree_copy(complex(leaf, -0.0))
    assert same_bits(copy.real, leaf) and math.copysign(1, copy.imag) == -1
    ((key, _),) = _core._tree_copy({leaf: 1}).items()
    assert same_bits(key, leaf)


@pytest.mark.parametrize("leaf", [10**5000 + 7, -(10**5000), -(7**7000)], ids=["positive", "zeros", "negative"])
def test_integers_longer_than_python_prints_come_back(leaf):
    assert _core._tree_copy([leaf]) == [leaf]


def test_an_integer_without_bound_is_refused():
    with pytest.raises(InputTypeError, match="100000 digits at 'x'"):
        _core._tree_read({"x": 1 << 400_000})


@pytest.mark.parametrize("key", ["", "\ud83d\ude00", "a.b", 2**80, True, None, -0.0, (), ("a", (1, None), 2.5)])
def test_keys_come_back_as_they_were(key):
    ((copy, _),) = _core._tree_copy({key: 1}).items()
    assert repr(copy) == repr(key) and type(copy) is type(key)


@pytest.mark.parametrize("leaf", [{1, 2}, range(3), bytearray(b"x"), lambda: 0, object(), 1 .__class__, np.float32, Ellipsis])
def test_other_objects_are_refused_with_type_and_key_path(leaf):
    with pytest.raises(InputTypeError) as error:
        _core._tree_read({"aux": {"records": [leaf]}})
    assert f"'{type(leaf).__name__}'" in str(error.value) and "at 'aux.records.0'" in str(error.value)


# -------------------------------------------------------------------------------------------------------------------- arrays
BASE = np.arange(24, dtype=np.float32).reshape(4, 6)


@pytest.mark.parametrize("array", [
    BASE, BASE.T, BASE[::2, 1::3], BASE[::-1], BASE[:, ::-2], np.asfortranarray(BASE), BASE[2:2], np.array(3),
    np.broadcast_to(np.float32(3), (4, 4)), BASE.view(np.uint8)[:, 1:5].view(np.float32),
])  # fmt: skip
def test_arrays_are_viewed_where_they_lie(array):
    seen = _core._tree_describe(array)
    assert seen["addresses"] == [array.__array_interface__["data"][0]]
    assert seen["array"].dtype == array.dtype and seen["array"].shape == array.shape
    assert seen["array"].tobytes() == array.tobytes()
    assert (seen["dtype"], seen["origin"], seen["immutable"]) == (array.dtype.name, "numpy", False)


@pytest.mark.parametrize("name", ["bool", "int8", "uint64", "float16", "complex64", "complex128"])
def test_numpy_dtypes(name):
    array = np.ones(3, name)
    assert _core._tree_copy(array).dtype == array.dtype and _core._tree_copy(array).tobytes() == array.tobytes()


@pytest.mark.parametrize("name", [
    "bfloat16", "int2", "uint2", "int4", "uint4", "float4_e2m1fn", "float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e5m2",
    "float8_e8m0fnu", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz",
])  # fmt: skip
def test_ml_dtypes(name):
    array = np.array([1, 1, 0.5]).astype(getattr(ml_dtypes, name))
    copy = _core._tree_copy(array)
    assert copy.dtype == array.dtype and copy.tobytes() == array.tobytes()


@pytest.mark.parametrize("dtype", [">f4", ">i8", ">c16"])
def test_big_endian_arrays_keep_their_values(dtype):
    array = np.array([1.5, -2, 300]).astype(dtype)
    copy = _core._tree_copy(array)
    assert copy.dtype.isnative and np.array_equal(copy, array)


@pytest.mark.parametrize("scalar", [np.float32(1.5), np.int8(-3), np.bool_(True), np.uint64(2**63), np.float64(2.5),
                                    ml_dtypes.bfloat16(1.5)])
def test_numpy_scalars_are_arrays_without_axes(scalar):
    seen = _core._tree_describe(scalar)
    assert seen["origin"] == "numpy.scalar" and seen["array"].shape == () and seen["array"][()] == scalar
    assert seen["array"].dtype == scalar.dtype


def test_a_memmap_is_an_array(tmp_path):
    array = np.memmap(tmp_path / "x", np.int32, "w+", shape=(5,))
    array[:] = range(5)
    assert _core._tree_copy(array).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("leaf", [
    np.ma.masked_array([1.0, 2.0], [False, True]), np.rec.array([(1, 2.0)]), np.zeros(2).view(type("Own", (np.ndarray,), {})),
    np.array(["a", None], object), np.array(["a"]), np.zeros(2, "datetime64[D]"), np.zeros(2, "i4,f4"), np.zeros(2, "V3"),
    np.zeros(2, np.longdouble), np.datetime64("2020-01-01"), np.str_("a"),
])  # fmt: skip
def test_arrays_of_other_than_numbers_are_refused_with_type_and_key_path(leaf):
    with pytest.raises(InputTypeError) as error:
        _core._tree_read({"stats": leaf})
    assert f"'{type(leaf).__name__}'" in str(error.value) and "at 'stats'" in str(error.value)


def test_reading_keeps_nothing_alive():
    array = np.zeros(3)
    gone = weakref.ref(array)
    before = sys.getrefcount(array)
    _core._tree_read({"a": [array, array]})
    assert sys.getrefcount(array) == before
    del array
    gc.collect()
    assert gone() is None


def test_a_made_array_is_writable_and_owns_its_memory():
    array = _core._tree_copy(np.arange(1000))
    array += 1
    part = array[5:7]
    del array
    gc.collect()
    assert part.tolist() == [6, 7]


# ------------------------------------------------------------------------------------------------- containers made again
def test_containers_come_back_by_kind():
    tree = {"x": (1, [2, (), {}], {"y": ()}), 3: []}
    assert repr(_core._tree_copy(tree)) == repr(tree)


@pytest.mark.parametrize(
    "mapping", [collections.OrderedDict(a=1), collections.defaultdict(list, a=1), types.MappingProxyType({"a": 1})]
)
def test_mappings_come_back_as_dict(mapping):
    assert type(_core._tree_copy(mapping)) is dict and _core._tree_copy(mapping) == {"a": 1}


@pytest.mark.parametrize("value", [Moments(1, [2]), Frozen(1, {"x": 2}), Frozen(Moments(1, 2))])
def test_classes_of_loaded_modules_come_back(value):
    assert _core._tree_copy(value) == value and type(_core._tree_copy(value)) is type(value)


def test_no_constructor_runs_and_every_field_is_there(monkeypatch):
    monkeypatch.setattr(Counted, "__init__", None)
    value = Counted.__new__(Counted)
    value.w, value.count = 1, 5
    copy = _core._tree_copy(value)
    assert type(copy) is Counted and (copy.w, copy.count) == (1, 5)


def test_classes_that_are_not_to_be_had_come_back_by_their_fields():
    class Local(NamedTuple):
        mu: Any
        nu: Any

    @dataclasses.dataclass
    class LocalRecord:
        w: Any

    copy = _core._tree_copy(Local(1, 2))
    assert copy == (1, 2) and type(copy) is not Local and (copy.mu, copy.nu) == (1, 2) and type(copy).__name__ == "Local"
    assert _core._tree_copy(LocalRecord(1)) == {"w": 1}


def made(kind, fields, module, qualname):
    return _core._tree_make(kind == "n", fields, module, qualname, list(range(1, len(fields) + 1)))


def test_a_stored_class_is_not_imported():
    assert "antigravity" not in sys.modules
    assert made("r", ["w"], "antigravity", "fly") == {"w": 1}
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize("qualname", ["system", "path.join", "PathLike", "nothing", "", ".", "environ.x", "stat_result"])
def test_a_stored_class_that_is_no_record_is_not_made(qualname):
    assert made("r", ["w"], "os", qualname) == {"w": 1}
    assert made("n", ["w"], "os", qualname) == (1,)


@pytest.mark.parametrize("fields", [["mu"], ["nu", "mu"], ["mu", "nu", "x"]])
def test_a_class_whose_fields_have_changed_is_not_used(fields):
    got = made("n", fields, __name__, "Moments")
    assert type(got) is not Moments and got._fields == tuple(fields)
    assert made("r", ["b"], __name__, "Frozen") == {"b": 1}


@pytest.mark.parametrize("fields", [["class"], ["a b"], ["_x"], ["x", "x"]])
def test_fields_that_no_named_tuple_can_have_make_a_dict(fields):
    assert type(made("n", fields, "m", "C")) is dict


# ------------------------------------------------------------------------------------------------------------------ templates
class Own(dict):
    pass


class OwnList(list):
    pass


@pytest.mark.parametrize("target", [
    {"a": 1, 2: 3}, [1, 2], (1, 2), Moments(1, 2), Frozen(1, 2), collections.OrderedDict(b=1, a=2), Own(a=1, b=2),
    types.MappingProxyType({"a": 1, "b": 2}), OwnList([1, 2]), collections.UserDict(a=1, b=2), Moments(Own(a=1), (OwnList([2]),)),
])  # fmt: skip
def test_a_template_decides_the_classes(target):
    before = repr(target)
    made = _core._tree_rebuild(target, ["x", "y"])
    assert type(made) is type(target) and paths(made) == paths(target)
    assert [leaf for _, leaf in _core._tree_leaves(made)] == ["x", "y"]
    assert repr(target) == before


def test_a_template_keeps_what_is_no_field():
    counted, default = Counted(1, 2), collections.defaultdict(list, a=1)
    counted.note = "kept"
    made, made_default = _core._tree_rebuild((counted, default), [7, 8, 9])
    assert (made.w, made.count, made.note, made_default["a"]) == (7, 8, "kept", 9)
    assert made_default.default_factory is list and counted.w == 1 and default["a"] == 1
