"""Objects to recipes: what they say of themselves, else their constructor's parameters, each from the attribute of its name.

The result of the second is a guess; verification.py proves it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import types
import typing
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from perdure._src.recipe import frameworks, makers, objects, signatures
from perdure._src.recipe.faults import relocated, type_fault
from perdure._src.recipe.policy import current_policy
from perdure._src.recipe.spec import BaseSpec, create_model_spec
from perdure._src.recipe.static import PLAIN_TYPES
from perdure.errors import RecipeError, RecipeTypeError

_NESTED_MAX = 50
_ITEMS_MAX = 1 << 20  # of an array in a recipe: what is larger is a weight
_ABSENT = object()
_AS_THEY_ARE = (*PLAIN_TYPES, list, tuple, dict)
_NO_PARTS = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, functools.partial)
WAY_OUT = "keep it there, or give the class a checkpoint_spec()"


class Introspected(NamedTuple):
    """``missing``: parameters without an attribute of their name, as ``body.cutoff``. If the guess is right, they had their defaults."""

    spec: BaseSpec
    missing: tuple[str, ...]


def own_spec(obj: Any) -> BaseSpec | None:
    """What ``checkpoint_spec()``, else ``to_spec()`` gives; None without either, or where it declines."""
    for name in ("checkpoint_spec", "to_spec"):
        method = None if isinstance(obj, type) else getattr(obj, name, None)
        spec = method() if callable(method) else None
        if spec is not None and not isinstance(spec, BaseSpec):
            raise RecipeTypeError(f"{name}() of {type(obj).__name__} gave a '{type(spec).__name__}': it has to give a recipe or None")
        if spec is not None:
            return spec
    return None


def introspect(obj: Any, injected: Collection[str] = (), where: str = "$") -> Introspected:
    """A recipe of ``obj`` without the ``injected`` parameters. Raises RecipeTypeError or RecipeError that names the argument."""
    cls = type(obj)
    arguments: dict[str, Any] = {}
    missing: list[str] = []
    if (parts := frameworks.named_parts(obj)) is not None:
        return _of_parts(parts, missing, where)
    for parameter in _named_parameters(cls, where):
        if parameter.name in injected:
            continue
        value, inner = _attribute(obj, parameter.name), f"{where}.{parameter.name}"
        if value is _ABSENT and parameter.default is parameter.empty:
            what = f"argument '{parameter.name}' of {cls.__name__} is kept under no attribute of its name"
            raise type_fault(where, f"{what}: {WAY_OUT}")
        if value is _ABSENT:
            missing.append(inner.removeprefix("$."))
            value = frameworks.inferred(obj, parameter.name, _ABSENT)
        if value is not _ABSENT and not (value is parameter.default and callable(value)):  # the target knows its functions itself
            arguments[parameter.name] = _argument(value, parameter, missing, inner)
    try:
        return Introspected(create_model_spec(cls, **arguments), tuple(missing))
    except RecipeError as error:
        raise relocated(error, where) from error.__cause__


def _of_parts(parts: dict[str, Any], missing: list[str], where: str) -> Introspected:
    arguments: dict[str, Any] = {"modules": _argument(list(parts.values()), None, missing, f"{where}.modules")}
    if list(parts) != [str(index) for index in range(len(parts))]:
        arguments["names"] = list(parts)
    return Introspected(create_model_spec(makers.sequential, **arguments), tuple(missing))


def _named_parameters(cls: type, where: str) -> list[inspect.Parameter]:
    try:
        parameters = signatures.parameters_of(cls)
    except signatures.Unreadable as error:
        raise type_fault(where, f"{cls.__name__}: {error}", error) from None
    for parameter in parameters:
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise type_fault(where, f"argument '{parameter.name}' of {cls.__name__} is positional-only: a recipe calls by names")
    named = _without_open(parameters)
    takes_any_name = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    return _of_overloads(cls) if not named and takes_any_name else named


def _without_open(parameters: Iterable[inspect.Parameter]) -> list[inspect.Parameter]:
    return [parameter for parameter in parameters if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)]


def _of_overloads(cls: type) -> list[inspect.Parameter]:
    """What a constructor that takes anything says for type checkers (``torch.nn.LSTM``)."""
    for overload in typing.get_overloads(cls.__init__):
        if named := _without_open(list(inspect.signature(overload).parameters.values())[1:]):
            return named
    return []


def _attribute(obj: Any, name: str) -> Any:
    """Of the instance, or a property. What every instance of the class shares says nothing about this one."""
    shared = inspect.getattr_static(type(obj), name, _ABSENT)
    if shared is _ABSENT or name in getattr(obj, "__dict__", ()) or inspect.isdatadescriptor(shared):
        with contextlib.suppress(Exception):  # a property that cannot give anything keeps nothing
            return getattr(obj, name)
    return frameworks.setting(obj, name, _ABSENT)


def _argument(value: Any, parameter: inspect.Parameter | None, missing: list[str], where: str) -> Any:
    is_switch = parameter is not None and (parameter.annotation is bool or type(parameter.default) is bool)
    if is_switch and (value is None or frameworks.is_parameter(value)):
        return value is not None  # bias=True leaves a parameter called bias
    if type(value) in (list, tuple):
        return type(value)(_item(item, missing, f"{where}[{index}]") for index, item in enumerate(value))
    return _item(value, missing, where)


def _item(value: Any, missing: list[str], where: str) -> Any:
    if isinstance(value, BaseSpec) or type(value) in _AS_THEY_ARE:
        return value
    if (spec := own_spec(value)) is not None:
        return spec
    try:
        kind = objects.describe(value, current_policy(), where)[0]
    except RecipeError:
        if not isinstance(value, _NO_PARTS) and (hasattr(value, "__dict__") or hasattr(type(value), "__slots__")):
            return _nested(value, missing, where)
        raise
    if kind == "array" and math.prod(value.shape) > _ITEMS_MAX:
        raise type_fault(where, f"an array of {math.prod(value.shape)} items is too large for a recipe")
    return value


def _nested(value: Any, missing: list[str], where: str) -> BaseSpec:
    if where.count(".") > _NESTED_MAX:
        raise type_fault(where, f"objects are nested deeper than {_NESTED_MAX}")
    found = introspect(value, (), where)
    if found.missing and not frameworks.is_module(value):  # of modules, verification compares what they became
        raise type_fault(where, f"argument '{found.missing[0]}' is kept under no attribute of its name: {WAY_OUT}")
    missing.extend(found.missing)
    return found.spec
