"""Where the checkpoints of a training strategy lie: ``root/INDEX``, each one perdure checkpoint with the items ``recipe`` and ``state``."""

from __future__ import annotations

import os
from typing import Any

from perdure._src.arguments import PathLike
from perdure._src.checkpoint import load_checkpointables, save_checkpointables
from perdure.errors import CorruptError, InvalidError, NotFoundError

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
    save_checkpointables(path_of(root, index), {RECIPE: recipe, STATE: state})


def read(root: PathLike, index: int) -> tuple[Any, Any]:
    """Recipe and state."""
    items = load_checkpointables(path_of(root, index))
    if not items.keys() >= {RECIPE, STATE}:
        raise CorruptError(f"'{path_of(root, index)}' is no checkpoint of a training strategy: it has {sorted(items)}")
    return items[RECIPE], items[STATE]


def read_recipe(root: PathLike, index: int) -> Any:
    return load_checkpointables(path_of(root, index), {RECIPE: None})[RECIPE]


def wait_for_saves(root: PathLike) -> None:
    """Nothing is written in the background yet."""
