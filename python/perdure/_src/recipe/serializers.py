"""Types of the user's that recipes can hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from perdure._src.recipe import static


class Registered(NamedTuple):
    cls: type
    path: str
    serialize: Callable[[Any], Any]
    deserialize: Callable[[Any], Any]


_by_id: dict[int, Registered] = {}  # of the class: it is not asked for its hash; kept alive by the row


def register_type_serializer(typ: type, serialize: Callable[[Any], Any], deserialize: Callable[[Any], Any]) -> None:
    """Lets arguments of exactly the class ``typ`` stand in recipes.

    Args:
        typ: The class. Registering it again replaces the pair.
        serialize: Gives plain JSON for an object: None, bool, int, finite float, str, list, dict with text keys. Anything else is
            refused when the spec is made.
        deserialize: Makes the object of that JSON, and of nothing else. Called by ``build()`` only.

    Raises:
        TypeError: ``typ`` is no class, or one of the two cannot be called.
    """
    if not isinstance(typ, type) or not callable(serialize) or not callable(deserialize):
        raise TypeError("register_type_serializer(typ, serialize, deserialize) needs a class and two callables")
    _by_id[id(typ)] = Registered(typ, f"{static.module_name(typ)}.{static.qualname(typ)}", serialize, deserialize)


def find(cls: type) -> Registered | None:
    return _by_id.get(id(cls))


def find_path(path: str) -> Registered | None:
    return next((registered for registered in reversed(_by_id.values()) if registered.path == path), None)
