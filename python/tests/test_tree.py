"""perdure.tree: what it promises beyond the conformance suite."""

import collections
import collections.abc
import dataclasses
import enum
import functools
import typing
import warnings

import numpy as np
import pytest
from perdure import tree
from perdure.errors import InputTypeError, UnusedKeysWarning

torch = pytest.importorskip("torch")


class Inner(collections.abc.MutableMapping):
    """Keeps its items in a dict that copy.copy would share."""

    def __init__(self):
        self.items_ = {}

    def __getitem__(self, key):
        return self.items_[key]

    def __setitem__(self, key, value):
        self.items_[key] = value

    def __delitem__(self, key):
        del self.items_[key]

    def __iter__(self):
        return iter(self.items_)

    def __len__(self):
        return len(self.items_)


def fresh_class(**attributes):
    return type("Fresh", (), attributes)


# ------------------------------------------------------------------------------------------------------------- unused keys
def warnings_of(template, sd):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        tree.from_state_dict(template, sd)
    return seen


def test_unused_keys_and_unfilled_arrays_are_told_once_with_every_name():
    template = {"a": torch.zeros(1), "b": torch.zeros(1), "opt": {}, "n": 0}
    (warning,) = warnings_of(template, {"a": torch.ones(1), "opt.0.exp_avg": torch.ones(1), "opt.0.step": 3, "gone": 1})
    assert warning.category is UnusedKeysWarning and warning.filename == __file__
    assert all(f"'{key}'" in str(warning.message) for key in ("opt.0.exp_avg", "opt.0.step", "gone", "b"))
    assert "'a'" not in str(warning.message) and "'n'" not in str(warning.message)


def test_a_complete_restore_warns_of_nothing():
    state = {"a": torch.ones(1), "b": [1, {"c": None}], "e": []}
    assert warnings_of(state, tree.state_dict(state)) == []


def test_a_serializer_has_asked_for_all_of_its_slice():
    cls = fresh_class()
    tree.register_serializer(cls, lambda o: {}, lambda t, sd: t)
    assert warnings_of({"k": cls()}, {"k": 1, "k.a": 2, "k[0]": 3}) == []


def test_the_warning_can_be_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnusedKeysWarning)
        with pytest.raises(UnusedKeysWarning):
            tree.from_state_dict({}, {"a": 1})


# ----------------------------------------------------------------------------------------------------------------- aliasing
@pytest.mark.parametrize("template", [torch.zeros(2), torch.nn.Parameter(torch.zeros(2)), np.zeros(2, np.float32), None, 5],
                         ids=["tensor", "parameter", "ndarray", "none", "int"])
def test_restored_values_never_alias_the_flat_dict(template):
    value = np.ones(2, np.float32) if isinstance(template, np.ndarray) else torch.ones(2)
    out = tree.from_state_dict({"x": template}, {"x": value})["x"]
    with torch.no_grad():
        out[:] = 7
    assert value.tolist() == [1.0, 1.0]


def test_a_plain_slot_copies_containers():
    value = {"l": [1, {"deep": [2]}], "t": (3, [4])}
    out = tree.from_state_dict({"x": None}, {"x": value})["x"]
    assert out == value
    out["l"][1]["deep"].append(9)
    out["t"][1].append(9)
    assert value == {"l": [1, {"deep": [2]}], "t": (3, [4])}


def test_what_a_serializer_gets_is_its_own():
    cls = fresh_class()
    tree.register_serializer(cls, lambda o: {}, lambda t, sd: dict(sd))
    flat = {"k.v": torch.ones(2), "k.d": {"x": [1]}}
    out = tree.from_state_dict({"k": cls()}, flat)["k"]
    out["v"].fill_(5)
    out["d"]["x"].append(2)
    assert flat["k.v"].tolist() == [1.0, 1.0] and flat["k.d"] == {"x": [1]}


def test_with_copy_false_what_fits_is_shared():
    flat = {"t": torch.ones(2), "n": np.ones(2), "c": [1]}
    out = tree.from_state_dict({"t": torch.zeros(2), "n": np.zeros(2), "c": None}, flat, copy=False)
    assert out["t"].data_ptr() == flat["t"].data_ptr() and np.shares_memory(out["n"], flat["n"]) and out["c"] is flat["c"]
    cast = tree.from_state_dict({"t": torch.zeros(2, dtype=torch.float64)}, {"t": flat["t"]}, copy=False)["t"]
    assert cast.dtype == torch.float64


# ------------------------------------------------------------------------------------------------------ the template is safe
def test_a_failing_restore_leaves_the_template_untouched():
    class Bad:
        pass

    def fail(template, sd):
        raise ValueError("no")

    tree.register_serializer(Bad, lambda o: {}, fail)
    inner = Inner()
    inner["w"] = 1
    template = {"a": [1, inner], "d": collections.OrderedDict(x=1), "bad": Bad()}
    with pytest.raises(ValueError):
        tree.from_state_dict(template, {"a[0]": 9, "a[1].w": 9, "d.x": 9})
    assert template["a"] == [1, inner] and inner.items_ == {"w": 1} and template["d"]["x"] == 1


def test_a_mapping_with_a_dict_of_its_own_is_not_shared():
    inner = Inner()
    inner["w"], inner["kept"] = 1, object.__new__(fresh_class())
    del inner["kept"]
    out = tree.from_state_dict(inner, {"w": 2})
    assert type(out) is Inner and out["w"] == 2 and inner["w"] == 1 and out.items_ is not inner.items_


# --------------------------------------------------------------------------------------------------------------- containers
class Moments(typing.NamedTuple):
    mu: typing.Any
    nu: typing.Any


class MyDict(dict):
    pass


class MyList(list):
    pass


def with_attribute(container, **attributes):
    for name, value in attributes.items():
        setattr(container, name, value)
    return container


CONTAINERS = {
    "OrderedDict": collections.OrderedDict(a=1),
    "defaultdict": collections.defaultdict(list, a=1),
    "Counter": collections.Counter(a=1),
    "MyDict": with_attribute(MyDict(a=1), tag="kept"),
    "MyList": with_attribute(MyList([1]), tag="kept"),
    "Moments": Moments(1, 2),
    "torch.Size": torch.Size([2, 3]),
    "UserDict": collections.UserDict(a=1),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_keep_their_class_and_what_it_adds(name):
    template = CONTAINERS[name]
    flat = {key: 10 + i for i, key in enumerate(tree.state_dict(template))}
    out = tree.from_state_dict(template, flat)
    assert type(out) is type(template) and tree.state_dict(out) == flat
    assert getattr(out, "default_factory", None) is getattr(template, "default_factory", None)
    assert getattr(out, "tag", None) == getattr(template, "tag", None)


def test_any_mapping_key_is_spelled_by_str():
    class Color(enum.Enum):
        RED = 1

    state = {Color.RED: 1, frozenset([1]): 2, 1j: 3, b"x": 4, (Color.RED,): 5}
    flat = tree.state_dict(state)
    assert list(flat) == [str(key) for key in state]
    assert tree.from_state_dict(state, flat) == state


def test_lone_surrogates_survive():
    state = {"\ud800": 1, "l": {"\udfff": [2]}}
    flat = tree.state_dict(state)
    assert flat == {"\ud800": 1, "l.\udfff[0]": 2}
    assert tree.from_state_dict(state, {"\ud800": 3, "l.\udfff[0]": 4}) == {"\ud800": 3, "l": {"\udfff": [4]}}


# -------------------------------------------------------------------------------------------------------------- dataclasses
@dataclasses.dataclass(frozen=True, slots=True)
class FrozenMoments:
    mu: typing.Any
    count: int = dataclasses.field(init=False, default=0)


@dataclasses.dataclass
class Scaled:
    a: int
    scale: dataclasses.InitVar[int]
    scaled: int = dataclasses.field(init=False)

    def __post_init__(self, scale):
        self.scaled = self.a * scale


@dataclasses.dataclass(init=False)
class OwnInit:
    a: int

    def __init__(self, path):
        self.a = len(path)


@dataclasses.dataclass
class Cached:
    a: int

    @functools.cached_property
    def double(self):
        return 2 * self.a


def test_frozen_slotted_with_a_field_that_init_does_not_take():
    template = FrozenMoments([1])
    out = tree.from_state_dict(template, {"mu[0]": 5, "count": 9})
    assert type(out) is FrozenMoments and (out.mu, out.count) == ([5], 9) and template.mu == [1] and template.count == 0


def test_an_init_var_without_default_does_not_stop_a_restore():
    out = tree.from_state_dict(Scaled(1, 2), tree.state_dict(Scaled(5, 3)))
    assert (out.a, out.scaled) == (5, 15)


def test_a_constructor_of_its_own_is_not_called():
    assert tree.from_state_dict(OwnInit("abc"), {"a": 8}).a == 8


def test_a_cached_property_of_the_template_does_not_survive():
    template = Cached(1)
    assert template.double == 2
    assert tree.from_state_dict(template, {"a": 10}).double == 20


def test_a_type_error_of_post_init_reaches_the_caller():
    @dataclasses.dataclass
    class Strict:
        a: int

        def __post_init__(self):
            if self.a > 1:
                raise TypeError("a is too large")

    with pytest.raises(TypeError, match="too large") as error:
        tree.from_state_dict({"s": Strict(1)}, {"s.a": 2})
    assert "'s'" in "".join(error.value.__notes__)


@pytest.mark.parametrize("call", [lambda: tree.register_serializer("x", len, len), lambda: tree.register_serializer(fresh_class(), 1, len),
                                  lambda: tree.lookup_serializer(3), lambda: tree.from_state_dict({}, [1]),
                                  lambda: tree.from_state_dict({}, {1: 2}), lambda: tree.from_state_dict({}, {}, copy=1)])
def test_wrong_arguments_are_named(call):
    with pytest.raises(InputTypeError):
        call()
