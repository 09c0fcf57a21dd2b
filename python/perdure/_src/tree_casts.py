"""Which casts of a restore have changed values, as perdure.load tells it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from perdure import _core
from perdure.errors import InvalidError

_LOOKED_AT_ONCE = 1 << 20  # elements: a check needs little memory


class Cast(NamedTuple):
    value: Any  # the object in the flat dict
    elements: Callable[[], np.ndarray]  # its elements as bytes of the source dtype, in rows
    source: str
    target: str


_local = threading.local()


@contextlib.contextmanager
def recorded() -> Iterator[list[Cast]]:
    """The casts that this thread makes within; those of a restore inside another belong to the inner one."""
    before = getattr(_local, "casts", None)
    _local.casts = casts = []
    try:
        yield casts
    finally:
        _local.casts = before


def record(value: Any, elements: Callable[[], np.ndarray], source: str, target: str) -> None:
    casts = getattr(_local, "casts", None)
    if casts is not None and source != target:
        casts.append(Cast(value, elements, source, target))


def lossy_keys(casts: list[Cast], sd: Mapping[str, Any]) -> list[str]:
    """The keys of values that are not what they were, beyond the rounding between widths of floats."""
    lossy = {id(cast.value) for cast in casts if _changes_values(cast)}
    return [key for key, value in sd.items() if id(value) in lossy] if lossy else []


def _changes_values(cast: Cast) -> bool:
    elements = cast.elements()
    try:
        return any(
            any(_core.cast(elements[start : start + _LOOKED_AT_ONCE].tobytes(), cast.source, cast.target)[1])
            for start in range(0, len(elements), _LOOKED_AT_ONCE)
        )
    except InvalidError:  # a dtype that only its package has
        return False
