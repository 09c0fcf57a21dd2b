"""What a recipe is to its user, beyond what the documented suites ask."""

import copy
import json
import pickle
import threading

import pytest
import recipe_things

from perdure import RecipeError, RecipeTypeError
from perdure.recipe import BaseSpec, Policy, create_model_spec, create_model_spec_from_json

TS = "2026-01-01T00:00:00+00:00"


def recipe(path, **arguments):
    return {"cls_path": path, "timestamp": TS, **arguments}


def test_a_recipe_is_read_only_and_copies_are_itself():
    spec = create_model_spec(recipe_things.Plain, a=[1])
    for change in (lambda: setattr(spec, "a", 2), lambda: setattr(spec, "new", 2), lambda: delattr(spec, "a")):
        with pytest.raises(AttributeError):
            change()
    assert copy.copy(spec) == copy.deepcopy(spec) == pickle.loads(pickle.dumps(spec)) == spec
    assert hash(spec) == hash(create_model_spec_from_json(spec.model_dump()))


def test_dumps_are_fresh():
    spec = create_model_spec(recipe_things.Plain, a={"k": [1]})
    spec.model_dump()["a"]["k"].append(2)
    spec.a["k"].append(3)
    assert spec.a == {"k": [1]}


def test_path_and_timestamp_come_first_whatever_the_order_read():
    spec = create_model_spec_from_json({"a": 1, "timestamp": TS, "b": 2, "cls_path": "recipe_things.Plain"})
    assert list(spec.model_dump()) == ["cls_path", "timestamp", "a", "b"]


def test_equal_numbers_have_one_text():
    one = create_model_spec_from_json('{"cls_path":"recipe_things.Plain","timestamp":"t","a":1.50,"b":1E2}')
    assert one == create_model_spec_from_json(recipe("recipe_things.Plain", a=1.5, b=100.0) | {"timestamp": "t"})


@pytest.mark.parametrize("name", ["build", "model_dump", "model_dump_json", "cls_path", "timestamp", "_private", "__class__", "a b", ""])
def test_names_that_no_argument_can_have_are_refused(name):
    with pytest.raises(TypeError):
        create_model_spec(recipe_things.Noisy, **{name: 1})
    if name not in ("cls_path", "timestamp"):
        with pytest.raises(RecipeTypeError):
            create_model_spec_from_json(recipe("recipe_things.Noisy", **{name: 1}))


def test_an_argument_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no argument 'c'"):
        create_model_spec(recipe_things.Plain, a=1).c  # noqa: B018


def test_base_spec_keeps_the_timestamp_given_and_checks_the_path():
    spec = BaseSpec(cls_path="recipe_things.Plain", timestamp=TS, a=(1, 2))
    assert spec.timestamp == TS and spec.build().a == (1, 2) and spec == create_model_spec_from_json(spec.model_dump_json())
    with pytest.raises(RecipeError):
        BaseSpec(cls_path="fractions.Fractions", timestamp=TS)


def test_a_policy_holds_in_its_thread_only():
    seen = []
    with Policy(modules=["nowhere"]):
        thread = threading.Thread(target=lambda: seen.append(create_model_spec(recipe_things.Plain, a=1)))
        thread.start()
        thread.join()
        with pytest.raises(RecipeError):
            create_model_spec(recipe_things.Plain, a=1)
    assert len(seen) == 1


def test_many_threads_read_show_and_build_one_recipe():
    spec = create_model_spec_from_json(recipe("recipe_things.Plain", a=[recipe("recipe_things.Pair", left={"k": 1.5}), 2], b={"__bytes__": "aGk="}))
    text, start, seen = spec.model_dump_json(), threading.Barrier(8), []

    def use():
        start.wait()
        for _ in range(50):
            built = spec.build()
            seen.append((spec.model_dump_json(), repr(spec), spec.a[0].left, hash(spec), built.a[0].left, built.b, spec == create_model_spec_from_json(text)))

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [(text, repr(spec), {"k": 1.5}, hash(spec), {"k": 1.5}, b"hi", True)] * 400


def nested(depth):
    spec = recipe("recipe_things.Plain", a=1)
    for _ in range(depth):
        spec = recipe("recipe_things.Plain", a=spec)
    return spec


def test_deep_recipes_are_shown_dumped_and_built():
    spec = create_model_spec_from_json(nested(200))
    assert len(repr(spec)) < 300 and create_model_spec_from_json(json.dumps(spec.model_dump())) == spec
    built = spec.build()
    for _ in range(200):
        built = built.a
    assert built.a == 1


def test_recipes_too_deep_to_be_read_are_not_made():
    with pytest.raises(RecipeError, match="deep"):
        create_model_spec_from_json(nested(260))
    spec = create_model_spec_from_json(nested(255))
    with pytest.raises(RecipeError, match="deep"):
        create_model_spec(recipe_things.Plain, a=spec)


def test_an_error_of_an_inner_target_names_the_inner_recipe():
    spec = create_model_spec_from_json(recipe("recipe_things.Plain", a=recipe("recipe_things.Pair", nothing=1)))
    with pytest.raises(TypeError, match="recipe_things.Pair, a recipe of 2026"):
        spec.build()


def test_classes_of_private_modules_get_the_shortest_public_path():
    optax = pytest.importorskip("optax")
    assert create_model_spec(optax.adam, learning_rate=0.1).cls_path == "optax.adam"
