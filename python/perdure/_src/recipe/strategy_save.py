"""Saving a training strategy: everything that can be refused is, before a file is written."""

from __future__ import annotations

import warnings
from typing import Any

from perdure._src.arguments import PathLike
from perdure._src.recipe import strategy_files, strategy_recipe, strategy_state
from perdure._src.recipe.description import without_timestamps
from perdure._src.response import SaveResponse
from perdure.errors import Error, InvalidError


class PendingCheckpoint:
    """A save in the background."""

    def __init__(self, index: int, response: SaveResponse) -> None:
        self.checkpoint_index = index
        self._response = response

    def result(self, timeout: float | None = None) -> int:
        """The index, once the checkpoint is durable. Raises what made the save fail; TimeoutError after ``timeout`` seconds."""
        self._response.result(timeout)
        return self.checkpoint_index


def spec_dict(strategy: Any) -> dict[str, Any]:
    specs, errors = strategy_recipe.write_models(strategy.models, strategy._model_specs)
    for name, error in errors.items():
        warnings.warn(f"Omitting model spec for '{name}': {strategy_recipe.reason(error)}", UserWarning, stacklevel=3)
    return _written(strategy, specs)


def save(strategy: Any, root: PathLike, checkpoint_index: int) -> int:
    index, recipe = _plan(strategy, root, checkpoint_index)
    strategy_files.write(root, index, recipe, strategy_state.capture(strategy))
    return index


def save_async(strategy: Any, root: PathLike, checkpoint_index: int) -> PendingCheckpoint:
    index, recipe = _plan(strategy, root, checkpoint_index)
    return PendingCheckpoint(index, strategy_files.write_async(root, index, recipe, strategy_state.capture(strategy)))


def _plan(strategy: Any, root: PathLike, checkpoint_index: int) -> tuple[int, dict[str, Any]]:
    strategy_files.checked_index(checkpoint_index)
    specs, errors = strategy_recipe.write_models(strategy.models, strategy._model_specs)
    if errors:
        reasons = "; ".join(f"{name}: {strategy_recipe.reason(error)}" for name, error in errors.items())
        message = f"Cannot save strategy checkpoint because model spec generation failed for model(s) {sorted(errors)}: {reasons}"
        raise InvalidError(message) from next(iter(errors.values()))
    recipe = _written(strategy, specs)
    strategy_files.wait_for_saves(root)
    _check_same_models(recipe["model_specs"], root)
    return strategy_files.next_index(root) if checkpoint_index == -1 else checkpoint_index, recipe


def _written(strategy: Any, specs: dict[str, Any]) -> dict[str, Any]:
    return {
        "model_specs": {name: spec.model_dump() for name, spec in specs.items()},
        "optimizers": {name: spec.model_dump() for name, spec in strategy._optimizer_specs.items()},
        "schedulers": {name: spec.model_dump() for name, spec in strategy._scheduler_specs.items()},
        **strategy_recipe.write_training_fn(strategy.training_fn),
        "config": strategy_recipe.write_config(strategy.config),
    }


def _check_same_models(specs: dict[str, Any], root: PathLike) -> None:
    there = strategy_files.indices(root)
    if not there:
        return
    try:
        saved = without_timestamps(strategy_files.read_recipe(root, there[-1])["model_specs"])
    except (Error, TypeError, KeyError, RecursionError):  # damaged, or of another program: no reason to lose this state too
        return
    if difference := _difference(saved, without_timestamps(specs), ""):
        raise InvalidError(f"checkpoint {there[-1]} in '{root}' is of another architecture: {difference}; save to another directory")


def _difference(was: Any, now: Any, where: str) -> str | None:
    if isinstance(was, dict) and isinstance(now, dict):
        found = (_difference(was.get(key), now.get(key), f"{where}.{key}".removeprefix(".")) for key in {**was, **now})
        return next((difference for difference in found if difference), None)
    return None if was == now else f"{where} is {was!r} there, {now!r} here"
