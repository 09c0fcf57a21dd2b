"""Objects to import paths: the public path that leads back to the object."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any

from perdure._src.recipe import resolve, static
from perdure._src.recipe.faults import type_fault
from perdure._src.recipe.policy import Policy
from perdure._src.recipe.targets import callable_of, check_object
from perdure.errors import RecipeError

_KINDS = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType)


def path_of(target: Any, policy: Policy, where: str) -> str:
    """The path of a class, function, static or class method. Raises RecipeTypeError if there is none, RecipeError if it is refused."""
    own = _own_path(target, where)
    check_object(target, own, policy, where)
    if leads_to(own, target, where) and policy._core.refuses_path(own) is None:
        return own
    for path in _public_paths(target):
        if policy._core.refuses_path(path) is None and leads_to(path, target, where):
            return path
    if leads_to(own, target, where):
        _check_path(own, policy, where)  # says which rule refuses it
    raise type_fault(where, f"no importable path leads to {own}")


def _check_path(path: str, policy: Policy, where: str) -> None:
    try:
        policy._core.check_path(path, where)
    except RecipeError as error:
        if path.startswith("__main__."):
            error.message += "; what the program itself defines cannot be imported by another one: move it to a module"
        raise


def leads_to(path: str, target: Any, where: str) -> bool:
    try:
        found = resolve.find(path)
        return found is not None and _is_same(callable_of(found, path, where), target)
    except (resolve.Missing, RecipeError):
        return False


def _is_same(one: Any, other: Any) -> bool:
    if type(one) is types.MethodType is type(other):
        return one.__func__ is other.__func__ and one.__self__ is other.__self__
    return one is other


def _own_path(target: Any, where: str) -> str:
    if not static.is_a(target, *_KINDS):
        raise type_fault(where, f"a '{static.class_name(target)}' is no class and no function that a path leads to")
    is_method = type(target) is types.MethodType
    if is_method and not static.is_a(target.__self__, type):
        raise type_fault(where, f"{target.__qualname__} is bound to an object, which no path leads to")
    if is_method:
        return f"{static.module_name(target.__self__)}.{static.qualname(target.__self__)}.{target.__name__}"
    qualname = static.qualname(target)
    if "<lambda>" in qualname:
        raise type_fault(where, "a lambda has no name that leads to it")
    if "<locals>" in qualname:
        raise type_fault(where, f"{qualname} was made inside a function, where no path leads")
    return f"{static.module_name(target)}.{qualname}"


def _public_paths(target: Any) -> Iterator[str]:
    """Of the packages that the object lives in, then of their loaded modules, the shortest first."""
    module, name = static.module_name(target) or "", static.qualname(target)
    parts = module.split(".")
    for count in range(1, len(parts)):
        yield ".".join(parts[:count]) + "." + name
    others = [m for m in list(sys.modules) if m.partition(".")[0] == parts[0] and "._" not in m]
    for other in sorted(others, key=lambda m: (m.count("."), m)):
        yield f"{other}.{name}"
