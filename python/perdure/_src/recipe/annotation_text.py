"""Annotations that are text, read without running them: names, attributes and subscripts are looked up, nothing is called.

What they mean is the object itself, or a ``Generic`` where Python would have to ask a class for one.
"""

from __future__ import annotations

import ast
import builtins
import types
import typing
from collections.abc import Mapping
from typing import Any, NamedTuple

from perdure._src.recipe import static

_TEXT_MAX = 1000


class Generic(NamedTuple):
    """``origin[arguments]``; of a union, its members."""

    origin: Any
    arguments: tuple


class _Unknown(Exception):
    pass


def meaning_of(text: str, names: Mapping[str, Any]) -> Any:
    """``names``: the globals of the function. ``typing.Any`` for what has no meaning there, or needs code to get one."""
    try:
        if len(text) > _TEXT_MAX:
            raise _Unknown
        return _Reader(names).read(ast.parse(text.strip(), mode="eval").body)
    except (_Unknown, SyntaxError, ValueError, RecursionError, MemoryError):
        return Any


class _Reader:
    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = names

    def read(self, node: ast.expr) -> Any:
        reader = getattr(self, f"_{type(node).__name__}", None)
        if reader is None:
            raise _Unknown
        return reader(node)

    def _Name(self, node: ast.Name) -> Any:
        for names in (self.names, vars(builtins)):
            if node.id in names:
                return names[node.id]
        raise _Unknown

    def _Attribute(self, node: ast.Attribute) -> Any:
        base = self.read(node.value)
        if static.is_a(base, types.ModuleType):
            found = static.module_members(base).get(node.attr, _Unknown)
        else:
            found = static.find_member(base, node.attr, _Unknown) if static.is_a(base, type) else _Unknown
        if found is _Unknown:
            raise _Unknown
        return found

    def _Constant(self, node: ast.Constant) -> Any:
        if type(node.value) is str:
            return meaning_of(node.value, self.names)
        if node.value is None or node.value is ...:
            return node.value
        raise _Unknown

    def _BinOp(self, node: ast.BinOp) -> Any:
        if type(node.op) is not ast.BitOr:
            raise _Unknown
        return Generic(typing.Union, (self.read(node.left), self.read(node.right)))

    def _Subscript(self, node: ast.Subscript) -> Any:
        base = self.read(node.value)
        inner = node.slice.elts if type(node.slice) is ast.Tuple else [node.slice]
        if base is typing.Annotated:
            return self.read(inner[0])
        if base is typing.Optional:
            return Generic(typing.Union, (self.read(inner[0]), None))
        for origin in (list, tuple, dict, type):
            if base is origin or base is _SPELLED[origin]:
                return Generic(origin, tuple(self.read(argument) for argument in inner))
        if base is typing.Union:
            return Generic(base, tuple(self.read(argument) for argument in inner))
        return Any


_SPELLED = {list: typing.List, tuple: typing.Tuple, dict: typing.Dict, type: typing.Type}
