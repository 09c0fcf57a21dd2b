"""Signatures, without running code of the target: no metaclass, descriptor or ``__getattr__`` is asked."""

from __future__ import annotations

import inspect
import types
import typing
from typing import Any

from perdure._src.recipe import annotation_text, static

_WRAPPED_MAX = 32
_CONSTRUCTORS = (types.FunctionType, types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodDescriptorType)


class Unreadable(Exception):
    """Nobody knows how the target is called."""


def parameters_of(target: Any) -> list[inspect.Parameter]:
    """Of a class, function or class method; annotations that are text are read. Raises Unreadable."""
    if static.is_a(target, type):
        return _of_class(target)
    if type(target) is types.MethodType:
        return _of_function(target.__func__)[1:]
    return _of_function(target) if type(target) is types.FunctionType else _of_builtin(target)


def _of_class(cls: type) -> list[inspect.Parameter]:
    declared = static.find_member(cls, "__signature__")
    if type(declared) is inspect.Signature:
        return _declared(declared, cls)
    constructors = _constructors(cls)
    found = [_of_function(function)[1:] for function in constructors if type(function) is types.FunctionType]
    for parameters in found:
        if not _takes_anything(parameters):
            return parameters
    if found:
        return found[-1]
    if static.find_member(cls, "__init__") is object.__init__ and static.find_member(cls, "__new__") is object.__new__:
        return []
    if type(cls) is type and declared is None:
        return _of_builtin(cls)
    raise _unreadable(cls)


def _unreadable(target: Any) -> Unreadable:
    return Unreadable(f"'{static.qualname(target)}' has no readable signature")


def _declared(signature: inspect.Signature, target: Any) -> list[inspect.Parameter]:
    parameters = list(signature.parameters.values())
    if not all(type(parameter) is inspect.Parameter for parameter in parameters):
        raise _unreadable(target)
    return parameters


def _constructors(cls: type) -> list[Any]:
    """What a call of the class runs, in the order in which inspect asks: functions, and those of C."""
    raws = [static.find_member(type(cls), "__call__"), *_in_order(cls)]
    functions = [raw.__func__ if type(raw) is staticmethod else raw for raw in raws]
    if not all(type(function) in _CONSTRUCTORS for function in functions):
        raise _unreadable(cls)
    return functions


def _in_order(cls: type) -> list[Any]:
    """__new__ and __init__, the one of the more derived class first."""
    order = {}
    for depth, base in enumerate(static.mro(cls)):
        members = static.members(base)
        for name in ("__new__", "__init__"):
            if name in members and name not in order and base is not object:
                order[name] = (depth, members[name])
    return [raw for _, raw in sorted(order.values(), key=lambda entry: entry[0])]


def _takes_anything(parameters: list[inspect.Parameter]) -> bool:
    return bool(parameters) and all(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def _of_function(function: types.FunctionType) -> list[inspect.Parameter]:
    for _ in range(_WRAPPED_MAX):
        wrapped = function.__dict__.get("__wrapped__")
        if type(wrapped) is not types.FunctionType:
            break
        function = wrapped
    declared = function.__dict__.get("__signature__")
    if declared is None:
        parameters = list(inspect.signature(_bare(function)).parameters.values())
    elif type(declared) is inspect.Signature:
        parameters = _declared(declared, function)
    else:
        raise _unreadable(function)
    return [_with_annotation(parameter, function) for parameter in parameters]


def _bare(function: types.FunctionType) -> types.FunctionType:
    """Without the attributes that inspect would ask."""
    bare = types.FunctionType(function.__code__, {}, function.__name__, function.__defaults__, function.__closure__)
    bare.__kwdefaults__, bare.__annotations__ = function.__kwdefaults__, function.__annotations__
    return bare


def _with_annotation(parameter: inspect.Parameter, function: types.FunctionType) -> inspect.Parameter:
    """Annotations that are text mean what they mean in the function's module."""
    annotation = parameter.annotation
    text = annotation.__forward_arg__ if type(annotation) is typing.ForwardRef else annotation
    if type(text) is not str:
        return parameter
    return parameter.replace(annotation=annotation_text.meaning_of(text, function.__globals__))


def _of_builtin(target: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(target).parameters.values())
    except (ValueError, TypeError):
        raise _unreadable(target) from None
