"""What makes two models the same but for their weights: what verification compares."""

from __future__ import annotations

import enum
import json
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from perdure._src.recipe import frameworks
from perdure._src.recipe.spec import BaseSpec
from perdure._src.recipe.static import PLAIN_TYPES

_DEPTH_MAX = 4
Facts = tuple[tuple[str, str], ...]  # (name, text), sorted


class Description(NamedTuple):
    cls: type
    arguments: Facts
    state: Facts  # key; shape and dtype, and what it is shared with
    parts: Facts  # classes of submodules and plain attributes; empty where nothing can have been lost


def describe(obj: Any, spec: BaseSpec, with_parts: bool) -> Description:
    return Description(type(obj), arguments_of(spec), _facts(_state(obj)), _parts(obj) if with_parts else ())


def _state(obj: Any) -> Iterator[tuple[str, str]]:
    """Arrays that stand under several keys are said to be one: built apart, they would not stay equal."""
    first: dict[int, str] = {}
    for key, value in frameworks.state_of(obj).items():
        same = first.setdefault(id(value), key) if frameworks.is_tensor(value) else key
        yield key, _array_text(value) + (f" shared with '{same}'" if same != key else "")


def arguments_of(spec: BaseSpec) -> Facts:
    """The arguments as they are written, whenever that was."""
    written = without_timestamps(spec.model_dump())
    return _facts((name, json.dumps(value)) for name, value in written.items())


def without_timestamps(written: Any) -> Any:
    """Of recipes in JSON, at any depth."""
    if isinstance(written, dict):
        return {key: without_timestamps(value) for key, value in written.items() if not ("cls_path" in written and key == "timestamp")}
    return [without_timestamps(item) for item in written] if isinstance(written, list) else written


def differences(expected: Facts, found: Facts) -> list[tuple[str, str | None, str | None]]:
    """Names, expected and found text; None where there is nothing."""
    was, now = dict(expected), dict(found)
    return [(name, was.get(name), now.get(name)) for name in {**was, **now} if was.get(name) != now.get(name)]


def _facts(pairs: Any) -> Facts:
    return tuple(sorted(pairs))


def _parts(obj: Any) -> Facts:
    facts = []
    for path, part, attributes in frameworks.parts_of(obj):
        facts.append((path, _class_text(part)))
        facts.extend((f"{path}.{name}".removeprefix("."), _text(value, 0)) for name, value in attributes.items() if name != "training")
    return _facts(facts)


def _text(value: Any, depth: int) -> str:
    if isinstance(value, (*PLAIN_TYPES, enum.Enum)):
        return repr(value)
    if depth == _DEPTH_MAX:
        return _class_text(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_text(item, depth + 1)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(_text(item, depth + 1) for item in value)})"
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        return f"{value.__module__}.{value.__qualname__}"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return _array_text(value)
    if hasattr(value, "itemsize"):
        return str(value)  # a dtype
    attributes = {} if frameworks.is_module(value) else getattr(value, "__dict__", {})
    return _class_text(value) + (_text(dict(attributes), depth + 1) if attributes else "")


def _class_text(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _array_text(value: Any) -> str:
    try:
        return f"{value.dtype}{list(value.shape)}"
    except (AttributeError, RuntimeError):  # no array; a parameter of a lazy module
        return _class_text(value)
