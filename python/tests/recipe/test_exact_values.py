"""Values that come back as they went in, or are refused when the recipe is made."""

import dataclasses
import json

import numpy as np
import pytest
import recipe_things

from perdure import RecipeError
from perdure._src.recipe import objects
from perdure.recipe import create_model_spec, create_model_spec_from_json

TS = "2026-01-01T00:00:00+00:00"


def back(value):
    spec = create_model_spec(recipe_things.Plain, a=value)
    again = create_model_spec_from_json(spec.model_dump_json())
    assert again == spec and again.model_dump_json() == spec.model_dump_json()
    return again.build().a


def test_a_dataclass_that_its_constructor_would_change_is_refused():
    with pytest.raises(TypeError, match="changes 'x'"):
        create_model_spec(recipe_things.Plain, a=recipe_things.Doubled(1))
    with pytest.raises(TypeError, match="cannot be built from its fields"):
        create_model_spec(recipe_things.Plain, a=recipe_things.NeedsMore(1, 2))
    pair = recipe_things.Pair(1)
    pair.extra = 3
    with pytest.raises(TypeError, match="'extra', which is no field"):
        create_model_spec(recipe_things.Plain, a=pair)


def test_dataclasses_in_dataclasses_take_no_longer_for_each_level():
    value = recipe_things.Pair(1)
    for _ in range(40):
        value = recipe_things.Pair(value, [1])
    assert back(value) == value


def test_flags_come_back_alone_and_combined():
    for value in (recipe_things.Bits.A, recipe_things.Bits.A | recipe_things.Bits.B, recipe_things.Bits(0)):
        assert back(value) is value


@pytest.mark.parametrize("value", [np.array([1], ">i4"), np.dtype(">f8"), np.array(["a"]), np.array([1], "M8[s]"), np.ma.array([1]),
                                   np.dtype([("a", "i4")]), np.rec.array([(1,)])], ids=lambda v: str(getattr(v, "dtype", v)))
def test_arrays_and_dtypes_that_would_come_back_as_others_are_refused(value):
    with pytest.raises(TypeError, match=r"\$\.a"):
        create_model_spec(recipe_things.Plain, a=value)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "int4", "float16", "uint64", "complex64", "bool"])
def test_arrays_of_every_kind_of_dtype(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([0, 1, 1], getattr(ml_dtypes, dtype, dtype))
    got = back(array)
    assert got.dtype == array.dtype and got.tobytes() == array.tobytes()
    assert back(array.dtype) == array.dtype


@pytest.mark.parametrize("value", [{1}, range(3), ..., NotImplemented, print, len, json, lambda: 1, object(), memoryview(b"a"), 1 .bit_length],
                         ids=lambda v: type(v).__name__)
def test_what_has_no_written_form_is_refused_with_its_place(value):
    with pytest.raises(TypeError, match=r"\$\.a\[0\]\.k"):
        create_model_spec(recipe_things.Plain, a=[{"k": value}])


def test_a_kind_that_the_engine_does_not_know_is_named(monkeypatch):
    monkeypatch.setattr(objects, "_DESCRIBERS", (lambda value, policy, where: ("novelty", "recipe_things.Pair", []),))
    with pytest.raises(TypeError, match=r"'novelty' .at \$\.a"):
        create_model_spec(recipe_things.Plain, a=object())


def test_keys_that_are_equal_in_python_are_refused():
    body = {"cls_path": "recipe_things.Plain", "timestamp": TS, "a": {"__dict__": [[1, "x"], [True, "y"]]}}
    with pytest.raises(RecipeError, match="two equal keys"):
        create_model_spec_from_json(body).build()


def test_one_list_many_times_is_bounded():
    value = [0] * 100
    for _ in range(5):
        value = [value] * 100
    with pytest.raises(RecipeError, match="too many parts"):
        create_model_spec(recipe_things.Plain, a=value)


def test_a_member_whose_value_is_too_large_is_bounded(monkeypatch):
    value = [0] * 100
    for _ in range(5):
        value = [value] * 100
    monkeypatch.setattr(recipe_things.Seen.ONE, "_value_", value)
    with pytest.raises(RecipeError, match="too many parts"):
        create_model_spec(recipe_things.Plain, a=recipe_things.Seen.ONE)


def test_a_member_with_a_name_needs_no_value_that_a_recipe_can_hold(monkeypatch):
    monkeypatch.setattr(recipe_things.Seen.ONE, "_value_", object())
    assert back(recipe_things.Seen.ONE) is recipe_things.Seen.ONE


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, MemoryError])
def test_an_interruption_while_a_value_is_described_is_no_refusal(monkeypatch, interruption):
    def interrupted(value, policy, where):
        if type(value) is object:
            raise interruption

    monkeypatch.setattr(recipe_things.Seen.ONE, "_value_", object())
    monkeypatch.setattr(objects, "_DESCRIBERS", (interrupted, *objects._DESCRIBERS))
    with pytest.raises(interruption):
        create_model_spec(recipe_things.Plain, a=recipe_things.Seen.ONE)


def test_every_dataclass_field_may_hold_what_an_argument_may():
    @dataclasses.dataclass
    class Local:
        x: int = 1

    with pytest.raises(TypeError, match="inside a function"):
        create_model_spec(recipe_things.Plain, a=Local())
    pair = recipe_things.Pair({1: (2,)}, [b"x", float("inf"), recipe_things.Seen.ONE])
    assert back(pair) == pair
