"""Optimizers and schedulers from their recipes, over what they belong to."""

from __future__ import annotations

from typing import Any

from perdure._src.recipe import frameworks
from perdure._src.recipe.spec import BaseSpec
from perdure.errors import InputTypeError


def build_optimizer(spec: BaseSpec, model: Any) -> Any:
    return _with_state(spec.build(model.parameters()), spec)


def build_scheduler(spec: BaseSpec, optimizer: Any) -> Any:
    """Schedulers that are made of schedulers (SequentialLR) share the optimizer."""
    inner = {name: _inner(getattr(spec, name), optimizer) for name in spec.model_dump() if _holds_specs(getattr(spec, name))}
    if frameworks.takes_schedulers_first(spec.cls_path):
        return _with_state(spec.build(optimizer=optimizer, **inner), spec)
    return _with_state(spec.build(optimizer, **inner), spec)


def _holds_specs(value: Any) -> bool:
    return isinstance(value, BaseSpec) or (type(value) in (list, tuple) and any(isinstance(item, BaseSpec) for item in value))


def _inner(value: Any, optimizer: Any) -> Any:
    if isinstance(value, BaseSpec):
        return build_scheduler(value, optimizer)
    return [_inner(item, optimizer) for item in value] if type(value) in (list, tuple) else value


def _with_state(built: Any, spec: BaseSpec) -> Any:
    if not (hasattr(built, "state_dict") and hasattr(built, "load_state_dict")):
        raise InputTypeError(f"{spec.cls_path} gave a '{type(built).__name__}', which has no state_dict and load_state_dict")
    return built
