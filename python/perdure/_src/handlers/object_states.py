"""Objects that give their state as a tree or as text and take it back: torch's modules, optimizers and loaders; data iterators."""

from __future__ import annotations

import copy
import sys
from typing import Any

from perdure import _core
from perdure._src.dict_classes import with_dict_classes_of
from perdure._src.handlers.json_text import json_bytes, parse_json
from perdure._src.handlers.native import Filling, Item, NativeHandler
from perdure._src.handlers.tree import TreeHandler
from perdure._src.tree_io import tree_writer
from perdure.errors import MismatchError, NotFoundError


def _has(value: Any, *methods: str) -> bool:
    return not isinstance(value, type) and all(callable(getattr(value, method, None)) for method in methods)


def _copy_if_unfit(target: Any, state: Any) -> Any | None:
    """The state of a module that ``state`` may not fit: torch copies what does fit before it raises. ``None``: it will raise nothing."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(target, torch.nn.Module):
        return None
    shapes = [{key: getattr(value, "shape", None) for key, value in dict(values).items()} for values in (target.state_dict(), state)]
    return None if shapes[0] == shapes[1] else copy.deepcopy(target.state_dict())


def _is_scheduler(target: Any) -> bool:
    schedulers = sys.modules.get("torch.optim.lr_scheduler")
    return schedulers is not None and isinstance(target, schedulers.LRScheduler)


def _with_state_dict(target: Any, state: Any) -> Any:
    if _is_scheduler(target):
        state = with_dict_classes_of(target.state_dict(), state)
    before = _copy_if_unfit(target, state)
    try:
        target.load_state_dict(state)
    except (RuntimeError, ValueError, KeyError) as error:
        if before is not None:
            target.load_state_dict(before)
        raise MismatchError(f"the saved state does not fit this '{type(target).__name__}': {error}") from error
    return target


def _with_state(target: Any, state: Any) -> Any:
    target.set_state(state)
    return target


class StateDictHandler(NativeHandler):
    """Objects with ``state_dict`` and ``load_state_dict``: ``nn.Module``, ``Optimizer``, schedulers, ``StatefulDataLoader``.

    Stored as the tree that ``state_dict`` gives, so that other readers and loads without an object see that tree. Loaded in place; a module that the
    state does not fit stays as it is.
    """

    recorded_as = TreeHandler.recorded_as

    def writer(self, checkpointable: Any) -> _core.ItemWriter:
        return tree_writer(checkpointable.state_dict())

    def read(self, item: Item, abstract: Any) -> Any:
        state = item.load_tree(None, as_numpy=False)
        return state if abstract is None else Filling(lambda: _with_state_dict(abstract, state))

    def describe(self, item: Item) -> Any:
        return item.describe_tree()

    def is_handleable(self, checkpointable: Any) -> bool:
        return _has(checkpointable, "state_dict", "load_state_dict")

    def is_abstract_handleable(self, abstract_checkpointable: Any) -> bool | None:
        return self.is_handleable(abstract_checkpointable)


class IteratorHandler(NativeHandler):
    """Iterators with ``get_state`` and ``set_state``, as grain's: the state as JSON, or as bytes. Loaded in place; without an iterator the
    state itself comes back."""

    recorded_as, secondary_typestrs, _ = _core.handler_names("IteratorHandler")
    _text, _bytes = "process_0-of-1.json", "process_0-of-1.bin"

    def writer(self, checkpointable: Any) -> _core.ItemWriter:
        state = checkpointable.get_state()
        if isinstance(state, (bytes, bytearray)):
            return _core.files_writer({self._bytes: bytes(state)})
        return _core.files_writer({self._text: json_bytes(state)})

    def read(self, item: Item, abstract: Any) -> Any:
        state = self._state(item)
        return state if abstract is None else Filling(lambda: _with_state(abstract, state))

    def _state(self, item: Item) -> Any:
        content = item.find_file(self._bytes)
        if content is not None:
            return content
        text = item.find_file(self._text)
        if text is None:
            raise NotFoundError(f"there is no state of an iterator in '{item.path}'")
        return parse_json(item, text)

    def is_handleable(self, checkpointable: Any) -> bool:
        return _has(checkpointable, "get_state", "set_state", "__next__")

    def is_abstract_handleable(self, abstract_checkpointable: Any) -> bool | None:
        return self.is_handleable(abstract_checkpointable)
