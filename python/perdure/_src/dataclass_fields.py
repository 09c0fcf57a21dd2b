"""Fields of dataclasses: which are part of a tree, and which make an instance again."""

from __future__ import annotations

import dataclasses
import inspect


def tree_fields(cls: type) -> list[str]:
    """Names of the fields that are children in a tree.

    Without what flax.struct and jax.tree_util.register_dataclass mark as no part of the pytree: functions, settings.
    """
    return [
        field.name
        for field in dataclasses.fields(cls)
        if field.metadata.get("pytree_node") is not False and field.metadata.get("static") is not True
    ]


def constructor_fields(cls: type) -> tuple[str, ...] | None:
    """Names of the fields that the constructor takes as keywords; ``None`` if it needs more than fields, or not all of them."""
    names = tuple(field.name for field in dataclasses.fields(cls) if field.init)
    try:
        inspect.signature(cls).bind(**dict.fromkeys(names))
    except (TypeError, ValueError):  # an InitVar without default, a constructor of its own, none that can be looked at
        return None
    return names
