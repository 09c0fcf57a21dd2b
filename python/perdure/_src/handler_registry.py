"""Which handler saves and loads what. The rules are the engine's (perdure/checkpoint/handler_resolution.h)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from perdure import _core
from perdure._src.arguments import checked
from perdure._src.checkpointable_types import StatefulCheckpointable, typestr
from perdure.errors import AlreadyExistsError, InvalidError, NoHandlerError


class Entry(NamedTuple):
    """A registered handler. ``recorded_as``: what checkpoints call it; other names of it are ``secondary_typestrs``."""

    handler: type
    name: str | None
    recorded_as: str
    secondary_typestrs: tuple[str, ...]


class Registry:
    """Handlers in the order in which they were added; later ones go before earlier ones. Not for several threads at once."""

    def __init__(self, entries: Sequence[Entry] = ()):
        self._entries = list(entries)

    def add(
        self, handler: type, *, checkpointable_name: str | None = None, secondary_typestrs: Sequence[str] | None = None
    ) -> Registry:
        """Adds a handler and returns the registry.

        Args:
            handler: A class in the form of ``CheckpointableHandler`` that can be made without arguments.
            checkpointable_name: Only for the checkpointable of that name, which it then gets whatever it says of it.
            secondary_typestrs: Names under which older checkpoints recorded it.

        Raises:
            InvalidError: ``handler`` is no class.
            AlreadyExistsError: It was added before, or another handler has this name.
        """
        if not isinstance(handler, type):
            raise InvalidError(f"handler: expected a class, found an instance of '{type(handler).__name__}'")
        if isinstance(secondary_typestrs, str):
            raise InvalidError("secondary_typestrs: a sequence of names, not a str")
        if checkpointable_name is not None and self.has(checked(checkpointable_name, str, "checkpointable_name")):
            raise AlreadyExistsError(f"a handler for '{checkpointable_name}' is registered already")
        if checkpointable_name is None and any(e.handler is handler and e.name is None for e in self._entries):
            raise AlreadyExistsError(f"handler '{typestr(handler)}' is registered already")
        recorded_as = vars(handler).get("recorded_as", typestr(handler))
        own = () if recorded_as == typestr(handler) else (typestr(handler),)
        secondary = (*own, *vars(handler).get("secondary_typestrs", ()), *(secondary_typestrs or ()))
        self._entries.append(Entry(handler, checkpointable_name, recorded_as, secondary))
        return self

    def get(self, checkpointable_name: str) -> type:
        """The handler of that name. Raises NoHandlerError if there is none."""
        for entry in self._entries:
            if entry.name is not None and entry.name == checkpointable_name:
                return entry.handler
        raise NoHandlerError(f"no handler is registered for '{checkpointable_name}'")

    def has(self, checkpointable_name: str) -> bool:
        """Whether a handler of that name was added."""
        return any(entry.name is not None and entry.name == checkpointable_name for entry in self._entries)

    def get_all_entries(self) -> list[tuple[type, str | None]]:
        """Handler and name of every entry, in order."""
        return [(entry.handler, entry.name) for entry in self._entries]

    def get_secondary_typestrs(self, handler: type) -> tuple[str, ...]:
        """The older names of a handler."""
        return tuple(name for entry in self._entries if entry.handler is handler for name in entry.secondary_typestrs)

    def entries(self) -> list[Entry]:
        return list(self._entries)


class _GlobalView(Registry):
    """The handlers that are registered for all, as the registry of a context that has none of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._entries = _global_registry._entries

    def add(self, handler: type, **_: Any) -> Registry:
        raise NotImplementedError("the registry of a default context cannot be changed: use local_registry() or register_handler()")


_global_registry = Registry()


def global_registry() -> Registry:
    """The registry of ``register_handler``."""
    return _global_registry


def default_registry() -> Registry:
    """A view of the global registry that cannot be changed."""
    return _GlobalView()


def local_registry(other: Registry | None = None, *, include_global_registry: bool = True) -> Registry:
    """A registry for ``Context.checkpointables.registry``: what is registered globally now, then what ``other`` has, then what you add."""
    entries = _global_registry.entries() if include_global_registry else []
    if other is not None:
        entries += [entry for entry in checked(other, Registry, "other").entries() if entry not in entries]
    return Registry(entries)


def register_handler(
    cls: type, *, checkpointable_name: str | None = None, secondary_typestrs: Sequence[str] | None = None
) -> type:
    """Registers a handler for all contexts that have no registry of their own. Returns ``cls``; errors as of ``Registry.add``."""
    _global_registry.add(cls, checkpointable_name=checkpointable_name, secondary_typestrs=secondary_typestrs)
    return cls


def is_stateful(value: Any) -> bool:
    return not isinstance(value, type) and isinstance(value, StatefulCheckpointable)


class Resolved(NamedTuple):
    """A handler made for a checkpointable, and what is recorded of it."""

    handler: Any
    typestr: str


class Resolver:
    """Finds handlers in a registry. For one call: each handler is made at most once."""

    def __init__(self, registry: Registry):
        self._entries = registry.entries()
        self._rows = [(entry.recorded_as, entry.name, list(entry.secondary_typestrs)) for entry in self._entries]
        self._made: dict[type, Any] = {}

    def for_save(self, name: str, checkpointable: Any) -> Resolved:
        """Raises InvalidError for None, NoHandlerError naming the checkpointable and its type."""
        if checkpointable is None:
            raise InvalidError(f"checkpointable '{name}' is None")
        index = _core.handler_to_save(
            self._rows, name, is_stateful(checkpointable), lambda i: self._handler(i).is_handleable(checkpointable)
        )
        return self._found(index, f"no handler can save checkpointable '{name}' of type '{type(checkpointable).__name__}'")

    def for_load(self, name: str, recorded: str, abstract: Any) -> Resolved:
        """Raises NoHandlerError naming the checkpointable, what is recorded, and the type that was asked for."""
        index = _core.handler_to_load(
            self._rows,
            name,
            recorded,
            abstract is not None,
            abstract is not None and is_stateful(abstract),
            lambda i: self._handler(i).is_abstract_handleable(abstract),
        )
        asked = "" if abstract is None else f" into a '{type(abstract).__name__}'"
        return self._found(index, f"no handler can load checkpointable '{name}', saved by '{recorded or 'nobody'}',{asked or ' as saved'}")

    def _found(self, index: int | None, message: str) -> Resolved:
        if index is None:
            known = ", ".join(sorted({entry.recorded_as for entry in self._entries})) or "none"
            raise NoHandlerError(f"{message}; registered handlers: {known}")
        return Resolved(self._handler(index), self._entries[index].recorded_as)

    def _handler(self, index: int) -> Any:
        cls = self._entries[index].handler
        if cls not in self._made:
            self._made[cls] = _construct(cls)
        return self._made[cls]


def _construct(cls: Callable[[], Any]) -> Any:
    try:
        return cls()
    except TypeError as error:
        raise InvalidError(f"handler '{typestr(cls)}' cannot be constructed without arguments: {error}") from error
