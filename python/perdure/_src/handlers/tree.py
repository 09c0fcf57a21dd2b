"""Trees of arrays and plain values; bare arrays and values are trees of one leaf."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from perdure import _core
from perdure._src.handlers.native import Item, NativeHandler
from perdure._src.tree_io import tree_writer
from perdure._src.type_handlers.own_handlers import handler_typestr
from perdure.errors import CorruptError


class TreeHandler(NativeHandler):
    """Any tree that ``perdure.save`` takes, as ``perdure.save`` stores it."""

    recorded_as, secondary_typestrs, _ = _core.handler_names("TreeHandler")

    def writer(self, checkpointable: Any) -> _core.ItemWriter:
        return tree_writer(checkpointable)

    def read(self, item: Item, abstract: Any) -> Any:
        return item.load_tree(abstract)

    def describe(self, item: Item) -> Any:
        return item.describe_tree()

    def is_handleable(self, checkpointable: Any) -> bool:
        """Containers whatever they hold, so that a leaf that cannot be saved is named by its key path; and leaves.

        A dataclass that holds no array is somebody's object rather than a state.
        """
        if handler_typestr(type(checkpointable)) is not None:
            return True
        if dataclasses.is_dataclass(checkpointable) and not isinstance(checkpointable, type):
            return _core.has_array(checkpointable)
        return _core.is_tree(checkpointable)

    def is_abstract_handleable(self, abstract_checkpointable: Any) -> bool | None:
        return (
            isinstance(abstract_checkpointable, (Mapping, list, tuple))
            or _core.is_tree(abstract_checkpointable)
            or (hasattr(abstract_checkpointable, "shape") and hasattr(abstract_checkpointable, "dtype"))
            or handler_typestr(type(abstract_checkpointable)) is not None
        )


class ArrayHandler(TreeHandler):
    """One array in the form of Orbax's older handler, under the name ``checkpoint``. Others are saved as trees of one leaf."""

    recorded_as, secondary_typestrs, _ = _core.handler_names("ArrayHandler")

    def writer(self, checkpointable: Any) -> _core.ItemWriter:
        return tree_writer({"checkpoint": checkpointable}, use_ocdbt=False)

    def read(self, item: Item, abstract: Any) -> Any:
        name = self._name(item)
        return item.load_tree(None if abstract is None else {name: abstract})[name]

    def describe(self, item: Item) -> Any:
        return item.describe_tree()[self._name(item)]

    def _name(self, item: Item) -> str:
        """Orbax's handler lets its user choose it."""
        described = item.describe_tree()
        if not isinstance(described, dict) or len(described) != 1:
            raise CorruptError(f"there is no single array in '{item.path}'")
        return next(iter(described))

    def is_handleable(self, checkpointable: Any) -> bool:
        return False  # unless it is asked for by name

    def is_abstract_handleable(self, abstract_checkpointable: Any) -> bool | None:
        return None
