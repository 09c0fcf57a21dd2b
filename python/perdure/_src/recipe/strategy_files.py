"""Where the checkpoints of a training strategy lie: ``root/INDEX``, each one perdure checkpoint with the items ``recipe`` and ``state``."""

from __future__ import annotations

import os
import threading
from typing import Any

from perdure._src.arguments import PathLike
from perdure._src.context import Context, current_context
from perdure._src.handler_registry import Registry
from perdure._src.handlers.text import JsonHandler
from perdure._src.handlers.tree import TreeHandler
from perdure._src.load import load_checkpointables
from perdure._src.response import SaveResponse
from perdure._src.save import save_checkpointables, save_checkpointables_async
from perdure.errors import InvalidError, NotFoundError

RECIPE, STATE = "recipe", "state"


def indices(root: PathLike) -> list[int]:
    """Of the checkpoints that are there, ascending. What a save has not committed has another name."""
    try:
        names = os.listdir(root)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(int(name) for name in map(os.fsdecode, names) if name.isdecimal() and str(int(name)) == name)


def next_index(root: PathLike) -> int:
    return max(indices(root), default=-1) + 1


def find_index(root: PathLike, checkpoint_index: int) -> int:
    """-1: the latest. Raises NotFoundError."""
    there = indices(root)
    if checked_index(checkpoint_index) == -1 and there:
        return there[-1]
    if checkpoint_index not in there:
        wanted = "no checkpoint" if checkpoint_index == -1 else f"no checkpoint {checkpoint_index}"
        raise NotFoundError(f"there is {wanted} in '{os.fsdecode(root)}'" + (f", only {there}" if there else ""))
    return checkpoint_index


def checked_index(checkpoint_index: int) -> int:
    if type(checkpoint_index) is not int or checkpoint_index < -1:
        raise InvalidError(f"checkpoint_index: a count, or -1, not {checkpoint_index!r}")
    return checkpoint_index


def path_of(root: PathLike, index: int) -> str:
    return os.path.join(os.fsdecode(root), str(index))


def write(root: PathLike, index: int, recipe: dict[str, Any], state: dict[str, Any]) -> None:
    with _context():
        save_checkpointables(path_of(root, index), {RECIPE: recipe, STATE: state})


def write_async(root: PathLike, index: int, recipe: dict[str, Any], state: dict[str, Any]) -> SaveResponse:
    with _context():
        response = save_checkpointables_async(path_of(root, index), {RECIPE: recipe, STATE: state})
    with _lock:
        _running[os.path.realpath(root)] = response
    return response


def wait_for_saves(root: PathLike) -> None:
    """Until this process's last save to ``root`` has ended. If it failed, whoever asks its response is told, or else stderr at exit."""
    with _lock:
        response = _running.pop(os.path.realpath(root), None)
    if response is not None:
        response.settle()


def read_recipe(root: PathLike, index: int) -> Any:
    return _read(root, index, RECIPE)


def read_state(root: PathLike, index: int) -> Any:
    return _read(root, index, STATE)


_running: dict[str, SaveResponse] = {}
_lock = threading.Lock()


def _context() -> Context:
    """The user's options, but for what decides how the items are stored and what they become."""
    context = Context(current_context())
    context.array.loading.as_numpy = False
    registry = Registry().add(JsonHandler, checkpointable_name=RECIPE).add(TreeHandler, checkpointable_name=STATE)
    context.checkpointables.registry = registry
    return context


def _read(root: PathLike, index: int, name: str) -> Any:
    with _context():
        return load_checkpointables(path_of(root, index), {name: None})[name]
