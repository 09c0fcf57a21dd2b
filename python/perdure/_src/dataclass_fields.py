"""How an instance of a dataclass is made again by its constructor."""

from __future__ import annotations

import dataclasses
import inspect


def constructor_fields(cls: type) -> tuple[str, ...] | None:
    """Names of the fields that the constructor takes as keywords; ``None`` if it needs more than fields, or not all of them."""
    names = tuple(field.name for field in dataclasses.fields(cls) if field.init)
    try:
        inspect.signature(cls).bind(**dict.fromkeys(names))
    except (TypeError, ValueError):  # an InitVar without default, a constructor of its own, none that can be looked at
        return None
    return names
