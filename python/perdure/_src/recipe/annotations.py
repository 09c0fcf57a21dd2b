"""Type annotations as the engine's Expected: (kind, accepts_none, repeats, name, items)."""

from __future__ import annotations

import enum
import inspect
import sys
import types
import typing
from typing import Any

from perdure._src.recipe import serializers, static
from perdure._src.recipe.annotation_text import Generic

Expected = tuple[str, bool, bool, str, tuple]

_PLAIN = {bool: "bool", int: "int", float: "float", complex: "complex", str: "text", bytes: "bytes", type: "class", list: "list", dict: "dict"}
_TORCH = {"dtype": "dtype", "device": "device", "Tensor": "tensor"}
_NESTED_MAX = 8


def make(kind: str, *, accepts_none: bool = False, repeats: bool = False, name: str = "", items: tuple = ()) -> Expected:
    return kind, accepts_none, repeats, name, items


ANY = make("any")


def expected_of(annotation: Any, parameter_name: str, class_path: Any) -> Expected:
    """``class_path`` gives the path of a class, or None."""
    if _is_none(annotation):
        return make("none", accepts_none=True)
    if annotation is _EMPTY:
        return make(f"named_like_{parameter_name}") if parameter_name in ("dtype", "device") else ANY
    return _expected(annotation, class_path, _NESTED_MAX)


_EMPTY = inspect.Parameter.empty


def _expected(annotation: Any, class_path: Any, depth: int) -> Expected:
    if depth == 0:
        return ANY
    if static.is_a(annotation, type):
        return _class(annotation, class_path)
    if type(annotation) is typing.NewType:
        return _expected(annotation.__supertype__, class_path, depth - 1)
    origin, arguments = _parts(annotation)
    if origin is typing.Annotated:
        return _expected(arguments[0], class_path, depth)
    if origin is typing.Union or origin is types.UnionType:
        return _union(arguments, class_path, depth)
    if origin is list or origin is tuple or origin is dict:
        return _container(origin, arguments, class_path, depth)
    return make("class") if origin is type else ANY


def _parts(annotation: Any) -> tuple[Any, tuple]:
    """Origin and arguments of a generic of Python's own. Others could answer the question with code."""
    if type(annotation) is Generic:
        return annotation
    known = id(type(annotation)) in _GENERICS
    return (typing.get_origin(annotation), typing.get_args(annotation)) if known else (None, ())


_GENERICS = {id(value) for module in (types, typing) for value in vars(module).values()}


def _is_none(annotation: Any) -> bool:
    return annotation is None or annotation is type(None)


def _union(members: tuple, class_path: Any, depth: int) -> Expected:
    others = [member for member in members if not _is_none(member)]
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
    for plain, kind in _PLAIN.items():
        if cls is plain:
            return make(kind)
    if cls is tuple:
        return make("tuple", repeats=True)
    torch = sys.modules.get("torch")
    for name, kind in _TORCH.items():
        if cls is getattr(torch, name, None):
            return make(kind)
    if static.is_a(cls, enum.EnumMeta) and (path := class_path(cls)) is not None:
        return make("enum", name=path)
    return ANY
