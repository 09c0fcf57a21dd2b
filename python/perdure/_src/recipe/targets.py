"""What a path may lead to: classes, functions, static and class methods; and whether a policy lets the object itself through."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

from perdure import _core
from perdure._src.recipe import resolve, static
from perdure._src.recipe.faults import fault, type_fault
from perdure._src.recipe.policy import Policy

_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)
_WRAPPED_MAX = 32


def callable_of(found: resolve.Found, path: str, where: str) -> Any:
    """What is called for a found object. Raises RecipeError for whatever is none of the four kinds."""
    raw, owner = found
    is_function = static.is_a(raw, *_FUNCTIONS)
    if (is_function or static.is_a(raw, type)) and "<" in (qualname := static.qualname(raw)):
        raise type_fault(where, f"{path} is {qualname}: a lambda, or made inside a function")
    if static.is_a(raw, type) or (owner is None and is_function and not _is_bound(raw)):
        return raw
    if owner is not None and type(raw) is staticmethod and static.is_a(raw.__func__, *_FUNCTIONS):
        return raw.__func__
    if owner is not None and type(raw) is classmethod and static.is_a(raw.__func__, types.FunctionType):
        return types.MethodType(raw.__func__, owner)
    if is_function:
        raise fault(where, f"{path} is a method of an instance, and a recipe has none", TypeError("an instance method"))
    kind = static.class_name(raw)
    raise fault(where, f"{path} is no class and no function, but a '{kind}'", TypeError(f"a '{kind}'"))


def check_object(target: Any, path: str, policy: Policy, where: str) -> None:
    """Raises the policy's RecipeError if the object, its bases or what it wraps have a refused name of their own."""
    if policy._core.is_allowed_by_name(path):
        return
    home = target.__self__ if type(target) is types.MethodType else target  # a class method belongs to the class it was found on
    rules = policy._core
    checks = (([home], rules.refuses_origin), (_own_parts(target), rules.refuses_object), (_inherited_parts(target), rules.refuses_base))
    for parts, refuses in checks:
        for part in parts:
            rule = refuses(name) if (name := _name(part)) is not None else "does not say where it comes from"
            if rule:
                _core.recipe_refuse(path, rule, where)


def _is_bound(function: Any) -> bool:
    """Builtin functions are bound to their module; those bound to another object are its methods."""
    bound_to = getattr(function, "__self__", None)
    return bound_to is not None and not static.is_a(bound_to, types.ModuleType)


def _own_parts(target: Any) -> Iterator[Any]:
    """The object and what it wraps: functools.wraps keeps it."""
    for _ in range(_WRAPPED_MAX):
        if type(target) in (types.MethodType, staticmethod, classmethod):
            target = target.__func__
        if not static.is_a(target, type, *_FUNCTIONS):
            return
        yield target
        if not static.is_a(target, types.FunctionType) or "__wrapped__" not in target.__dict__:
            return
        target = target.__dict__["__wrapped__"]
    yield functools.wraps  # wrapped beyond what anybody does: refused like functools itself


def _inherited_parts(target: Any) -> Iterator[Any]:
    """A class's bases, its metaclass, and what its call runs."""
    if not static.is_a(target, type):
        return
    metaclass = type(target)
    yield from static.mro(target)[1:]
    yield from (base for base in static.mro(metaclass) if base is not type and base is not object)
    for cls, name in ((target, "__new__"), (target, "__init__"), (metaclass, "__call__")):
        constructor = static.find_member(cls, name)
        if not static.is_a(constructor, types.BuiltinFunctionType) or not _is_bound(constructor):
            yield from _own_parts(constructor)


def _name(part: Any) -> str | None:
    module = static.module_name(part)
    return None if module is None else f"{module}.{static.qualname(part)}"
