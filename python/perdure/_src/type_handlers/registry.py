"""Which handler takes which type."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from perdure._src.arguments import checked
from perdure._src.type_handlers.type_handler import TypeHandler
from perdure.errors import InvalidError


class TypeHandlerRegistry:
    """Handlers in order: of those that accept a type the first is taken. A handler is also found by its ``typestr()``."""

    def __init__(self, *handlers: tuple[Any, TypeHandler]):
        """
        Args:
            handlers: Pairs of type and handler; later ones replace earlier ones of the same type.
        """
        self._rows: list[tuple[Callable[[Any], bool], TypeHandler]] = []
        self._by_typestr: dict[str, TypeHandler] = {}
        for ty, handler in handlers:
            self.add(ty, handler, override=True, ignore_warnings=True)

    def add(
        self,
        ty: Any,
        handler: TypeHandler,
        func: Callable[[Any], bool] | None = None,
        override: bool = False,
        ignore_warnings: bool = False,
    ) -> None:
        """Adds a handler behind all others; with ``override`` in the place of the one that accepts ``ty``.

        Args:
            ty: A type.
            handler: Takes leaves of this type.
            func: ``type -> bool``, whether a type is accepted; ``None``: subclasses of ``ty`` are.
            override: A handler that accepts ``ty`` gives its place to this one; it still loads what it has saved under another
                ``typestr()``. One that only has the same ``typestr()`` keeps its place and still saves its own types; all that is
                saved under that name is loaded by this one.
            ignore_warnings: Say nothing when one does.

        Raises:
            InvalidError: ``ty`` is accepted already, or the ``typestr()`` is taken, and ``override`` is False.
        """
        typestr = checked(handler.typestr(), str, "typestr()")
        taken = next((i for i, (accepts, _) in enumerate(self._rows) if accepts(ty)), None)
        if taken is not None:
            conflict = f"a handler of '{_name(ty)}' is registered already"
        else:
            conflict = f"a handler with the typestr '{typestr}' is registered already" if typestr in self._by_typestr else None
        if conflict and not override:
            raise InvalidError(conflict)
        if conflict and not ignore_warnings:
            warnings.warn(f"{conflict} and gives way", UserWarning, stacklevel=2)
        row = (func or (lambda t: issubclass(t, ty)), handler)
        if taken is None:
            self._rows.append(row)
        else:
            self._rows[taken] = row
        self._by_typestr[typestr] = handler

    def get(self, ty: Any) -> TypeHandler:
        """The handler of a type, or of a typestr. Raises InvalidError naming it if there is none."""
        found = self.find(ty)
        if found is None:
            raise InvalidError(f"no handler of '{_name(ty)}' is registered")
        return found

    def find(self, ty: Any) -> TypeHandler | None:
        """As ``get``, but ``None`` if there is none."""
        if isinstance(ty, str):
            return self._by_typestr.get(ty)
        return next((handler for accepts, handler in self._rows if accepts(ty)), None)

    def handlers(self) -> list[TypeHandler]:
        """All of them, in order."""
        return [handler for _, handler in self._rows]

    def has(self, ty: Any) -> bool:
        """Whether a type, or a typestr, has a handler."""
        return self.find(ty) is not None


def _name(ty: Any) -> str:
    return ty if isinstance(ty, str) else getattr(ty, "__qualname__", repr(ty))
