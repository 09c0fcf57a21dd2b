"""BaseSpec: a recipe as Python sees it."""

from __future__ import annotations

import datetime
import reprlib
from collections.abc import Mapping
from typing import Any

from perdure import _core
from perdure._src.recipe import locate, static
from perdure._src.recipe.host import Host
from perdure._src.recipe.policy import Policy, current_policy
from perdure.errors import NotFoundError, RecipeError, RecipeTypeError


class _Brief(reprlib.Repr):
    """Long values are cut, and a recipe inside another one shows its path only: a recipe may be deep."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = 80

    def repr1(self, x: Any, level: int) -> str:
        return f"<class {static.module_name(x)}.{static.qualname(x)}>" if static.is_a(x, type) else super().repr1(x, level)

    def repr_BaseSpec(self, spec: BaseSpec, level: int) -> str:
        return f"BaseSpec({spec.cls_path}, ...)"


_brief = _Brief()


class BaseSpec:
    """A recipe: the import path of a class or function, and the arguments to call it with.

    Made by :func:`create_model_spec` or read by :func:`create_model_spec_from_json`. Each argument is an attribute; values that need an
    import or a call to become objects are shown as they are written. Read-only; equal when the written texts are.

    Args:
        cls_path: ``"module.name"`` of the target; checked now.
        timestamp: When the recipe was made: ISO 8601, UTC.
        fields: The arguments, in call order.

    Raises:
        RecipeError: The path leads to nothing or is refused, or a value cannot be written.
    """

    __slots__ = ("__weakref__", "_policy", "_spec")
    _is_recipe_spec = True

    def __init__(self, *, cls_path: str | None = None, timestamp: str | None = None, **fields: Any) -> None:
        for name, given in (("cls_path", cls_path), ("timestamp", timestamp)):
            if not isinstance(given, str):
                raise RecipeError(f"a recipe needs '{name}'")
        policy = current_policy()
        made = _core.recipe_make(Host(policy), cls_path, timestamp, list(fields.items()), False)
        object.__setattr__(self, "_spec", made)
        object.__setattr__(self, "_policy", policy)

    @classmethod
    def _of(cls, spec: _core.RecipeSpec, policy: Policy) -> BaseSpec:
        made = object.__new__(cls)
        object.__setattr__(made, "_spec", spec)
        object.__setattr__(made, "_policy", policy)
        return made

    @property
    def cls_path(self) -> str:
        return self._spec.cls_path

    @property
    def timestamp(self) -> str:
        return self._spec.timestamp

    def model_dump(self) -> dict[str, Any]:
        """A fresh dict, ready for ``json``: ``cls_path``, ``timestamp``, then the arguments in call order."""
        return self._spec.to_json()

    def model_dump_json(self) -> str:
        """The same as one line of strict JSON."""
        return self._spec.text()

    def build(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the target, inner recipes first; gives a fresh object each time.

        Args:
            args, kwargs: Arguments that no recipe can hold (parameters for an optimizer). Keywords replace stored arguments.

        Raises:
            RecipeTypeError: The arguments are not those of the target any more, or it raised a ``TypeError``; names path and timestamp.
            RecipeError: The target is not there or is refused, or a value is not what the target's annotations say.
        """
        try:
            return self._spec.build(Host(self._policy), list(args), list(kwargs.items()))
        except RecipeTypeError as error:
            if error.__cause__ is None:
                raise error from TypeError(str(error))
            raise

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._spec.field(Host(self._policy), name)
        except NotFoundError:
            raise AttributeError(f"the recipe of {self.cls_path} has no argument '{name}'") from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a recipe is read-only: make another one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a recipe is read-only: make another one")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._spec.names()]

    def __eq__(self, other: object) -> bool:
        return self._spec.equals(other._spec) if isinstance(other, BaseSpec) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._spec.text())

    def __copy__(self) -> BaseSpec:
        return self

    def __deepcopy__(self, memo: dict) -> BaseSpec:
        return self

    def __reduce__(self) -> tuple:
        return create_model_spec_from_json, (self.model_dump_json(),)

    def __repr__(self) -> str:
        arguments = "".join(f", {name}={_brief.repr(getattr(self, name))}" for name in self._spec.names())
        return f"BaseSpec({self.cls_path}{arguments})"


def create_model_spec(target: Any, /, **arguments: Any) -> BaseSpec:
    """A recipe that calls ``target`` with ``arguments``.

    Args:
        target: A class, function, static or class method that an importable path leads back to.
        arguments: By keyword; those left out are not stored, and the target's defaults of the day count. Specs among them, or in
            their lists and tuples, are built first. What recipes can hold: ``docs/concepts/recipes.md``.

    Raises:
        RecipeTypeError: A lambda, closure, bound method or instance; positional-only parameters; an unknown argument; a value that no
            recipe can hold. The message names the argument.
        RecipeError: A path that the policy refuses, or a value that does not fit its annotation.
    """
    policy = current_policy()
    path = locate.path_of(target, policy, "$.cls_path")
    now = datetime.datetime.now(datetime.timezone.utc).isoformat()
    return BaseSpec._of(_core.recipe_make(Host(policy), path, now, list(arguments.items()), True), policy)


def create_model_spec_from_json(source: Mapping[str, Any] | str, *, policy: Policy | None = None) -> BaseSpec:
    """Reads a recipe. Imports and calls nothing.

    Args:
        source: JSON text, or what ``json.loads`` made of it; stays unchanged.
        policy: What the recipe may name, now and when it is built; default: that of the ``with`` block, else the safe one.

    Raises:
        RecipeError: Malformed, or refused; ``json_path`` says where, ``rule`` which rule refused.
        RecipeTypeError: The target cannot be called by names.
    """
    policy = current_policy() if policy is None else policy
    if not isinstance(policy, Policy):
        raise TypeError(f"policy is a '{type(policy).__name__}', not a perdure.recipe.Policy")
    return BaseSpec._of(_core.recipe_read(Host(policy), source), policy)
