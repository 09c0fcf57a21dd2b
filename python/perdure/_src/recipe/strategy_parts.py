"""What a training strategy is given: models, live or as recipes, and recipes over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perdure._src.arguments import checked
from perdure._src.recipe import frameworks
from perdure._src.recipe.spec import BaseSpec
from perdure.errors import InputTypeError, InvalidError


def built_models(models: dict[str, Any]) -> tuple[dict[str, Any], dict[str, tuple[Any, BaseSpec]]]:
    """The live ones, and those that a recipe made, with it."""
    live = {name: model.build() if isinstance(model, BaseSpec) else model for name, model in models.items()}
    for name, model in live.items():
        if not frameworks.is_module(model):
            raise InputTypeError(f"models: a torch module, or a recipe of one, not {name!r}: '{type(model).__name__}'")
    return live, {name: (live[name], spec) for name, spec in models.items() if isinstance(spec, BaseSpec)}


def named_models(models: Any) -> dict[str, Any]:
    named = dict(models) if isinstance(models, Mapping) and not frameworks.is_module(models) else {"main": models}
    for name in named:
        if not isinstance(name, str):
            raise InputTypeError(f"models: a torch module, or a dict of these by name, not by {name!r}")
    if not named:
        raise InvalidError("models: there is none")
    return named


def checked_specs(specs: Any, known: Mapping[str, Any], what: str, over: str) -> dict[str, BaseSpec]:
    named = {"main": specs} if isinstance(specs, BaseSpec) else checked({} if specs is None else specs, Mapping, f"{what}s")
    for name, spec in named.items():
        if not isinstance(spec, BaseSpec):
            raise InputTypeError(f"{what} '{name}': a recipe of it (create_model_spec), not a '{type(spec).__name__}'")
        if name not in known:
            raise InvalidError(f"{what} '{name}' is for no {over}: there are {sorted(known)}")
    return dict(named)
