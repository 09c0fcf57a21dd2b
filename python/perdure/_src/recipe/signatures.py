"""Signatures, without running code of the target: no metaclass, descriptor or ``__getattr__`` is asked."""

from __future__ import annotations

import inspect
import types
import typing
from typing import Any

from perdure._src.recipe import resolve

_WRAPPED_MAX = 32


class Unreadable(Exception):
    """Nobody knows how the target is called."""


def parameters_of(target: Any) -> list[inspect.Parameter]:
    """Of a class, function or class method; annotations are evaluated where they are text. Raises Unreadable."""
    if isinstance(target, type):
        return _of_class(target)
    if isinstance(target, types.MethodType):
        return _of_function(target.__func__)[1:]
    if isinstance(target, types.FunctionType):
        return _of_function(target)
    return _of_builtin(target)


def _of_class(cls: type) -> list[inspect.Parameter]:
    declared = _raw(cls, "__signature__")
    if isinstance(declared, inspect.Signature):
        return list(declared.parameters.values())
    found = [_of_function(function)[1:] for function in _constructors(cls)]
    for parameters in found:
        if not _takes_anything(parameters):
            return parameters
    if found:
        return found[-1]
    if _raw(cls, "__init__") is object.__init__ and _raw(cls, "__new__") is object.__new__:
        return []
    if type(cls) is type or cls.__module__ == "builtins":
        return _of_builtin(cls)
    raise Unreadable(f"'{cls.__name__}' has no readable signature")


def _constructors(cls: type) -> list[types.FunctionType]:
    """What a call of the class runs, in the order in which inspect asks."""
    raws = [_raw(type(cls), "__call__"), *_in_order(cls)]
    functions = [raw.__func__ if isinstance(raw, staticmethod) else raw for raw in raws]
    return [function for function in functions if isinstance(function, types.FunctionType)]


def _in_order(cls: type) -> list[Any]:
    """__new__ and __init__, the one of the more derived class first."""
    order = {}
    for depth, base in enumerate(type.__dict__["__mro__"].__get__(cls)):
        members = type.__dict__["__dict__"].__get__(base)
        for name in ("__new__", "__init__"):
            if name in members and name not in order and base is not object:
                order[name] = (depth, members[name])
    return [raw for _, raw in sorted(order.values(), key=lambda entry: entry[0])]


def _raw(cls: type, name: str) -> Any:
    try:
        return resolve.class_dict_value(cls, name)
    except KeyError:
        return None


def _takes_anything(parameters: list[inspect.Parameter]) -> bool:
    return bool(parameters) and all(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def _of_function(function: types.FunctionType) -> list[inspect.Parameter]:
    for _ in range(_WRAPPED_MAX):
        wrapped = function.__dict__.get("__wrapped__")
        if not isinstance(wrapped, types.FunctionType):
            break
        function = wrapped
    declared = function.__dict__.get("__signature__")
    if declared is not None and not isinstance(declared, inspect.Signature):
        raise Unreadable(f"'{function.__qualname__}' has no readable signature")
    signature = declared or inspect.signature(function, follow_wrapped=False)
    return [_with_annotation(parameter, function) for parameter in signature.parameters.values()]


def _with_annotation(parameter: inspect.Parameter, function: types.FunctionType) -> inspect.Parameter:
    """Annotations that are text mean what they mean in the function's module; those that mean nothing there say nothing."""
    if not isinstance(parameter.annotation, (str, typing.ForwardRef)):
        return parameter
    carrier = types.new_class("Carrier", (), {}, lambda members: members.update(__annotations__={"it": parameter.annotation}))
    try:
        return parameter.replace(annotation=typing.get_type_hints(carrier, globalns=function.__globals__)["it"])
    except Exception:  # names that exist for type checkers only
        return parameter.replace(annotation=Any)


def _of_builtin(target: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(target).parameters.values())
    except (ValueError, TypeError):
        name = getattr(target, "__qualname__", type(target).__name__)
        raise Unreadable(f"'{name}' has no readable signature") from None
