"""Type annotations as the engine's Expected: (kind, accepts_none, repeats, name, items)."""

from __future__ import annotations

import enum
import inspect
import sys
import types
import typing
from typing import Any

from perdure._src.recipe import serializers

Expected = tuple[str, bool, bool, str, tuple]

_PLAIN = {bool: "bool", int: "int", float: "float", complex: "complex", str: "text", bytes: "bytes", type: "class"}
_TORCH = {"dtype": "dtype", "device": "device", "Tensor": "tensor"}
_NESTED_MAX = 8


def make(kind: str, *, accepts_none: bool = False, repeats: bool = False, name: str = "", items: tuple = ()) -> Expected:
    return kind, accepts_none, repeats, name, items


ANY = make("any")


def expected_of(annotation: Any, parameter_name: str, class_path: Any) -> Expected:
    """``class_path`` gives the path of a class, or None."""
    if annotation is None.__class__ or annotation is None:
        return make("none", accepts_none=True)
    if annotation is _EMPTY:
        return make(f"named_like_{parameter_name}") if parameter_name in ("dtype", "device") else ANY
    return _expected(annotation, class_path, _NESTED_MAX)


_EMPTY = inspect.Parameter.empty


def _expected(annotation: Any, class_path: Any, depth: int) -> Expected:
    if depth == 0:
        return ANY
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _expected(arguments[0], class_path, depth)
    if origin in (typing.Union, types.UnionType):
        return _union(arguments, class_path, depth)
    if origin in (list, tuple, dict):
        return _container(origin, arguments, class_path, depth)
    if origin is type:
        return make("class")
    if isinstance(annotation, typing.NewType):
        return _expected(annotation.__supertype__, class_path, depth - 1)
    return _class(annotation, class_path) if isinstance(annotation, type) and origin is None else ANY


def _union(members: tuple, class_path: Any, depth: int) -> Expected:
    others = [member for member in members if member is not type(None)]
    accepts_none = len(others) < len(members)
    items = tuple(_expected(member, class_path, depth - 1) for member in others)
    if ANY in items:
        return ANY
    if len(items) == 1:
        kind, _, repeats, name, inner = items[0]
        return kind, accepts_none, repeats, name, inner
    return make("one_of", accepts_none=accepts_none, items=items)


def _container(origin: type, arguments: tuple, class_path: Any, depth: int) -> Expected:
    repeats = origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis
    if repeats:
        arguments = arguments[:1]
    items = tuple(_expected(argument, class_path, depth - 1) for argument in arguments)
    return make(origin.__name__, repeats=repeats, items=items)


def _class(cls: type, class_path: Any) -> Expected:
    if (registered := serializers.find(cls)) is not None:
        return make("registered", name=registered.path)
    if cls in _PLAIN:
        return make(_PLAIN[cls])
    if cls in (list, dict):
        return make(cls.__name__)
    if cls is tuple:
        return make("tuple", repeats=True)
    torch = sys.modules.get("torch")
    for name, kind in _TORCH.items():
        if cls is getattr(torch, name, None):
            return make(kind)
    if isinstance(cls, enum.EnumMeta) and (path := class_path(cls)) is not None:
        return make("enum", name=path)
    return ANY
