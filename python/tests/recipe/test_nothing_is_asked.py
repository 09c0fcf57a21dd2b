"""Reading, showing and refusing a recipe ask no class, object, module or annotation of the program: whatever could answer notes it."""

import pytest
import recipe_spies as S

import perdure
from perdure import RecipeError
from perdure.recipe import create_model_spec, create_model_spec_from_json

TS = "2026-01-01T00:00:00+00:00"
READ = """Spied SpiedDict SpiedRecord SpiedEnum OddQualname OddSignature odd_partial annotated_call annotated_walrus annotated_item annotated_spies
annotated_objects with_defaults""".split()
REFUSED = """Placeless PlacelessList OddModule odd_function disguised watched Holder.disguised Holder.watched DescriptorInit DescriptorNew
DescriptorSignature PartialInit PartialNew odd_signature SpyMeta.__call__ Spied.a""".split()


def read(path, **arguments):
    S.ASKED.clear()
    try:
        spec = create_model_spec_from_json({"cls_path": path, "timestamp": TS, **arguments})
        repr(spec), spec.model_dump(), spec.model_dump_json(), hash(spec), spec == spec, [getattr(spec, name) for name in arguments]
        return spec
    finally:
        assert S.ASKED == []


@pytest.mark.parametrize("name", READ)
def test_target_is_read_without_being_asked(name):
    read(f"recipe_spies.{name}")


@pytest.mark.parametrize("name", REFUSED)
def test_target_is_refused_without_being_asked(name):
    with pytest.raises(RecipeError):
        read(f"recipe_spies.{name}")


@pytest.mark.parametrize("path", ["recipe_spies_lazy.X", "recipe_spies_object.X", "recipe_spies_lazy.X.Y"])
def test_object_in_the_place_of_a_module_is_not_asked(path):
    with pytest.raises(RecipeError):
        read(path)


VALUES = {
    "class": {"__type__": "recipe_spies.Spied"},
    "class of C": {"__type__": "recipe_spies.SpiedDict"},
    "class of enum": {"__type__": "recipe_spies.SpiedEnum"},
    "class with an odd name": {"__type__": "recipe_spies.OddQualname"},
    "dataclass": {"__dataclass__": {"class": "recipe_spies.SpiedRecord", "fields": [["x", 1]]}},
    "enum by name": {"__enum__": {"class": "recipe_spies.SpiedEnum", "name": "A"}},
    "enum by value": {"__enum__": {"class": "recipe_spies.SpiedEnum", "value": 1}},
}
VALUES_REFUSED = {
    "class without a place": {"__type__": "recipe_spies.Placeless"},
    "class of an odd module": {"__type__": "recipe_spies.OddModule"},
    "object that says it is a class": {"__type__": "recipe_spies.disguised"},
    "no dataclass": {"__dataclass__": {"class": "recipe_spies.Spied", "fields": [["x", 1]]}},
    "unknown field": {"__dataclass__": {"class": "recipe_spies.SpiedRecord", "fields": [["y", 1]]}},
    "no enum": {"__enum__": {"class": "recipe_spies.Spied", "name": "A"}},
    "unknown member": {"__enum__": {"class": "recipe_spies.SpiedEnum", "value": 2}},
    "array as the value of a member": {
        "__enum__": {"class": "recipe_spies.Arrays", "value": {"__array__": {"dtype": "int64", "shape": [3], "data": [0, 1, 2], "origin": "numpy"}}}
    },
}


@pytest.mark.parametrize("name", VALUES)
def test_value_is_read_and_shown_without_being_asked(name):
    read("recipe_spies.Plain", a=[{"k": VALUES[name]}])


@pytest.mark.parametrize("name", VALUES_REFUSED)
def test_value_is_refused_without_being_asked(name):
    with pytest.raises(RecipeError) as refused:
        read("recipe_spies.Plain", a=[{"k": VALUES_REFUSED[name]}])
    assert refused.value.json_path.startswith("$.a[0].k")


@pytest.mark.parametrize("value", [64, -(2**70), 10**4000], ids=["bit", "negative", "huge"])
@pytest.mark.parametrize("name", ["Bits", "Ejected"])
def test_flags_that_no_member_has_are_a_recipe_error_at_build(name, value):
    spec = read("recipe_spies.Plain", a={"__enum__": {"class": f"recipe_spies.{name}", "value": value}})
    with pytest.raises(RecipeError, match="no member"):
        spec.build()


def test_object_that_says_it_is_a_recipe_is_refused():
    class Fake:
        _is_recipe_spec = True
        _spec = 1

    with pytest.raises(perdure.RecipeTypeError, match="cannot hold a 'Fake'"):
        create_model_spec(S.Plain, a=Fake())
