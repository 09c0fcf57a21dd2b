"""perdure.tree: arguments made plain for the engine, and one warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar, runtime_checkable

from perdure import _core
from perdure._src.adapters import meet
from perdure._src.arguments import checked
from perdure._src.cast_warnings import warn_of_casts
from perdure._src.tree_casts import lossy_keys, recorded
from perdure.errors import InputTypeError, UnusedKeysWarning

T = TypeVar("T")
SaveFunction = Callable[[Any], Mapping[str, Any]]
LoadFunction = Callable[[Any, dict[str, Any]], Any]


@runtime_checkable
class Serializer(Protocol):
    """The two functions of :func:`register_serializer` as methods of one object."""

    def state_dict(self, obj: Any) -> Mapping[str, Any]: ...

    def from_state_dict(self, template: Any, sd: dict[str, Any]) -> Any: ...


def state_dict(obj: Any) -> dict[str, Any]:
    """Every leaf of ``obj`` under its key path.

    Registered types come first, then containers: mappings, lists, tuples, NamedTuples, dataclasses. Leaves are ``None``, bool, int,
    float and str, written as they are, and arrays of torch, NumPy and jax: those that can be changed in place are copied, a Parameter
    becomes a plain detached tensor. Empty containers write nothing.

    Returns:
        A new dict, in the order of the walk. It shares no memory with ``obj``, except what serializers put into it.

    Raises:
        InputTypeError: A leaf of another type, two leaves with one key, or a container that contains itself; the message has the key.
        Exception: What a serializer raises, with a note that has the key.
    """
    return _core.state_dict(obj)


def from_state_dict(template: T, sd: Mapping[str, Any], *, copy: bool = True) -> T:
    """A twin of ``template`` with the values of ``sd``.

    Containers, their classes, keys and lengths come from the template, and so do dtype, device, ``requires_grad`` and the class
    of arrays, whose shapes must be equal. A slot whose key is missing keeps the template's own object, and so does an array whose
    value is ``None``. A slot of a plain value takes whatever ``sd`` has.

    Args:
        template: What the program builds before it looks for a checkpoint. It is not changed.
        sd: What ``state_dict`` gave.
        copy: The result shares no memory with ``sd``; ``False``: arrays that fit as they are may be the same.

    Warns:
        UnusedKeysWarning: Keys of ``sd`` that nothing asked for, or arrays of the template that nothing filled; once, with all of them.
        LossyCastWarning: Arrays that the template's dtype cannot hold, beyond the rounding of floats; once, with all of their keys.

    Raises:
        MismatchError: An array has another shape.
        CheckpointError: A tensor's slot has something else.
        InputTypeError: The template holds a leaf of unknown type.
        Exception: What a serializer raises, with a note that has the key.
    """
    with recorded() as casts:
        restored, unused, unfilled = _core.from_state_dict(template, sd, copy=checked(copy, bool, "copy"))
    if unused or unfilled:
        warnings.warn(UnusedKeysWarning(_report(unused, unfilled)), stacklevel=2)
    warn_of_casts("the template's dtype", lossy_keys(casts, sd))
    return restored


def _report(unused: list[str], unfilled: list[str]) -> str:
    parts = []
    if unused:
        parts.append("not asked for by the template: " + ", ".join(map(repr, unused)))
    if unfilled:
        parts.append("arrays that keep the template's values: " + ", ".join(map(repr, unfilled)))
    return "; ".join(parts)


def register_serializer(typ: type, state_dict_fn: SaveFunction, from_state_dict_fn: LoadFunction) -> None:
    """Says how instances of ``typ``, and of subclasses without a registration of their own, are written and read.

    Registering again replaces. :func:`perdure.save` and :func:`perdure.load` honour it too. The class stays alive.

    Args:
        typ: The class. It is looked up by ``type(obj)`` and then along its ``__mro__``, before anything else.
        state_dict_fn: ``(obj) -> mapping`` from keys below the object's own key (``""`` is that key itself) to values, which are
            stored untouched.
        from_state_dict_fn: ``(template, sd) -> obj``, where ``sd`` has the relative keys; it may be empty.
    """
    for function, name in ((state_dict_fn, "state_dict_fn"), (from_state_dict_fn, "from_state_dict_fn")):
        if not callable(function):
            raise InputTypeError(f"{name}: expected a function, found '{type(function).__name__}'")
    meet(checked(typ, type, "typ"))  # or what perdure registers for that library would come later, and win
    _core._register_serializer(typ, state_dict_fn, from_state_dict_fn)


def register_template_restored(typ: type) -> None:
    """Says that instances of ``typ`` carry no state: nothing is written, and the template's own object is what comes back."""
    register_serializer(typ, lambda obj: {}, lambda template, sd: template)


def lookup_serializer(typ: type) -> tuple[SaveFunction, LoadFunction] | None:
    """The functions registered for exactly ``typ``, or ``None``."""
    meet(checked(typ, type, "typ"))
    return _core._lookup_serializer(typ)


def resolve_serializer(typ: type) -> tuple[SaveFunction, LoadFunction] | None:
    """The functions that an instance of ``typ`` would be written and read with: the first along ``typ.__mro__``, or ``None``."""
    return _core._resolve_serializer(checked(typ, type, "typ"))
