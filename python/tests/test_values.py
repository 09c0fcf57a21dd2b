"""Plain values and containers come back as they were, or are refused by key path before anything is written."""

import collections
import dataclasses
import datetime
import decimal
import enum
import threading
import types
from typing import Any, NamedTuple

import numpy as np
import pytest
from exact import float_of, round_trip, same

import perdure


class Pair(NamedTuple):
    first: Any
    second: Any


class NoFields(NamedTuple):
    pass


@dataclasses.dataclass
class Plain:
    a: Any
    b: Any


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: Any


@dataclasses.dataclass(frozen=True, slots=True)
class FrozenSlots:
    a: Any


@dataclasses.dataclass
class Late:
    a: Any
    b: Any = dataclasses.field(init=False)
    c: Any = dataclasses.field(default=3, kw_only=True)


@dataclasses.dataclass
class Nothing:
    pass


@dataclasses.dataclass
class Counting:
    made = 0
    a: Any

    def __post_init__(self):
        Counting.made += 1


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2**70


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2


class Mode(str, enum.Enum):
    TRAIN = "train"


class Rate(float, enum.Enum):
    SLOW = 0.5


KEYS = ["a", "", "\0", "\ud800", "a\udc80b", "\ufeff", "\u2028", 1, -1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**300, True, 1.5, -0.0,
        float("inf"), None, (), ("",), ("a", 1, (2.5, None, ())), ("\ud800", 2**70)]
INTEGERS = [sign * n for n in (0, 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 2**64, 2**64 + 1, 10**5000, 2**100_000) for sign in (1, -1)]
FLOATS = [float_of(bits | sign << 63) for sign in (0, 1) for bits in (
    0, 1, 0xFFFFFFFFFFFFF, 0x10000000000000, 0x3FF0000000000001, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,  # subnormal .. infinity
    0x7FF0000000000001, 0x7FF7FFFFFFFFFFFF, 0x7FF8000000000000, 0x7FF8DEAD00000001, 0x7FFFFFFFFFFFFFFF)]  # signaling and quiet NaN


@pytest.mark.parametrize("key", KEYS, ids=ascii)
def test_every_plain_key_comes_back(tmp_path, key):
    tree = {"p": {key: np.arange(3), "other": {key: 5}}}
    same(round_trip(tmp_path, tree), tree)


def test_keys_of_all_kinds_live_in_one_dict(tmp_path):
    tree = {key: i for i, key in enumerate(KEYS)}
    same(round_trip(tmp_path, tree), tree)


def test_integers_of_any_size(tmp_path):
    tree = [INTEGERS, {"root": INTEGERS[-1]}]
    same(round_trip(tmp_path, tree), tree)
    same(round_trip(tmp_path, INTEGERS[-1]), INTEGERS[-1])


def test_an_integer_without_bounds_is_refused(tmp_path):
    with pytest.raises(perdure.InputTypeError, match="more than 100000 digits at 'n'"):
        perdure.save(tmp_path / "c", {"n": 1 << 400_000})
    assert not list(tmp_path.iterdir())


def test_every_bit_of_floats_and_complex_numbers(tmp_path):
    tree = {"float": FLOATS, "complex": [complex(re, im) for re in FLOATS for im in FLOATS]}
    same(round_trip(tmp_path, tree), tree)


@pytest.mark.parametrize("value", [None, True, False, b"", b"\0\xff", bytes(3_000_000), "", "\ud800\udfff", "\0", "x" * 3_000_000,
                                   {}, [], (), NoFields(), Nothing()], ids=lambda value: repr(value)[:12])
def test_small_and_large_values_at_the_root_and_below(tmp_path, value):
    same(round_trip(tmp_path, value), value)
    same(round_trip(tmp_path, {"a": [value, np.ones(2)], "b": value}), {"a": [value, np.ones(2)], "b": value})


def test_containers_are_what_they_were(tmp_path):
    late = Late(1, c=5)
    late.b = [np.ones(2)]
    tree = [Pair(1, Pair(np.arange(3), {})), Plain([2], Plain(Frozen(3), ())), FrozenSlots(np.ones(1)), Late(1), late, [[], ((),)]]
    same(round_trip(tmp_path, tree), tree)
    same(round_trip(tmp_path, tree, tree), tree)


def test_no_code_of_a_dataclass_runs(tmp_path):
    tree = Counting(np.ones(2))
    before = Counting.made
    same(round_trip(tmp_path, tree), tree)
    assert Counting.made == before


def test_a_class_that_is_gone_leaves_its_fields(tmp_path):
    here = dataclasses.make_dataclass("Local", ["a"])
    same(round_trip(tmp_path, [here(1)]), [{"a": 1}])
    got = round_trip(tmp_path, [collections.namedtuple("Gone", "x y")(1, 2)])[0]
    assert (type(got).__name__, got._fields, got) == ("Gone", ("x", "y"), (1, 2))


def test_other_mappings_become_dicts_unless_a_template_says_more(tmp_path):
    tree = {"o": collections.OrderedDict(b=1, a=2), "d": collections.defaultdict(list, a=[1]), "m": types.MappingProxyType({"x": 1})}
    same(round_trip(tmp_path, tree), {"o": {"b": 1, "a": 2}, "d": {"a": [1]}, "m": {"x": 1}})
    got = round_trip(tmp_path, tree, tree)
    assert {key: type(value) for key, value in got.items()} == {key: type(value) for key, value in tree.items()}
    assert got["d"].default_factory is list and got == tree


def test_members_of_enums_that_are_numbers_or_text_come_back(tmp_path):
    tree = {"level": [Level.LOW, Level.HIGH], "mode": Mode.TRAIN, "rate": Plain(Rate.SLOW, 1), "access": Access.READ | Access.WRITE}
    same(round_trip(tmp_path, tree), tree)
    same(round_trip(tmp_path, tree, tree), tree)
    same(round_trip(tmp_path, perdure.tree.state_dict(tree)), perdure.tree.state_dict(tree))
    same(round_trip(tmp_path, Mode.TRAIN), Mode.TRAIN)
    same(perdure.load(tmp_path / "c", "any text"), "train")


def test_a_value_that_is_no_member_any_more_is_plain_or_does_not_fit_its_template(tmp_path):
    same(round_trip(tmp_path, [enum.IntEnum("Gone", "one").one]), [1])
    same(round_trip(tmp_path, [1, 3], [Level.HIGH, Access.READ]), [Level.LOW, Access.READ | Access.WRITE])
    with pytest.raises(perdure.MismatchError, match="has 7, which is no member of the template's 'Level'"):
        round_trip(tmp_path, [7], [Level.LOW])


REFUSED = [{1}, frozenset(), object(), len, lambda: 1, range(3), slice(1), bytearray(b"x"), memoryview(b"x"), type, Ellipsis, iter([]),
           decimal.Decimal(1), datetime.datetime(2020, 1, 1), collections.deque([1]), enum.Enum("Number", "one").one,
           type("Text", (str,), {})("x"), type("Int", (int,), {})(3), type("Float", (float,), {})(3), np.random.default_rng(0)]


@pytest.mark.parametrize("value", REFUSED, ids=lambda value: type(value).__name__)
def test_what_cannot_be_saved_is_named_and_nothing_is_written(tmp_path, value):
    with pytest.raises(perdure.InputTypeError, match=r"cannot save a '\w+' at 'deep\.1\.k'"):
        perdure.save(tmp_path / "c", {"w": np.ones(3), "deep": [1, {"k": value}]})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("key", [b"x", frozenset(), 1j, np.int64(1), np.str_("a"), (1, b"")], ids=repr)
def test_a_key_that_is_not_plain_is_refused_by_path(tmp_path, key):
    with pytest.raises(perdure.InputTypeError, match=r"key of type .* at 'deep\.1'"):
        perdure.save(tmp_path / "c", {"deep": [1, {key: 1}]})
    assert not list(tmp_path.iterdir())


def test_a_container_in_itself_is_refused_by_path(tmp_path):
    tree = {"a": [1, {}]}
    tree["a"][1]["again"] = tree["a"]
    with pytest.raises(perdure.InputTypeError, match="contains itself at 'a.1.again'"):
        perdure.save(tmp_path / "c", tree)


def nested(depth):
    tree = np.arange(3)
    for level in range(depth):
        tree = ([tree], {"a": tree}, (tree,))[level % 3]
    return tree


def test_thousands_of_levels(tmp_path):
    got = round_trip(tmp_path, nested(30_000), nested(30_000))
    for _ in range(30_000):
        got = got["a"] if isinstance(got, dict) else got[0]
    same(got, np.arange(3))
    assert perdure.verify(tmp_path / "c").ok


def test_too_many_levels_are_a_clean_error(tmp_path):
    with pytest.raises(perdure.InvalidError, match="the name has 99999 bytes"):
        perdure.save(tmp_path / "c", nested(50_000))
    assert not list(tmp_path.iterdir())


def test_containers_that_change_while_they_are_saved_do_no_harm(tmp_path):
    tree = {"d": {str(i): i for i in range(1000)}, "l": list(range(1000))}
    done = threading.Event()

    def change():
        while not done.is_set():
            tree["l"].clear()
            tree["d"].clear()
            tree["d"].update((str(i), [i]) for i in range(1000))
            tree["l"].extend([[]] * 1000)

    thread = threading.Thread(target=change)
    thread.start()
    for _ in range(20):
        got = round_trip(tmp_path, tree)
        assert set(got) == {"d", "l"}
    done.set()
    thread.join()
