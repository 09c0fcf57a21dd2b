"""Containers that only JAX can take apart (Flax NNX modules and variables): its pytree nodes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from perdure._src.adapters.table import adapter_of_class


def is_node(leaf: Any) -> bool:
    """Whether JAX, if it is imported, knows the class of ``leaf`` as a container."""
    jax = sys.modules.get("jax")
    return hasattr(jax, "tree_util") and adapter_of_class(type(leaf)) is None and not jax.tree_util.all_leaves([leaf])


def node_children(node: Any) -> list[tuple[Any, Any]]:
    """Key and child, of those that are state; what is fixed (a module's settings) stays with the class."""
    import jax

    children, _ = jax.tree_util.tree_flatten_with_path(node, is_leaf=lambda part: part is not node)
    return [(_plain_key(path[0]), child) for path, child in children]


def node_like(node: Any, children: Sequence[Any]) -> Any:
    """A node like ``node`` with other children."""
    import jax

    return jax.tree_util.tree_structure(node, is_leaf=lambda part: part is not node).unflatten(children)


def _plain_key(entry: Any) -> Any:
    """Of jax.tree_util: GetAttrKey, DictKey, SequenceKey, FlattenedIndexKey, or a key of the class's own."""
    return next((getattr(entry, name) for name in ("name", "key", "idx") if hasattr(entry, name)), str(entry))
