"""What the engine asks of Python: targets by path, how they are called, and objects of checked values.

C++ (python/src/recipe_host.cc) calls these methods. Every path was checked by name before it comes here.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import sys
import types
from typing import Any

from perdure import _core
from perdure._src.adapters import array_class_of
from perdure._src.recipe import annotations, locate, objects, resolve, serializers, signatures, static, targets
from perdure._src.recipe.faults import fault, type_fault
from perdure._src.recipe.policy import Policy
from perdure.errors import RecipeError

_KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional_only",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "plain",
    inspect.Parameter.VAR_POSITIONAL: "var_positional",
    inspect.Parameter.KEYWORD_ONLY: "keyword_only",
    inspect.Parameter.VAR_KEYWORD: "var_keyword",
}


class Host:
    """One policy's view of what is importable."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.core_policy = policy._core

    # -- targets

    def find(self, path: str, where: str) -> tuple | None:
        """Callable and parameters; None if finding them would run code."""
        found = self._found(resolve.find, path, where)
        return None if found is None else self._target(found, path, where)

    def load(self, path: str, where: str) -> tuple:
        return self._target(self._found(resolve.load, path, where), path, where)

    def call(self, target: Any, positional: list, named: dict, cls_path: str, timestamp: str) -> Any:
        try:
            return target(*positional, **named)
        except TypeError as error:
            raise type_fault("$", f"cannot build {cls_path}, a recipe of {timestamp}: {error}", error) from error

    def _found(self, how: Any, path: str, where: str) -> resolve.Found | None:
        try:
            return how(path)
        except resolve.Missing as error:
            raise fault(where, str(error), error.__cause__) from error.__cause__

    def _target(self, found: resolve.Found, path: str, where: str) -> tuple:
        target = targets.callable_of(found, path, where)
        targets.check_object(target, path, self.policy, where)
        try:
            parameters = signatures.parameters_of(target)
        except signatures.Unreadable as error:
            raise type_fault(where, f"{path}: {error}", error) from None
        return target, [self._parameter(parameter) for parameter in parameters]

    def _parameter(self, parameter: inspect.Parameter) -> tuple:
        default = parameter.default
        expected = annotations.expected_of(parameter.annotation, parameter.name, self._class_path)
        shown = default if static.is_plain(default) else ...
        return parameter.name, _KINDS[parameter.kind], default is not parameter.empty, expected, shown

    def _class_path(self, cls: type) -> str | None:
        try:
            return locate.path_of(cls, self.policy, "$")
        except RecipeError:
            return None

    # -- values

    def describe(self, value: Any, where: str) -> tuple:
        return objects.describe(value, self.policy, where)

    def check_class(self, path: str, where: str, kind: str, detail: Any) -> None:
        """Checks a class that a value names, and for an enum its member, as far as it is loaded."""
        cls = self.find_class(path, where)
        if cls is not None:
            _check_kind(cls, path, where, kind)
            if kind == "enum" and objects.find_member(cls, *detail) is None and not objects.may_be_combined(cls, *detail):
                raise fault(where, f"{path} has no member of that name or value")
            if kind == "record":
                _check_fields(cls, path, where, detail)

    def find_class(self, path: str, where: str) -> type | None:
        """None if finding it would run code."""
        found = self._found(resolve.find, path, where)
        return None if found is None else self._class(found, path, where)

    def load_class(self, path: str, where: str) -> type:
        return self._class(self._found(resolve.load, path, where), path, where)

    def _class(self, found: resolve.Found, path: str, where: str) -> type:
        if not static.is_a(found.raw, type):
            raise fault(where, f"{path} is no class")
        targets.check_object(found.raw, path, self.policy, where)
        return found.raw

    # -- objects of checked values; ``where`` for errors

    def restore_enum(self, path: str, name: str, value: Any, where: str) -> Any:
        cls = self.load_class(path, where)
        _check_kind(cls, path, where, "enum")
        member = objects.find_member(cls, name, value)
        if member is None and objects.may_be_combined(cls, name, value):
            member = _combined(cls, value)
        if not static.is_a(member, cls):
            raise fault(where, f"{path} has no member of that name or value")
        return member

    def restore_record(self, path: str, fields: dict, where: str) -> Any:
        cls = self.load_class(path, where)
        _check_kind(cls, path, where, "record")
        _check_fields(cls, path, where, list(fields))
        return self.call(cls, [], fields, path, "this recipe's values")

    def restore_registered(self, path: str, written: Any, where: str) -> Any:
        registered = serializers.find_path(path)
        if registered is None:
            self.core_policy.check_path(path, where)
            self.load_class(path, where)  # its module may register it
            registered = serializers.find_path(path)
        if registered is None:
            raise fault(where, f"no serializer is registered for {path}")
        return registered.deserialize(written)

    def is_registered(self, path: str) -> bool:
        return serializers.find_path(path) is not None

    def need_package(self, package: str, where: str) -> None:
        """Arrays and dtypes of a framework need it imported."""
        if sys.modules.get(package) is None:
            self.core_policy.check_path(f"{package}.{array_class_of(package)}", where)
            try:
                importlib.import_module(package)
            except ImportError as error:
                raise fault(where, f"it needs {package}", error) from error

    def restore_dtype(self, name: str) -> Any:
        return objects.dtype(name)

    def restore_device(self, name: str) -> Any:
        return sys.modules["torch"].device(name)

    def restore_path(self, kind: str, text: str, where: str) -> Any:
        try:
            return objects.path(kind, text)
        except (NotImplementedError, ValueError) as error:
            raise fault(where, f"this system has no {kind}", error) from error

    def wrap_spec(self, spec: _core.RecipeSpec) -> Any:
        from perdure._src.recipe.spec import BaseSpec

        return BaseSpec._of(spec, self.policy)


def _check_kind(cls: type, path: str, where: str, kind: str) -> None:
    if kind == "enum" and not static.is_a(cls, enum.EnumMeta):
        raise fault(where, f"{path} is no enumeration")
    if kind == "record" and type(static.find_member(cls, "__dataclass_fields__")) is not dict:
        raise fault(where, f"{path} is no dataclass")


def _combined(cls: type, value: int) -> Any:
    try:
        return cls(value)
    except (ValueError, TypeError):
        return None


def _check_fields(cls: type, path: str, where: str, names: list[str]) -> None:
    fields = types.SimpleNamespace(__dataclass_fields__=static.find_member(cls, "__dataclass_fields__"))
    known = {field.name for field in dataclasses.fields(fields) if field.init}
    if unknown := [name for name in names if name not in known]:
        raise fault(where, f"{path} has no field '{unknown[0]}'")
