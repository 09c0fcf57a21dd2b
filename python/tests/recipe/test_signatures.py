"""How targets may be called: found without running code of theirs."""

import pytest
import recipe_signatures as S

from perdure import RecipeError
from perdure.recipe import create_model_spec, create_model_spec_from_json


def built(target, **arguments):
    return create_model_spec_from_json(create_model_spec(target, **arguments).model_dump_json()).build()


@pytest.mark.parametrize("target", [S.Registered, S.ByNew, S.NewPassesOn, S.Config, S.Decorated, S.Declared, S.Asked])
def test_the_parameter_is_found_and_others_are_refused(target):
    assert built(target, size=3).size == 3
    with pytest.raises(TypeError, match="no argument 'nothing'"):
        create_model_spec(target, nothing=1)


def test_no_descriptor_is_asked_for_a_signature():
    S.Asked.CALLS.clear()
    create_model_spec_from_json(create_model_spec(S.Asked, size=2).model_dump())
    assert S.Asked.CALLS == []


def test_the_constructor_of_the_more_derived_class_counts():
    assert built(S.Derived, width=4).width == 4
    with pytest.raises(TypeError):
        create_model_spec(S.Derived, size=4)


def test_classes_without_a_constructor_take_nothing():
    assert type(built(S.Marker)) is S.Marker
    with pytest.raises(TypeError, match="no argument"):
        create_model_spec(S.Marker, x=1)


def test_named_tuples_and_decorated_functions_are_targets():
    assert built(S.Point, x=1, y=2) == S.Point(1, 2)
    assert built(S.decorated, size=7) == 7


FITS = [("size", 2), ("maybe", None), ("maybe", 3), ("mode", S.Mode.FAST), ("exact", 2.5), ("exact", 2), ("pairs", {"a": (1, 2)}), ("either", "x"),
        ("either", 1), ("choice", "c"), ("unknown", [1]), ("free", {}), ("odd", "auto"), ("odd", 3), ("kind", int), ("kind", S.Point)]
FITS_NOT = [("size", "2"), ("size", 2.0), ("maybe", "x"), ("mode", "fast"), ("exact", "2"), ("pairs", {"a": [1]}), ("pairs", {1: (1,)}),
            ("either", 1.5), ("odd", "other"), ("kind", 3), ("size", None)]


@pytest.mark.parametrize(("name", "value"), FITS, ids=str)
def test_a_value_that_fits_its_annotation_comes_back(name, value):
    got = getattr(built(S.Annotated, **{name: value}), name)
    assert got == value and type(got) is type(value)


@pytest.mark.parametrize(("name", "value"), FITS_NOT, ids=str)
def test_a_value_that_does_not_fit_is_refused_and_named(name, value):
    with pytest.raises(RecipeError, match=name):
        create_model_spec(S.Annotated, **{name: value})


def test_an_annotated_enum_is_written_as_its_value():
    assert create_model_spec(S.Annotated, mode=S.Mode.FAST).model_dump()["mode"] == "fast"
    with pytest.raises(RecipeError, match="no member"):
        create_model_spec_from_json({"cls_path": "recipe_signatures.Annotated", "timestamp": "t", "mode": "slow"})
