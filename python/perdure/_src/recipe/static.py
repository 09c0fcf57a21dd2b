"""What objects are, without asking them: past ``__class__``, metaclasses, descriptors and everything else that could answer with code.

Reading a recipe looks at the modules and classes that the program has loaded, and must run nothing of theirs.
"""

from __future__ import annotations

import types
from typing import Any

PLAIN_TYPES = (type(None), bool, int, float, complex, str, bytes)
_DEPTH_MAX = 50
_mro = type.__dict__["__mro__"].__get__
_class_members = type.__dict__["__dict__"].__get__
_module_members = types.ModuleType.__dict__["__dict__"].__get__


def is_a(obj: Any, *classes: type) -> bool:
    """``isinstance`` that does not look at ``__class__``. For classes whose metaclass is ``type``."""
    return issubclass(type(obj), classes)


def mro(cls: type) -> tuple[type, ...]:
    return _mro(cls)


def members(cls: type) -> types.MappingProxyType:
    """The dict of the class itself."""
    return _class_members(cls)


def find_member(cls: type, name: str, absent: Any = None) -> Any:
    """As it stands in the dict of the first class of the MRO that has it."""
    for base in _mro(cls):
        if name in (found := _class_members(base)):
            return found[name]
    return absent


def module_members(module: types.ModuleType) -> dict[str, Any]:
    return _module_members(module)


def qualname(one: Any) -> str:
    """Of a class or function."""
    found = type.__dict__["__qualname__"].__get__(one) if is_a(one, type) else one.__qualname__
    return str.__str__(found)


def module_name(one: Any) -> str | None:
    """Of a class or function; None if it is no text."""
    if is_a(one, type):
        found = type.__dict__["__module__"].__get__(one)
    else:
        found = one.__module__
        if found is None and is_a(owner := getattr(one, "__self__", None), types.ModuleType):
            found = _module_members(owner).get("__name__")
    return str.__str__(found) if is_a(found, str) else None


def class_name(obj: Any) -> str:
    """The name of an object's class, for messages."""
    return str.__str__(type.__dict__["__name__"].__get__(type(obj)))


def is_plain(value: Any, depth: int = 0) -> bool:
    """Builtin values, and containers of these: nothing in them can answer."""
    if type(value) in (list, tuple):
        return depth < _DEPTH_MAX and all(is_plain(item, depth + 1) for item in value)
    if type(value) is dict:
        return depth < _DEPTH_MAX and all(is_plain(item, depth + 1) for entry in value.items() for item in entry)
    return any(type(value) is plain for plain in PLAIN_TYPES)
