"""Innocent names that lead to what is refused, and paths that take odd ways: nothing runs, at the latest build() refuses."""

import pathlib
import sys

import pytest
import recipe_things

from perdure import RecipeError
from perdure.recipe import create_model_spec, create_model_spec_from_json

TS = "2026-01-01T00:00:00+00:00"


def recipe(path, **arguments):
    return {"cls_path": path, "timestamp": TS, **arguments}


@pytest.fixture(autouse=True)
def no_calls():
    recipe_things.CALLS.clear()


REFUSED = ["rename", "Runs", "ViaNew", "ViaMetaclass", "Methods.hidden", "wrapped", "wrapped_twice", "subprocess.Popen", "os.system", "os.path.join"]


@pytest.mark.parametrize("name", REFUSED)
def test_another_name_for_what_is_refused_is_refused(name, tmp_path):
    mark = tmp_path / "ran"
    for arguments in ({"command": f"touch '{mark}'"}, {"args": ["touch", str(mark)]}, {}):
        with pytest.raises(RecipeError):
            create_model_spec_from_json(recipe(f"recipe_things.{name}", **arguments))
    assert not mark.exists()


@pytest.mark.parametrize("name", ["Meta", "part", "instance", "bound", "Methods.method", "Methods.alias", "Methods.bound", "CALLS", "instance.a", "bound.x"])
def test_what_is_no_class_and_no_function_is_refused(name):
    with pytest.raises(RecipeError):
        create_model_spec_from_json(recipe(f"recipe_things.{name}"))


def test_a_name_that_a_module_makes_up_is_refused_when_it_is_built():
    spec = create_model_spec_from_json(recipe("recipe_things.lazy_system", command="true"))
    with pytest.raises(RecipeError, match="processes"):
        spec.build()
    with pytest.raises(RecipeError, match="leads to nothing"):
        create_model_spec_from_json(recipe("recipe_things.nothing")).build()


def test_a_package_that_loads_its_parts_late_can_be_built():
    spec = create_model_spec_from_json(recipe("recipe_things.Lazy", a=1))
    assert recipe_things.CALLS == []
    assert spec.build().a == 1 and recipe_things.CALLS == ["module"]


@pytest.mark.parametrize("name", ["Noisy", "noisy"])
def test_reading_and_showing_call_nothing(name):
    inner = recipe(f"recipe_things.{name}", x=1)
    spec = create_model_spec_from_json(recipe("recipe_things.Plain", a=inner, b=[inner, {"__spec__": inner}]))
    repr(spec), spec.model_dump(), spec.model_dump_json(), hash(spec), spec == spec, spec.a, spec.b, dir(spec)
    assert recipe_things.CALLS == []


VALUES = {
    "dataclass": {"__dataclass__": {"class": "recipe_things.Watched", "fields": [["x", 1]]}},
    "enum": {"__enum__": {"class": "recipe_things.Seen", "value": 1}},
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_are_not_made_before_build(kind):
    spec = create_model_spec_from_json(recipe("recipe_things.Plain", a=VALUES[kind]))
    repr(spec), spec.a, spec.model_dump()
    assert recipe_things.CALLS == []
    spec.build()


def test_an_enum_is_not_asked_for_values_that_it_does_not_have():
    with pytest.raises(RecipeError, match="no member"):
        create_model_spec_from_json(recipe("recipe_things.Plain", a={"__enum__": {"class": "recipe_things.Seen", "value": 7}}))
    with pytest.raises(RecipeError, match="no member"):
        create_model_spec_from_json(recipe("recipe_things.Plain", a={"__enum__": {"class": "recipe_things.Seen", "name": "__init__"}}))
    assert recipe_things.CALLS == []


@pytest.mark.parametrize("tag", [
    {"__enum__": {"class": "recipe_things.Plain", "name": "x"}},
    {"__enum__": {"class": "recipe_things.Seen", "name": ""}},
    {"__enum__": {"class": "recipe_unloaded.X", "name": ""}},
    {"__dataclass__": {"class": "recipe_things.Plain", "fields": []}},
    {"__dataclass__": {"class": "recipe_things.Pair", "fields": [["middle", 1]]}},
    {"__type__": "recipe_things.noisy"},
    {"__type__": "recipe_things.Runs"},
    {"__object__": {"class": "os.system", "value": "true"}},
], ids=str)
def test_a_class_in_a_value_is_what_its_tag_says(tag):
    with pytest.raises(RecipeError):
        create_model_spec_from_json(recipe("recipe_things.Plain", a=[tag]))


def test_nothing_is_imported_before_build(unloaded_module):
    spec = create_model_spec_from_json(recipe("recipe_unloaded.X", a={"__type__": "recipe_unloaded.X"}))
    outer = create_model_spec_from_json(recipe("recipe_things.Plain", a=spec.model_dump(), b={"__enum__": {"class": "recipe_unloaded.Y", "name": "Z"}}))
    repr(outer), outer.model_dump(), outer.a, outer.b, spec.a, spec.model_dump_json()
    assert not unloaded_module.exists() and "recipe_unloaded" not in sys.modules
    built = spec.build()
    assert unloaded_module.exists() and built.a is type(built)


def test_a_failing_import_is_a_recipe_error_at_build(tmp_path, monkeypatch):
    (tmp_path / "recipe_broken.py").write_text("import no_such_module_of_anybody\n")
    monkeypatch.syspath_prepend(tmp_path)
    spec = create_model_spec_from_json(recipe("recipe_broken.X"))
    with pytest.raises(RecipeError, match="no_such_module_of_anybody") as error:
        spec.build()
    assert isinstance(error.value.__cause__, ImportError)


def test_finders_of_others_that_fail_do_not_matter(monkeypatch):
    class Broken:
        def find_spec(self, name, path=None, target=None):
            raise RuntimeError(name)

    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    with pytest.raises(RecipeError, match="no module named 'no_such_module_anywhere'"):
        create_model_spec_from_json(recipe("no_such_module_anywhere.X"))


def test_static_and_class_methods_are_targets():
    for target, built in ((recipe_things.Methods.static, 5), (recipe_things.Methods.make, ("Methods", 5))):
        spec = create_model_spec(target, a=5)
        assert create_model_spec_from_json(spec.model_dump_json()).build().a == built


def test_what_may_not_be_read_is_not_written():
    for target in (recipe_things.rename, recipe_things.Runs, recipe_things.ViaNew, recipe_things.ViaMetaclass, recipe_things.wrapped, recipe_things.Methods().method, recipe_things.part):
        with pytest.raises((TypeError, ValueError)):
            create_model_spec(target)
    for value in (recipe_things.Runs, pathlib.Path, recipe_things.noisy):
        with pytest.raises((TypeError, ValueError), match="a"):
            create_model_spec(recipe_things.Plain, a=value)
