"""The state of a training strategy as one tree that ``perdure.load`` reads, and back into live objects.

    {"models": {name: state dict}, "optimizers": ..., "schedulers": ..., "modes": {name: {"frozen": [...], "eval": [...]}},
     "hooks": [{"class": path, "state": ...}], "random": {stream: ...}, "counters": {"step_count": 3, "epoch_count": 0}}
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from perdure._src.dict_classes import with_dict_classes_of
from perdure._src.recipe import frameworks, random_state
from perdure._src.recipe.hooks import CheckpointableHook
from perdure._src.recipe.strategy_check import STATEFUL, told_of


def capture(strategy: Any) -> dict[str, Any]:
    """Arrays are those of the live objects: they have to be written or copied before training goes on."""
    state = {kind: {name: dict(_target(one).state_dict()) for name, one in getattr(strategy, kind).items()} for kind in STATEFUL}
    state["modes"] = {name: _modes(frameworks.unwrapped(model)) for name, model in strategy.models.items()}
    state["hooks"] = [{"class": _class_path(hook), "state": hook.state_dict()} for hook in _stateful(strategy.hooks)]
    state["random"] = random_state.random_state()
    state["counters"] = {"step_count": strategy.step_count, "epoch_count": strategy.epoch_count}
    return state


def restore(state: dict[str, Any], strategy: Any) -> None:
    """``state`` must have passed ``strategy_check.check``."""
    for kind in STATEFUL:
        for name, one in getattr(strategy, kind).items():
            target = _target(one)
            told_of(f"{kind}.{name}", target.load_state_dict, with_dict_classes_of(target.state_dict(), state[kind][name]))
    _restore_hooks(state["hooks"], strategy.hooks)
    strategy.step_count, strategy.epoch_count = state["counters"]["step_count"], state["counters"]["epoch_count"]


def restore_modes(modes: Mapping[str, Any], models: Mapping[str, Any]) -> None:
    """Which parameters are frozen and which modules evaluate: recipes do not say it."""
    for name, model in models.items():
        frozen, in_eval = set(modes[name]["frozen"]), set(modes[name]["eval"])
        for path, parameter in model.named_parameters():
            parameter.requires_grad_(path not in frozen)
        for path, module in model.named_modules():
            module.training = path not in in_eval


def _target(one: Any) -> Any:
    return frameworks.unwrapped(one)


def _modes(model: Any) -> dict[str, list[str]]:
    frozen = [path for path, parameter in model.named_parameters() if not parameter.requires_grad]
    return {"frozen": frozen, "eval": [path for path, module in model.named_modules() if not module.training]}


def _class_path(hook: Any) -> str:
    return f"{type(hook).__module__}.{type(hook).__qualname__}"


def _stateful(hooks: Iterable[Any]) -> list[Any]:
    return [hook for hook in hooks if isinstance(hook, CheckpointableHook)]


def _restore_hooks(saved: Sequence[dict[str, Any]], hooks: Sequence[Any]) -> None:
    """In order; each hook takes the next state of its class."""
    left = list(saved)
    for hook in _stateful(hooks):
        index = next((index for index, entry in enumerate(left) if entry["class"] == _class_path(hook)), None)
        if index is not None:
            hook.load_state_dict(left.pop(index)["state"])
    if left and hooks:
        names = ", ".join(entry["class"] for entry in left)
        warnings.warn(f"no hook was given for the saved state of: {names}", UserWarning, stacklevel=4)
