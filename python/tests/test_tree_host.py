"""Python objects as trees: what a save sees of them, and what a load makes of them again."""

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
from exact import round_trip

import perdure
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


@pytest.fixture
def copy_of(tmp_path):
    """Saves a tree and loads it, as saved or into a template."""
    return lambda tree, template=None: round_trip(tmp_path, tree, template)


@pytest.fixture
def leaves_of(tmp_path):
    """Dotted key path and object of each leaf, as a save meets them."""

    def leaves(tree):
        found, context = [], perdure.Context()
        context.array.saving.scoped_storage_options_creator = lambda path, leaf: found.append((".".join(map(str, path)), leaf))
        with context:
            perdure.save(tmp_path / "leaves", tree, overwrite=True)
        return found

    return leaves


@pytest.fixture
def paths_of(leaves_of):
    return lambda tree: [path for path, _ in leaves_of(tree)]


@pytest.fixture
def refused(tmp_path):
    """The message of the refusal to save a tree; nothing was written."""

    def message(tree, error=InputTypeError):
        with pytest.raises(error) as caught:
            perdure.save(tmp_path / "refused", tree)
        assert not list(tmp_path.iterdir())
        return str(caught.value)

    return message


def same_bits(a, b):
    return type(a) is type(b) and struct.pack("d", a) == struct.pack("d", b)


# ------------------------------------------------------------------------------------------------------------------- walking
def test_leaves_come_in_order_under_dotted_key_paths(paths_of):
    tree = {"b": [1, (2, {})], "a": {3: 4, ("x", 1): 5, True: 6, None: 7, 0.5: 8}}
    assert paths_of(tree) == ["b.0", "b.1.0", "a.3", "a.('x', 1)", "a.True", "a.None", "a.0.5"]


def test_fields_of_named_tuples_and_dataclasses_are_keys(paths_of):
    assert paths_of([Moments(1, Counted(2, 3))]) == ["0.mu", "0.nu.w", "0.nu.count"]


def test_a_field_that_was_never_set_is_left_out(paths_of):
    counted = Counted.__new__(Counted)
    counted.w = 1
    assert paths_of(counted) == ["w"]


def test_the_order_of_an_ordered_dict_is_its_own(paths_of):
    tree = collections.OrderedDict(a=1, b=2)
    tree.move_to_end("a")
    assert paths_of(tree) == ["b", "a"]


def test_any_mapping_is_a_mapping(paths_of):
    assert paths_of(types.MappingProxyType({"a": collections.ChainMap({"b": 1})})) == ["a.b"]


@pytest.mark.parametrize("close", [lambda a: a.append(a), lambda a: a.append({"x": (a,)})])
def test_a_cycle_is_refused(close, refused):
    tree = [1]
    close(tree)
    assert "contains itself at 'deep.1" in refused({"deep": tree})


def test_children_outlive_a_container_that_changes_while_it_is_read(leaves_of):
    class Meta(type):
        def __getattr__(cls, name):  # asked whether the class is a dataclass
            tree.clear()
            raise AttributeError(name)

    class Evil(dict, metaclass=Meta):
        pass

    class EvilMapping(collections.abc.Mapping, metaclass=type("", (Meta, type(collections.abc.Mapping)), {})):
        __getitem__, __iter__, __len__ = (lambda self, key: 1), (lambda self: iter(["x"])), (lambda self: 1)

    tree = {"evil": EvilMapping(), **{f"key{i}": [str(i) * 20] for i in range(100)}}
    leaves = leaves_of(tree)
    assert [leaf for _, leaf in leaves] == [1] + [str(i) * 20 for i in range(100)] and tree == {}


@pytest.mark.parametrize("key", [b"bytes", frozenset(), 1j, np.int64(3), (1, b"x"), ml_dtypes.bfloat16])
def test_a_key_that_is_not_plain_is_refused_with_its_place(key, refused):
    name = type(key[1] if isinstance(key, tuple) else key).__name__
    assert f"key of type '{name}' at 'a.0'" in refused({"a": [{key: 1}]})


def test_keys_are_tuples_of_64_levels_at_most(copy_of, refused):
    key = 1
    for _ in range(64):
        key = (key,)
    assert "key of type 'tuple'" in refused({(key,): 0})
    assert copy_of({key: 0}) == {key: 0}


@pytest.mark.parametrize(
    "tree, both", [({"p": {1: 0, "1": 0}}, ["p[1]", "p['1']"]), ({"a.b": 0, "a": {"b": 0}}, ["['a.b']", "a.b"])]
)
def test_two_key_paths_of_one_name_are_refused_with_both(tree, both, refused):
    message = refused(tree, InvalidError)
    assert all(path in message for path in both)


# -------------------------------------------------------------------------------------------------------------- plain values
@pytest.mark.parametrize("leaf", [None, True, False, 0, -1, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 10**40, -(10**40), 10**9,
                                  2**64, "", "text", "\ud800", "\ud83d\ude00", "\U0001f600", "nul\0", b"", b"\x00\xff"])
def test_plain_values_come_back_as_they_were(leaf, copy_of):
    copy = copy_of({"x": leaf})["x"]
    assert copy == leaf and type(copy) is type(leaf)


@pytest.mark.parametrize("bits", [0, 1 << 63, 0x7FF0 << 48, 0x7FF8000000000000, 0x7FF0000000000001, 0xFFF8DEADBEEF0001, 1])
def test_every_bit_of_a_float_survives(bits, copy_of):
    (leaf,) = struct.unpack("d", struct.pack("Q", bits))
    copy = copy_of([leaf, complex(leaf, -0.0), {leaf: 1}])
    assert same_bits(copy[0], leaf)
    assert same_bits(copy[1].real, leaf) and math.copysign(1, copy[1].imag) == -1
    assert same_bits(*copy[2], leaf)


@pytest.mark.parametrize("leaf", [10**5000 + 7, -(10**5000), -(7**7000)], ids=["positive", "zeros", "negative"])
def test_integers_longer_than_python_prints_come_back(leaf, copy_of):
    assert copy_of([leaf]) == [leaf]


def test_an_integer_without_bound_is_refused(refused):
    assert "100000 digits at 'x'" in refused({"x": 1 << 400_000})


@pytest.mark.parametrize("key", ["", "\ud83d\ude00", "a.b", 2**80, True, None, -0.0, (), ("a", (1, None), 2.5)])
def test_keys_come_back_as_they_were(key, copy_of):
    ((copy, _),) = copy_of({key: 1}).items()
    assert repr(copy) == repr(key) and type(copy) is type(key)


@pytest.mark.parametrize("leaf", [{1, 2}, range(3), bytearray(b"x"), lambda: 0, object(), 1 .__class__, np.float32, Ellipsis])
def test_other_objects_are_refused_with_type_and_key_path(leaf, refused):
    message = refused({"aux": {"records": [leaf]}})
    assert f"'{type(leaf).__name__}'" in message and "at 'aux.records.0'" in message


def test_saving_keeps_nothing_alive(tmp_path):
    array = np.zeros(3)
    gone = weakref.ref(array)
    before = sys.getrefcount(array)
    perdure.save(tmp_path / "c", {"a": [array, array]})
    assert sys.getrefcount(array) == before
    del array
    gc.collect()
    assert gone() is None


def test_a_loaded_array_is_writable_and_owns_its_memory(copy_of):
    array = copy_of(np.arange(1000))
    array += 1
    part = array[5:7]
    del array
    gc.collect()
    assert part.tolist() == [6, 7]


# ------------------------------------------------------------------------------------------------- containers made again
def test_containers_come_back_by_kind(copy_of):
    tree = {"x": (1, [2, (), {}], {"y": ()}), 3: []}
    assert repr(copy_of(tree)) == repr(tree)


@pytest.mark.parametrize(
    "mapping", [collections.OrderedDict(a=1), collections.defaultdict(list, a=1), types.MappingProxyType({"a": 1})]
)
def test_mappings_come_back_as_dict(mapping, copy_of):
    copy = copy_of(mapping)
    assert type(copy) is dict and copy == {"a": 1}


@pytest.mark.parametrize("value", [Moments(1, [2]), Frozen(1, {"x": 2}), Frozen(Moments(1, 2))])
def test_classes_of_loaded_modules_come_back(value, copy_of):
    copy = copy_of(value)
    assert copy == value and type(copy) is type(value)


def test_no_constructor_runs_and_every_field_is_there(monkeypatch, copy_of):
    monkeypatch.setattr(Counted, "__init__", None)
    value = Counted.__new__(Counted)
    value.w, value.count = 1, 5
    copy = copy_of(value)
    assert type(copy) is Counted and (copy.w, copy.count) == (1, 5)


def test_classes_that_are_not_to_be_had_come_back_by_their_fields(copy_of):
    class Local(NamedTuple):
        mu: Any
        nu: Any

    @dataclasses.dataclass
    class LocalRecord:
        w: Any

    copy = copy_of(Local(1, 2))
    assert copy == (1, 2) and type(copy) is not Local and (copy.mu, copy.nu) == (1, 2) and type(copy).__name__ == "Local"
    assert copy_of(LocalRecord(1)) == {"w": 1}


def record_as_of(module, qualname, fields=("w",)):
    """A dataclass that a save takes for another one."""
    cls = dataclasses.make_dataclass("Record", fields)
    cls.__module__, cls.__qualname__ = module, qualname
    return cls(*range(1, len(fields) + 1))


def named_tuple_as_of(module, qualname, fields=("w",)):
    cls = collections.namedtuple("Named", fields)
    cls.__module__, cls.__qualname__ = module, qualname
    return cls(*range(1, len(fields) + 1))


def test_a_stored_class_is_not_imported(copy_of):
    assert "antigravity" not in sys.modules
    assert copy_of(record_as_of("antigravity", "fly")) == {"w": 1}
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize("qualname", ["system", "path.join", "PathLike", "nothing", ".", "environ.x", "stat_result"])
def test_a_stored_class_that_is_no_record_is_not_made(qualname, copy_of):
    assert copy_of([record_as_of("os", qualname), named_tuple_as_of("os", qualname)]) == [{"w": 1}, (1,)]


@pytest.mark.parametrize("fields", [["mu"], ["nu", "mu"], ["mu", "nu", "x"]])
def test_a_class_whose_fields_have_changed_is_not_used(fields, copy_of):
    got, record = copy_of([named_tuple_as_of(__name__, "Moments", fields), record_as_of(__name__, "Frozen", ["b"])])
    assert type(got) is not Moments and got._fields == tuple(fields)
    assert record == {"b": 1}


@pytest.mark.parametrize("fields", [["class"], ["a b"], ["_x"]])
def test_fields_that_no_named_tuple_can_have_make_a_dict(fields, copy_of):
    named = named_tuple_as_of("m", "C", ["w"])
    type(named)._fields = tuple(fields)
    assert copy_of([named]) == [{fields[0]: 1}]


# ------------------------------------------------------------------------------------------------------------------ templates
class Own(dict):
    pass


class OwnList(list):
    pass


@pytest.mark.parametrize("target", [
    {"a": 1, 2: 3}, [1, 2], (1, 2), Moments(1, 2), Frozen(1, 2), collections.OrderedDict(b=1, a=2), Own(a=1, b=2),
    types.MappingProxyType({"a": 1, "b": 2}), OwnList([1, 2]), collections.UserDict(a=1, b=2), Moments(Own(a=1), (OwnList([2]),)),
])  # fmt: skip
def test_a_template_decides_the_classes(target, tmp_path, leaves_of):
    before = repr(target)
    perdure.save(tmp_path / "c", target)
    made = perdure.load(tmp_path / "c", target)
    assert type(made) is type(target) and leaves_of(made) == leaves_of(target)
    assert repr(made) == repr(target) == before and made is not target


def test_a_template_keeps_what_is_no_field(copy_of):
    counted, default = Counted(1, 2), collections.defaultdict(list, a=1)
    counted.note = "kept"
    saved = (Counted(7, 8), {"a": 9})
    made, made_default = copy_of(saved, (counted, default))
    assert (made.w, made.count, made.note, made_default["a"]) == (7, 8, "kept", 9)
    assert made_default.default_factory is list and counted.w == 1 and default["a"] == 1
