"""Containers that only JAX can take apart (Flax NNX modules and variables): its pytree nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jax import tree_util


def is_node(leaf: Any) -> bool:
    return not tree_util.all_leaves([leaf])


def node_children(node: Any) -> list[tuple[Any, Any]]:
    """What is fixed (a module's settings) stays with the class."""
    children, _ = tree_util.tree_flatten_with_path(node, is_leaf=lambda part: part is not node)
    return [(_plain_key(path[0]), child) for path, child in children]


def node_like(node: Any, children: Sequence[Any]) -> Any:
    return tree_util.tree_structure(node, is_leaf=lambda part: part is not node).unflatten(children)


def node_copy(node: Any) -> Any:
    children, structure = tree_util.tree_flatten(node, is_leaf=lambda part: part is not node)
    return structure.unflatten(children)


def _plain_key(entry: Any) -> Any:
    """Of jax.tree_util: GetAttrKey, DictKey, SequenceKey, FlattenedIndexKey, or a key of the class's own."""
    return next((getattr(entry, name) for name in ("name", "key", "idx") if hasattr(entry, name)), str(entry))
