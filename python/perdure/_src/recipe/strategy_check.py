"""Whether a tree is the state of a training strategy, and of this one. A checkpoint may be damaged, or somebody else's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from perdure._src.recipe import frameworks
from perdure.errors import CorruptError, MismatchError

STATEFUL = ("models", "optimizers", "schedulers")


def check(state: Any, strategy: Any) -> None:
    """Raises CorruptError if this is no strategy's state, MismatchError if it is another strategy's. Changes nothing."""
    _check_form(state, _STATE, "state")
    for kind in STATEFUL:
        _check_names(kind, state[kind], getattr(strategy, kind))
    _check_names("models", state["modes"], strategy.models)
    faults = [fault for name, model in strategy.models.items() for fault in _model_faults(name, state["models"][name], model)]
    faults += [fault for name, one in strategy.optimizers.items() for fault in _group_faults(name, state["optimizers"][name], one)]
    if faults:
        raise MismatchError("the checkpoint is of another strategy: " + "; ".join(faults))


_MODULE_PATHS = [str]
_STATE = {  # forms: a class; [form of items]; {name: form} with at least these; {None: form} of any names
    "models": {None: {None: object}},
    "optimizers": {None: {"param_groups": [{"params": list}], "state": dict}},
    "schedulers": {None: dict},
    "modes": {None: {"frozen": _MODULE_PATHS, "eval": _MODULE_PATHS}},
    "hooks": [{"class": str, "state": object}],
    "random": dict,
    "counters": {"step_count": int, "epoch_count": int},
}


def _check_form(value: Any, form: Any, where: str) -> None:
    cls = type(form) if isinstance(form, (dict, list)) else form
    if not isinstance(value, cls) or (cls is int and (isinstance(value, bool) or value < 0)):
        raise CorruptError(f"this is no state of a training strategy: {where} is a '{type(value).__name__}' {value!r:.40}")
    if isinstance(form, list):
        for index, item in enumerate(value):
            _check_form(item, form[0], f"{where}[{index}]")
    for name, inner in form.items() if isinstance(form, dict) else ():
        for key in value if name is None else [name]:
            if key not in value:
                raise CorruptError(f"this is no state of a training strategy: {where} has no '{key}'")
            _check_form(value[key], inner, f"{where}.{key}")


def _check_names(kind: str, saved: Mapping[str, Any], live: Mapping[str, Any]) -> None:
    if saved.keys() != live.keys():
        raise MismatchError(f"the checkpoint has the {kind} {sorted(saved)}, the strategy has {sorted(live)}")


def _model_faults(name: str, saved: Mapping[str, Any], model: Any) -> list[str]:
    live = frameworks.unwrapped(model).state_dict()
    faults = [f"{name}.{key} is only in the {'checkpoint' if key in saved else 'model'}" for key in saved.keys() ^ live.keys()]
    for key in saved.keys() & live.keys():
        was, now = (getattr(value, "shape", None) for value in (saved[key], live[key]))
        if was is not None and now is not None and tuple(was) != tuple(now):
            faults.append(f"shape of {name}.{key} is {list(was)} in the checkpoint, {list(now)} in the model")
    return sorted(faults)


def _group_faults(name: str, saved: Mapping[str, Any], optimizer: Any) -> list[str]:
    was, now = ([len(group["params"]) for group in state["param_groups"]] for state in (saved, optimizer.state_dict()))
    return [] if was == now else [f"optimizer {name} has groups of {was} parameters in the checkpoint, of {now} in the strategy"]


def told_of(what: str, load: Callable[[Any], object], state: Any) -> None:
    """Loads a state. What a library says of one that it cannot load is a CorruptError that names it."""
    try:
        load(state)
    except Exception as error:
        raise CorruptError(f"the state of {what} does not load: {error}") from error
