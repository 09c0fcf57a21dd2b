"""TrainingStrategy: live models, optimizers and schedulers, with the recipes to build them again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from perdure._src.arguments import PathLike, checked
from perdure._src.recipe import random_state, strategy_check, strategy_files, strategy_parts, strategy_recipe, strategy_save, strategy_state
from perdure._src.recipe.building import build_optimizer, build_scheduler
from perdure._src.recipe.hooks import CheckpointHook
from perdure._src.recipe.policy import Policy
from perdure._src.recipe.spec import BaseSpec
from perdure.errors import InvalidError


class TrainingStrategy:
    """What a training run consists of. It has no loop: yours calls ``step_done()`` and ``epoch_done()``.

    Args:
        models: torch modules by name, or recipes of them, which are built; a single one is called "main". What was built from a recipe is
            saved with it, so a model that forgets its arguments is best given as one.
        optimizers: Recipes by the name of the model over whose parameters they are built; a single one is that of "main".
        schedulers: The same, by the name of the optimizer that they are built over; recipes in them get the optimizer too.
        training_fn: Any callable; recorded by its import path, never as code.
        config: Plain JSON that travels along; objects in it that have ``to_spec()`` travel as recipes.
        hooks: Objects whose ``step_done(strategy)`` and ``epoch_done(strategy)`` are called, where they have them. The state of those that
            are a CheckpointableHook is saved.

    ``models``, ``optimizers`` and ``schedulers`` are the live objects. Not thread-safe: it belongs to the thread that trains.

    Raises:
        InputTypeError, InvalidError: No module, no recipe, or a recipe for a name that is not there.
        RecipeError: An optimizer or scheduler cannot be built.
    """

    def __init__(
        self,
        models: Any,
        *,
        optimizers: BaseSpec | Mapping[str, BaseSpec] | None = None,
        schedulers: BaseSpec | Mapping[str, BaseSpec] | None = None,
        training_fn: Callable | None = None,
        config: Mapping[str, Any] | None = None,
        hooks: Sequence[Any] = (),
    ) -> None:
        self.models, self._model_specs = strategy_parts.built_models(strategy_parts.named_models(models))
        self.training_fn, self.hooks = training_fn, list(hooks)
        self.config = dict(checked({} if config is None else config, Mapping, "config"))
        strategy_recipe.write_config(self.config)  # now, rather than at the first save
        self._optimizer_specs = strategy_parts.checked_specs(optimizers, self.models, "optimizer", "model")
        self._scheduler_specs = strategy_parts.checked_specs(schedulers, self._optimizer_specs, "scheduler", "optimizer")
        self.optimizers = {name: build_optimizer(spec, self.models[name]) for name, spec in self._optimizer_specs.items()}
        self.schedulers = {name: build_scheduler(spec, self.optimizers[name]) for name, spec in self._scheduler_specs.items()}
        self.step_count = self.epoch_count = 0

    def step_done(self) -> None:
        """Counts an optimizer step and tells the hooks; those that save come last."""
        self.step_count += 1
        self._tell("step_done")

    def epoch_done(self) -> None:
        """Counts an epoch and tells the hooks; those that save come last."""
        self.epoch_count += 1
        self._tell("epoch_done")

    def to_spec_dict(self) -> dict[str, Any]:
        """The recipe, ready for ``json``: ``model_specs``, ``optimizers``, ``schedulers``, ``training_fn`` and ``config``; no weights, no code.

        A model that no recipe leads to is left out with a UserWarning that names the argument; so is a ``training_fn`` without an import path.
        Hooks are not in it.
        """
        return strategy_save.spec_dict(self)

    @classmethod
    def from_spec_dict(
        cls,
        spec_dict: dict[str, Any],
        *,
        models: Any = None,
        hooks: Sequence[Any] | None = None,
        training_fn: Callable | None = None,
        policy: Policy | None = None,
    ) -> Self:
        """A fresh strategy from its recipe. Everything is checked before anything is imported or built.

        Args:
            models: Live ones, instead of those that the recipe would build.
            hooks: As of the constructor; recipes have none.
            training_fn: Instead of the recorded one. Needed if none could be recorded.
            policy: What the recipe may name.

        Raises:
            RecipeError: Malformed or refused; ``json_path`` says where.
            InvalidError: ``training_fn`` or every model is missing.
        """
        recipe = strategy_recipe.read_recipe(spec_dict, policy)
        return cls._built(recipe, None, models, hooks, training_fn, policy)[0]

    def save_checkpoint(self, root: PathLike, *, checkpoint_index: int = -1) -> int:
        """Saves recipe and state as ``root/INDEX``, in one commit. Changes nothing of the run; durable when this returns.

        Args:
            root: Directory of this run's checkpoints.
            checkpoint_index: -1: one more than the highest that is there.

        Returns:
            The index.

        Raises:
            ValueError: No recipe leads to a model, or ``root`` holds checkpoints of another architecture. Nothing was written.
            AlreadyExistsError: The index is taken.
            Whatever else ``perdure.save`` or a hook's ``state_dict()`` raises. What was there stays.
        """
        return strategy_save.save(self, root, checkpoint_index)

    def save_checkpoint_async(self, root: PathLike, *, checkpoint_index: int = -1) -> strategy_save.PendingCheckpoint:
        """The same in the background: returns once everything that training may change has been copied. ``result()`` gives the index."""
        return strategy_save.save_async(self, root, checkpoint_index)

    @classmethod
    def load_checkpoint(
        cls,
        root: PathLike,
        checkpoint_index: int = -1,
        map_location: Any = None,
        *,
        models: Any = None,
        hooks: Sequence[Any] | None = None,
        training_fn: Callable | None = None,
        policy: Policy | None = None,
        restore_random_state: bool = True,
    ) -> Self:
        """Builds a saved strategy and restores its state: weights, optimizers, schedulers, counters, hooks, random streams.

        Args:
            checkpoint_index: -1: the latest.
            map_location: Device for the models that are built. None: where their constructors put them.
            models, hooks, training_fn, policy: As of ``from_spec_dict``. Hooks get the saved states of their class, in order.
            restore_random_state: Let the process's random streams go on as those of the saved run; else they stay as they are.

        Raises:
            NotFoundError: No such checkpoint.
            CorruptError, MismatchError, RecipeError, InvalidError: It is damaged, does not fit what was given, or is refused.
        """
        index = strategy_files.find_index(root, checkpoint_index)
        recipe = strategy_recipe.read_recipe(strategy_files.read_recipe(root, index), policy)
        with random_state.unchanged():
            strategy, built = cls._built(recipe, map_location, models, hooks, training_fn, policy)
            state = strategy_files.read_state(root, index)
            strategy_check.check(state, strategy)
            strategy_state.restore_modes(state["modes"], built)
            strategy_state.restore(state, strategy)
        if restore_random_state:
            random_state.put_random_state(state["random"])
        return strategy

    def restore_checkpoint(self, root: PathLike, checkpoint_index: int = -1, *, restore_random_state: bool = True) -> None:
        """Restores a saved state into this strategy's own objects, which must be of the same shapes. Arguments, errors: ``load_checkpoint``."""
        state = strategy_files.read_state(root, strategy_files.find_index(root, checkpoint_index))
        strategy_check.check(state, self)
        strategy_state.restore(state, self)
        if restore_random_state:
            random_state.put_random_state(state["random"])

    def _tell(self, event: str) -> None:
        for hook in sorted(self.hooks, key=lambda hook: isinstance(hook, CheckpointHook)):
            if callable(handle := getattr(hook, event, None)):
                handle(self)

    @classmethod
    def _built(
        cls, recipe: strategy_recipe.StrategyRecipe, map_location: Any, models: Any, hooks: Any, training_fn: Any, policy: Any
    ) -> tuple[Self, dict[str, Any]]:
        """The strategy, and those of its models that were built."""
        live = {} if models is None else strategy_parts.named_models(models)
        if training_fn is None and not recipe.has_training_fn:
            raise InvalidError("training_fn: none could be recorded, so it has to be given again")
        if training_fn is None and recipe.training_fn is not None:
            training_fn = strategy_recipe.load_training_fn(recipe.training_fn, policy)
        built = {name: spec.build() for name, spec in recipe.model_specs.items() if name not in live}
        if map_location is not None:
            built = {name: model.to(map_location) for name, model in built.items()}
        if not built and not live:
            raise InvalidError("models: no recipe of any was recorded, so they have to be given again")
        strategy = cls(
            {**built, **live},
            optimizers=recipe.optimizers,
            schedulers=recipe.schedulers,
            training_fn=training_fn,
            config=strategy_recipe.build_config(recipe.config),
            hooks=hooks or (),
        )
        strategy._model_specs = {name: (model, recipe.model_specs[name]) for name, model in built.items()}
        return strategy, built
