"""Payloads that ask for more than they are: each is an error of ours, soon, and nothing large is made first."""

import collections
import json
import subprocess
import sys
import time

import pytest
import recipe_things

from perdure import RecipeError
from perdure.recipe import Policy, create_model_spec, create_model_spec_from_json

TS = "2026-01-01T00:00:00+00:00"


def recipe(**arguments):
    return {"cls_path": "recipe_things.Plain", "timestamp": TS, **arguments}


ORIGINS = ["", "os", "torch|load", "torch|nn", "torchx", "torch.Parameter:other", "torch.load", "jax.key:", "jax.key:a.b", "jax.key:\ud800", "numpy.load",
           "numpy|float32", "pickle", "torch|\ud800", "scalar"]


@pytest.mark.parametrize("origin", ORIGINS, ids=ascii)
def test_an_array_says_what_it_was_in_known_words_only(origin):
    payload = {"__array__": {"dtype": "int8", "shape": [1], "data": [1], "origin": origin}}
    with pytest.raises(RecipeError, match="no package has arrays"):
        create_model_spec_from_json(recipe(a=payload))


@pytest.mark.parametrize(("origin", "dtype", "shape"), [("torch|float32", "int8", [3]), ("jax.key:nothing", "uint32", [2]), ("torch", "int4", [1]),
                                                        ("jax.key:threefry2x32", "float32", [2]), ("torch|complex32", "int8", [1])])
def test_an_array_that_its_package_refuses_is_an_error_of_the_recipe(origin, dtype, shape):
    pytest.importorskip("torch")
    pytest.importorskip("jax")
    payload = {"__array__": {"dtype": dtype, "shape": shape, "data": [1] * shape[0], "origin": origin}}
    with pytest.raises(RecipeError) as error:
        create_model_spec_from_json(recipe(a=payload)).build()
    assert error.value.json_path.startswith("$.a")


SHAPES = ["[4294967296, 4294967296]", "[9223372036854775808]", "[18446744073709551616]", "[-1]", "[1.0]", "[true]", '["1"]', "[null]", "1", "{}",
          "[0, 9223372036854775807]", str([1] * 65), "[1000000000000]"]


@pytest.mark.parametrize("shape", SHAPES, ids=range(len(SHAPES)))
@pytest.mark.parametrize("data", ["[]", '{"__bytes__": ""}', "[1]"])
def test_a_shape_is_a_claim(shape, data):
    text = json.dumps(recipe(a=0)).replace('"a": 0', f'"a": {{"__tensor__": {{"dtype": "torch.int64", "shape": {shape}, "data": {data}}}}}')
    if json.loads(shape) == [0, 9223372036854775807] or data != "[1]" or json.loads(shape) != [1] * 65:
        with pytest.raises(RecipeError) as error:
            create_model_spec_from_json(text)
        assert error.value.json_path.startswith("$.a.__tensor__.")


DEEP = {
    "lists": "[" * 1_000_000,
    "closed_lists": "[" * 300 + "]" * 300,
    "objects": '{"a":' * 1_000_000,
    "tuples": '{"__tuple__":[' * 200_000,
    "specs": ('{"cls_path":"recipe_things.Plain","timestamp":"t","a":' * 300) + "1" + "}" * 300,
    "dicts": '{"__dict__":[[{"__tuple__":[' * 100_000,
    "numbers": "[" + "1," * 3_000_000 + "1]",
    "text": '"' + "x" * (17 << 20) + '"',
    "digits": "9" * 200_000,
    "exponent": "1e999999999999",
}


@pytest.mark.parametrize("name", DEEP)
def test_sizes_are_bounded(name):
    with pytest.raises(RecipeError):
        create_model_spec_from_json('{"cls_path":"recipe_things.Plain","timestamp":"t","a":' + DEEP[name] + "}")


def test_many_arguments_and_long_keys_take_no_longer_than_their_size():
    started = time.monotonic()
    many = {f"a{i}": i for i in range(100_000)}
    spec = create_model_spec_from_json({"cls_path": "recipe_things.Noisy", "timestamp": TS, **many})
    assert spec.model_dump()["a99999"] == 99999
    long_path = [0] * 200_000
    for _ in range(200):
        long_path = {"k" * 110: long_path}
    create_model_spec_from_json(recipe(a=long_path))
    assert time.monotonic() - started < 60


@pytest.mark.parametrize("number", [10**100_001, -(10**200_000)], ids=["positive", "negative"])
def test_integers_beyond_the_limit_are_refused(number):
    with pytest.raises(RecipeError):
        create_model_spec_from_json(recipe(a=[number]))
    with pytest.raises(RecipeError):
        create_model_spec(recipe_things.Plain, a=number)


NO_JSON = [(1,), {1}, b"x", {1: 2}, {None: 1}, float("nan"), float("inf"), object(), 1j, collections.UserDict(), [[], [{"k": (1,)}]]]


@pytest.mark.parametrize("value", NO_JSON, ids=lambda v: type(v).__name__)
def test_a_dict_that_is_no_json_is_refused(value):
    with pytest.raises(RecipeError) as error:
        create_model_spec_from_json(recipe(a=value))
    assert error.value.json_path.startswith("$.a")


def test_text_that_is_no_text_is_refused_or_kept():
    class Text(str):
        pass

    source = json.dumps(recipe(a="\ud800"))
    assert create_model_spec_from_json(Text(source)).build().a == "\ud800"
    for wrong in ("\ud800", "{}\udfff", source.encode().decode("latin-1") + "\x00"):
        with pytest.raises(RecipeError):
            create_model_spec_from_json(wrong)
    spec = create_model_spec_from_json({"cls_path": "recipe_things.Plain", "timestamp": "\ud800", "a": 1, "b": "\udc00"})
    assert spec.timestamp == "\ud800" and spec.build().b == "\udc00"
    with pytest.raises(TypeError):
        create_model_spec_from_json({"cls_path": "recipe_things.Plain", "timestamp": "\ud800", "c": 1}).build()
    for path in ("\ud800.b", "a.\ud800"):
        with pytest.raises(RecipeError):
            create_model_spec_from_json({"cls_path": path, "timestamp": TS})


@pytest.mark.parametrize("source", [None, 5, [], b"{}", object(), "null", "[]", "5"], ids=["none", "number", "list", "bytes", "object", "json_null", "json_list", "json_number"])
def test_what_is_no_recipe_at_all_is_refused(source):
    with pytest.raises(RecipeError):
        create_model_spec_from_json(source)


def test_a_policy_is_a_policy():
    with pytest.raises(TypeError, match="not a perdure.recipe.Policy"):
        create_model_spec_from_json(recipe(), policy={"modules": []})


def test_showing_a_tensor_imports_no_framework():
    body = {"cls_path": "fractions.Fraction", "timestamp": TS, "numerator": {"__tensor__": {"dtype": "torch.int8", "shape": [1], "data": [1]}},
            "denominator": [{"__dtype__": "torch.int8"}, {"__dtype__": "jax.numpy.int8"}, {"__device__": "cuda"},
                            {"__array__": {"dtype": "int8", "shape": [], "data": 1, "origin": "jax"}}]}
    program = f"""
import sys
from perdure.recipe import Policy, create_model_spec_from_json
spec = create_model_spec_from_json({body!r})
repr(spec), spec.numerator, spec.denominator
assert not {{"torch", "jax"}} & set(sys.modules)
try:
    create_model_spec_from_json({body!r}, policy=Policy(modules=["fractions"])).build()
except Exception as error:
    assert "not in the allowed modules" in str(error), error
assert not {{"torch", "jax"}} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert Policy(modules=["fractions"]).modules == ("fractions",)
