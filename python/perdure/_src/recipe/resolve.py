"""Import paths, resolved without importing and without asking objects.

Modules are looked up in ``sys.modules`` and by their own dicts, classes by the dicts of their MRO: no module ``__getattr__``, metaclass or
descriptor runs. What is not imported yet is looked up through the import system's finders, which run no code of it.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any, NamedTuple

from perdure._src.recipe import static

_ABSENT = object()


class Missing(Exception):
    """A path leads to nothing. ``__cause__`` is the error that an import would give."""


class Found(NamedTuple):
    """What a path leads to. In a class: as it stands in the class's dict (a staticmethod, not its function)."""

    raw: Any
    owner: type | None  # the class on which the last segment was looked up


def find(path: str) -> Found | None:
    """What ``path`` leads to; None if finding it would run code: an import, or a module's ``__getattr__``."""
    segments = path.split(".")
    module, count = _loaded_prefix(segments)
    if module is None:
        _check_findable(segments)
        return None
    members = static.module_members(module)
    name = segments[count]
    if name not in members:
        prefix = ".".join(segments[: count + 1])
        if _spec_of(prefix, members.get("__path__")) is not None or "__getattr__" in members:
            return None
        raise _missing(path, AttributeError(f"module '{'.'.join(segments[:count])}' has no attribute '{name}'"))
    return _descend(path, members[name], segments[count + 1 :])


def load(path: str) -> Found:
    """The same, importing what has to be imported. ``path`` must have passed the policy."""
    segments = path.split(".")
    module, count = _import_prefix(segments)
    found = find(path)
    if found is not None:
        return found
    try:
        first = getattr(module, segments[count])  # a package that loads its parts when they are asked for
    except AttributeError as error:
        raise _missing(path, error) from error
    return _descend(path, first, segments[count + 1 :])


def _missing(path: str, cause: BaseException) -> Missing:
    error = Missing(f"'{path}' leads to nothing: {cause}")
    error.__cause__ = cause
    return error


def _loaded(name: str) -> types.ModuleType | None:
    module = sys.modules.get(name)
    return module if static.is_a(module, types.ModuleType) else None


def _loaded_prefix(segments: list[str]) -> tuple[types.ModuleType | None, int]:
    """The longest prefix that is a loaded module, without the last segment, and its length."""
    module, count = None, 0
    while count < len(segments) - 1:
        inner = _loaded(".".join(segments[: count + 1]))
        if inner is None:
            break
        module, count = inner, count + 1
    return module, count


def _check_findable(segments: list[str]) -> None:
    if _spec_of(segments[0], None) is None:
        path = ".".join(segments)
        raise _missing(path, ModuleNotFoundError(f"no module named '{segments[0]}'", name=segments[0]))


def _spec_of(name: str, search_path: Any) -> Any:
    """The spec of a module that is not loaded; nothing of it runs."""
    if "." in name and search_path is None:
        return None
    for finder in sys.meta_path:
        find_spec = getattr(finder, "find_spec", None)
        try:
            spec = None if find_spec is None else find_spec(name, search_path)
        except Exception:  # a finder of somebody else's that cannot answer does not know the module
            spec = None
        if spec is not None:
            return spec
    return None


def _import_prefix(segments: list[str]) -> tuple[types.ModuleType, int]:
    module, count = _import(segments, 1), 1
    while count < len(segments) - 1:
        members, name = static.module_members(module), ".".join(segments[: count + 1])
        if name not in sys.modules and (segments[count] in members or _spec_of(name, members.get("__path__")) is None):
            break
        count += 1
        module = _import(segments, count)
    return module, count


def _import(segments: list[str], count: int) -> types.ModuleType:
    path = ".".join(segments)
    try:
        importlib.import_module(".".join(segments[:count]))
    except ImportError as error:
        raise _missing(path, error) from error
    module = _loaded(".".join(segments[:count]))
    if module is None:
        raise _missing(path, ImportError(f"'{'.'.join(segments[:count])}' is no module"))
    return module


def _descend(path: str, first: Any, rest: list[str]) -> Found:
    raw, owner = first, None
    for name in rest:
        if static.is_a(raw, types.ModuleType):
            raise _missing(path, AttributeError("it goes through a module that another one merely imported"))
        if not static.is_a(raw, type):
            raise _missing(path, AttributeError(f"'{name}' is looked up on something that is no class"))
        found = static.find_member(raw, name, _ABSENT)
        if found is _ABSENT:
            raise _missing(path, AttributeError(f"class '{static.qualname(raw)}' has no attribute '{name}'"))
        raw, owner = found, raw
    return Found(raw, owner)
