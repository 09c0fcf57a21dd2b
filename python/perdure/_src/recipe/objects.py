"""Objects that are no plain values: described for the engine, and made again from what it read.

``describe`` gives a tuple whose first item is the kind, which C++ knows (python/src/recipe_value.cc). To add a kind: docs/design/extending.md.
"""

from __future__ import annotations

import dataclasses
import enum
import pathlib
import sys
from typing import Any

import numpy as np

from perdure import _core
from perdure._src.adapters import is_array
from perdure._src.recipe import locate, serializers, static
from perdure._src.recipe.faults import type_fault
from perdure._src.recipe.policy import Policy
from perdure.errors import RecipeTypeError


def describe(value: Any, policy: Policy, where: str) -> tuple:
    """The kind and the parts of an object. Raises RecipeTypeError for one that a recipe cannot hold."""
    if (registered := serializers.find(type(value))) is not None:
        return "registered", registered.path, registered.serialize(value)
    for describer in _DESCRIBERS:
        described = describer(value, policy, where)
        if described is not None:
            return described
    code = "recipes carry no code; let a recipe name a class, or a function that makes the whole object"
    raise _refusal(value, where, code if callable(value) else "")


def _refusal(value: Any, where: str, why: str = "") -> RecipeTypeError:
    return type_fault(where, f"a recipe cannot hold a '{type(value).__name__}'" + (f": {why}" if why else ""))


def _enum(value: Any, policy: Policy, where: str) -> tuple | None:
    if not isinstance(value, enum.Enum):
        return None
    name = value._name_ if value._name_ in type(value).__members__ else ""
    return "enum", locate.path_of(type(value), policy, where), name, value._value_


def _class(value: Any, policy: Policy, where: str) -> tuple | None:
    if not isinstance(value, type):
        return None
    jax_numpy = sys.modules.get("jax.numpy")
    if jax_numpy is not None and type(value) is not type and type(value) is type(jax_numpy.float32):
        return "dtype", f"jax.numpy.{value.__name__}"
    return "class", locate.path_of(value, policy, where)


_PATHS = {cls: cls.__name__ for cls in (pathlib.PurePosixPath, pathlib.PureWindowsPath, pathlib.PosixPath, pathlib.WindowsPath)}
_PATHS[type(pathlib.Path())] = "Path"


def _path(value: Any, policy: Policy, where: str) -> tuple | None:
    kind = _PATHS.get(type(value))
    return None if kind is None else ("path", kind, str(value))


def _torch(value: Any, policy: Policy, where: str) -> tuple | None:
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    if isinstance(value, torch.dtype):
        return "dtype", str(value)
    return ("device", str(value)) if isinstance(value, torch.device) else None


def _numpy_dtype(value: Any, policy: Policy, where: str) -> tuple | None:
    if not isinstance(value, np.dtype):
        return None
    if value.names is not None or value.subdtype is not None or not value.isnative or value.kind in "OUSMm":
        raise _refusal(value, where, f"{value} is no plain number type of this machine")
    return "dtype", f"numpy.{value.name}"


def _array(value: Any, policy: Policy, where: str) -> tuple | None:
    if isinstance(value, (np.ndarray, np.generic)):
        if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
            raise _refusal(value, where, "it is a subclass of numpy.ndarray")
        if not value.dtype.isnative or value.dtype.kind in "OUSMmV" and value.dtype.isbuiltin != 2:
            raise _refusal(value, where, f"its dtype is {value.dtype}")
        return ("array",)
    return ("array",) if is_array(value) else None


def _dataclass(value: Any, policy: Policy, where: str) -> tuple | None:
    if not dataclasses.is_dataclass(value) or isinstance(value, (dict, list, tuple, str, int, float)):
        return None
    fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if extra := set(getattr(value, "__dict__", ())) - set(fields):
        raise _refusal(value, where, f"it has '{min(extra)}', which is no field")
    given = {field.name: fields[field.name] for field in dataclasses.fields(value) if field.init}
    path = locate.path_of(type(value), policy, where)
    _check_rebuilt(value, fields, given, policy, where)
    return "record", path, list(given.items())


def _check_rebuilt(value: Any, fields: dict, given: dict, policy: Policy, where: str) -> None:
    """A constructor may change its fields, or need what is none: then the object would come back as another one."""
    from perdure._src.recipe.host import Host

    try:
        rebuilt = type(value)(**given)
    except Exception as error:
        raise _refusal(value, where, f"it cannot be built from its fields: {error}") from error
    for name, field in fields.items():
        other = getattr(rebuilt, name)
        if other is not field and not _core.recipe_same(Host(policy), other, field):
            raise _refusal(value, where, f"its constructor changes '{name}'")


_DESCRIBERS = (_enum, _class, _path, _torch, _numpy_dtype, _array, _dataclass)


def dtype(name: str) -> Any:
    """Of a name that the engine has checked, of a package that is imported."""
    package, _, plain = name.rpartition(".")
    if package == "numpy":
        try:
            return np.dtype(plain)
        except TypeError:
            import ml_dtypes

            return np.dtype(getattr(ml_dtypes, plain))
    return getattr(sys.modules[package], plain)


def path(kind: str, text: str) -> pathlib.PurePath:
    return getattr(pathlib, kind)(text)


def find_member(cls: type, name: str, value: Any) -> Any:
    """The member of a class that is an Enum, without calling it; None if it has none of this name or value."""
    members = static.members(cls)["_member_map_"]
    if name:
        return members.get(name)
    values = ((member, object.__getattribute__(member, "_value_")) for member in members.values())
    same = (member for member, own in values if type(own) is type(value) and static.is_plain(own) and own == value)
    return next(same, None)


def may_be_combined(cls: type, name: str, value: Any) -> bool:
    """Several members of a Flag at once: only the class itself can make them."""
    return not name and issubclass(cls, enum.Flag) and type(value) is int
