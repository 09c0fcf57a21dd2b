"""What a path may lead to: classes, functions, static and class methods; and whether a policy lets the object itself through."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from perdure import _core
from perdure._src.recipe import resolve
from perdure._src.recipe.faults import fault, type_fault
from perdure._src.recipe.policy import Policy

_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)
_WRAPPED_MAX = 32


def callable_of(found: resolve.Found, path: str, where: str) -> Any:
    """What is called for a found object. Raises RecipeError for whatever is none of the four kinds."""
    raw, owner = found
    qualname = getattr(raw, "__qualname__", "") if isinstance(raw, (type, *_FUNCTIONS)) else ""
    if "<" in qualname:
        raise type_fault(where, f"{path} is {qualname}: a lambda, or made inside a function")
    if isinstance(raw, type) or (owner is None and isinstance(raw, _FUNCTIONS) and not _is_bound(raw)):
        return raw
    if owner is not None and isinstance(raw, staticmethod) and isinstance(raw.__func__, _FUNCTIONS):
        return raw.__func__
    if owner is not None and isinstance(raw, classmethod) and isinstance(raw.__func__, types.FunctionType):
        return types.MethodType(raw.__func__, owner)
    if isinstance(raw, _FUNCTIONS):
        raise fault(where, f"{path} is a method of an instance, and a recipe has none", TypeError("an instance method"))
    kind = type(raw).__name__
    raise fault(where, f"{path} is no class and no function, but a '{kind}'", TypeError(f"a '{kind}'"))


def check_object(target: Any, path: str, policy: Policy, where: str) -> None:
    """Raises the policy's RecipeError if the object, its bases or what it wraps have a refused name of their own."""
    if policy._core.is_allowed_by_name(path):
        return
    home = target.__self__ if isinstance(target, types.MethodType) else target  # a class method belongs to the class it was found on
    if rule := policy._core.refuses_origin(_name(home)):
        _core.recipe_refuse(path, rule, where)
    for name in _own_names(target):
        if rule := policy._core.refuses_object(name):
            _core.recipe_refuse(path, rule, where)
    for name in _inherited_names(target):
        if rule := policy._core.refuses_base(name):
            _core.recipe_refuse(path, rule, where)


def _is_bound(function: Any) -> bool:
    """Builtin functions are bound to their module; those bound to another object are its methods."""
    bound_to = getattr(function, "__self__", None)
    return bound_to is not None and not isinstance(bound_to, types.ModuleType)


def _own_names(target: Any) -> Iterator[str]:
    """Of the object and of what it wraps: functools.wraps keeps it."""
    for _ in range(_WRAPPED_MAX):
        if isinstance(target, (types.MethodType, staticmethod, classmethod)):
            target = target.__func__
        if not isinstance(target, (type, *_FUNCTIONS)):
            return
        yield _name(target)
        if not isinstance(target, types.FunctionType) or "__wrapped__" not in target.__dict__:
            return
        target = target.__dict__["__wrapped__"]
    yield "functools.wraps"  # wrapped beyond what anybody does: refused like functools itself


def _inherited_names(target: Any) -> Iterator[str]:
    """Of a class's bases, of its metaclass, and of what its call runs."""
    if not isinstance(target, type):
        return
    metaclass = type(target)
    yield from (_name(base) for base in _mro(target)[1:])
    yield from (_name(base) for base in _mro(metaclass) if base not in (type, object))
    for cls, name in ((target, "__new__"), (target, "__init__"), (metaclass, "__call__")):
        constructor = resolve.class_dict_value(cls, name)
        if not isinstance(constructor, types.BuiltinFunctionType) or not _is_bound(constructor):
            yield from _own_names(constructor)


def _mro(cls: type) -> tuple[type, ...]:
    return type.__dict__["__mro__"].__get__(cls)


def _name(one: Any) -> str:
    if isinstance(one, type):
        module = type.__dict__["__module__"].__get__(one)
        return f"{module}.{type.__dict__['__qualname__'].__get__(one)}"
    module = getattr(one, "__module__", None) or getattr(getattr(one, "__self__", None), "__name__", None)
    return f"{module}.{one.__qualname__}"
