"""Which paths a recipe may name: the engine's rules, with a default for the code in a ``with`` block."""

from __future__ import annotations

import contextvars
from collections.abc import Iterable

from perdure import _core
from perdure._src.arguments import checked
from perdure.errors import InputTypeError


class Policy:
    """What recipes may import and call.

    Without arguments: the safe default. It refuses what is private (a segment that starts with ``_``) and what is known to start
    processes, run code, deserialise, or touch files and network, by name, before anything is imported, and again for the
    object that a path leads to. Such a list is never complete: for recipes of strangers, give ``modules``.

    Args:
        modules: Only these modules and their submodules may be named, and only for objects that come from packages of theirs, not for
            what such a module imported from elsewhere. Lifts no rule of the safe default.
        allow: Exact paths that every rule lets through.

    As a context manager it holds for making, reading and building in the block; the innermost counts. A spec keeps the policy that it
    was read or made under. Immutable; any thread may use it.

    Raises:
        InputTypeError: No list of names.
        InvalidError: A name that can be no module or path.
    """

    __slots__ = ("_core", "allow", "modules")

    def __init__(self, *, modules: Iterable[str] | None = None, allow: Iterable[str] = ()) -> None:
        self.modules = None if modules is None else tuple(_names(modules, "modules"))
        self.allow = tuple(_names(allow, "allow"))
        self._core = _core.RecipePolicy(None if self.modules is None else list(self.modules), list(self.allow))

    def __enter__(self) -> Policy:
        _open.set((*_open.get(), self))
        return self

    def __exit__(self, *error) -> None:
        _open.set(_open.get()[:-1])

    def __repr__(self) -> str:
        return f"Policy(modules={self.modules!r}, allow={self.allow!r})"


def _names(names: Iterable[str], what: str) -> list[str]:
    if isinstance(names, str):
        raise InputTypeError(f"{what}: expected a list of names, found the text {names!r}")
    return [checked(name, str, what) for name in checked(names, Iterable, what)]


_open: contextvars.ContextVar[tuple[Policy, ...]] = contextvars.ContextVar("perdure.recipe.policies", default=())
_default = Policy()


def current_policy() -> Policy:
    return (_default, *_open.get())[-1]
