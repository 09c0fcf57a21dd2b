"""Recipes of objects, proved: the object is built again from the recipe's text, and compared."""

from __future__ import annotations

import threading
from typing import Any

from perdure._src.recipe import frameworks, random_state, signatures
from perdure._src.recipe.description import Description, describe, differences
from perdure._src.recipe.faults import type_fault
from perdure._src.recipe.introspection import WAY_OUT, Introspected, introspect, own_spec
from perdure._src.recipe.spec import BaseSpec, create_model_spec_from_json
from perdure.errors import Error, RecipeTypeError

_REMEMBERED_MAX = 1024


def spec_of(obj: Any, /, **injected: Any) -> BaseSpec:
    """The recipe of an object that exists.

    It is what ``obj.checkpoint_spec()`` or ``obj.to_spec()`` gives, unless that is None; else each parameter of the constructor gets the
    attribute of its name, and objects among these become recipes too. The result is built and compared with ``obj``: class, arguments,
    keys, shapes and dtypes of the state; and if a parameter has no attribute of its name, the classes and plain attributes of all
    submodules. The random streams stay as they are, and what is equal to an object that has been proved is not built again.

    Args:
        obj: A module, an estimator, or any object that keeps its constructor's arguments. Wrappers of torch are looked through.
        injected: Arguments that the recipe shall not hold, since ``build`` will be given them.

    Raises:
        RecipeTypeError: No recipe leads to such an object; the message names the argument.
        RecipeError: A path that the policy refuses, or a value that does not fit.
    """
    return proved(obj, None, **injected)


def proved(obj: Any, known: BaseSpec | None, /, **injected: Any) -> BaseSpec:
    """The same for an object that a ``known`` recipe may have made; what it says of itself comes first."""
    obj = frameworks.unwrapped(obj)
    own = own_spec(obj) or known
    found = introspect(obj, injected) if own is None else Introspected(own, ())
    expected = describe(obj, found.spec, bool(found.missing))
    if not _is_proved(expected):
        _prove(obj, found, own is not None, injected, expected)
        _remember(expected)
    return found.spec


_proved: set[Description] = set()
_lock = threading.Lock()


def _is_proved(description: Description) -> bool:
    with _lock:
        return description in _proved


def _remember(description: Description) -> None:
    with _lock:
        if len(_proved) >= _REMEMBERED_MAX:
            _proved.clear()
        _proved.add(description)


def _prove(obj: Any, found: Introspected, is_own: bool, injected: dict[str, Any], expected: Description) -> None:
    text = found.spec.model_dump_json()
    fault: RecipeTypeError | None = None
    for place in frameworks.building_places(obj):
        try:
            with random_state.unchanged():
                with place:
                    rebuilt = create_model_spec_from_json(text).build(**injected)
                again = found if is_own else introspect(rebuilt, injected)
                fault = _fault(expected, describe(rebuilt, again.spec, bool(found.missing)), found.missing)
        except Exception as error:  # whatever a constructor raises
            why = error.message.removesuffix(" (at $)") if isinstance(error, Error) else f"{type(error).__name__}: {error}"
            fault = type_fault("$", f"{type(obj).__name__} cannot be rebuilt: {why}", error)
        if fault is None:
            return
    raise fault


def _fault(expected: Description, found: Description, missing: tuple[str, ...]) -> RecipeTypeError | None:
    if expected == found:
        return None
    if expected.cls is not found.cls:
        return type_fault("$", f"the recipe of a {expected.cls.__name__} builds a {found.cls.__name__}")
    for what, was, now in zip(("argument", "state", "attribute"), expected[1:], found[1:], strict=True):
        if different := differences(was, now):
            name, original, rebuilt = different[0]
            values = f"{original or 'missing'}, but {rebuilt or 'missing'} when it is rebuilt"
            why = _SHARED if original and " shared with " in original else _MOVED if what == "argument" else _suspects(expected.cls, missing)
            return type_fault("$", f"{what} '{name}' of the {expected.cls.__name__} is {values}; {why}")
    return None


_SHARED = "what two arguments share would be built twice: give the class a checkpoint_spec()"
_MOVED = "an attribute of an argument's name has to keep what was given; or inject the argument"


def _suspects(cls: type, missing: tuple[str, ...]) -> str:
    """What may have made the difference, and the way out."""
    if suspects := [name for name in missing if name.rpartition(".")[2] not in ("device", "dtype")]:
        return f"no attribute has the name of argument {', '.join(map(repr, suspects))}: {WAY_OUT}"
    has_more = any(parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) for parameter in signatures.parameters_of(cls))
    lost = "what it was given as *args or **kwargs is in no recipe" if has_more else "no argument that it keeps says so"
    return f"{lost}: give the class a checkpoint_spec()"
