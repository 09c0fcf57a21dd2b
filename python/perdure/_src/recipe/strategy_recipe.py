"""The recipe of a training strategy in JSON: what it is made of, without any weights."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from perdure._src.recipe import frameworks, locate
from perdure._src.recipe.faults import at_key, fault, relocated, type_fault
from perdure._src.recipe.host import Host
from perdure._src.recipe.introspection import own_spec
from perdure._src.recipe.policy import Policy, current_policy
from perdure._src.recipe.spec import BaseSpec, create_model_spec_from_json
from perdure._src.recipe.verification import proved
from perdure.errors import Error, RecipeError

_SECTIONS = ("model_specs", "optimizers", "schedulers", "training_fn", "config")
_DEPTH_MAX = 50
_INTEGER_BITS_MAX = 14_000  # Python reads 4,300 digits


class StrategyRecipe(NamedTuple):
    """A recipe that was read. Nothing of it has been built or imported."""

    model_specs: dict[str, BaseSpec]
    optimizers: dict[str, BaseSpec]
    schedulers: dict[str, BaseSpec]
    training_fn: str | None
    has_training_fn: bool  # False: there was one, which no path leads to
    config: dict[str, Any]  # recipes in it are specs


def write_models(
    models: Mapping[str, Any], built: Mapping[str, tuple[Any, BaseSpec]]
) -> tuple[dict[str, BaseSpec], dict[str, Exception]]:
    """Recipes of the models that have one, and why the others have none. ``built``: models that a recipe made, with it."""
    specs: dict[str, BaseSpec] = {}
    errors: dict[str, Exception] = {}
    for name, model in models.items():
        try:
            made, spec = built.get(name, (None, None))
            specs[name] = proved(model, spec if made is frameworks.unwrapped(model) else None)
        except Exception as error:  # also whatever checkpoint_spec() raises
            errors[name] = error
    return specs, errors


def write_training_fn(function: Callable | None) -> dict[str, str | None]:
    """The section; empty, with a warning, if no path leads to the function."""
    if function is None:
        return {"training_fn": None}
    try:
        return {"training_fn": locate.path_of(function, current_policy(), "$.training_fn")}
    except RecipeError as error:
        warnings.warn(f"Omitting training_fn: {error}", UserWarning, stacklevel=5)
        return {}


def write_config(value: Any, where: str = "$.config") -> Any:
    """Plain JSON, and objects with ``to_spec()`` as their recipes. Raises RecipeTypeError for all else: nothing is changed on the way."""
    if type(value) is int and value.bit_length() > _INTEGER_BITS_MAX:
        raise type_fault(where, "an integer too long for JSON readers")
    if value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value)):
        return value
    if where.count(".") + where.count("[") > _DEPTH_MAX:
        raise type_fault(where, "it is nested too deep")
    if type(value) is list:
        return [write_config(item, f"{where}[{index}]") for index, item in enumerate(value)]
    if type(value) is dict:
        return {_key(key, where): write_config(item, at_key(where, key)) for key, item in value.items()}
    if (spec := own_spec(value)) is not None:
        return spec.model_dump()
    raise type_fault(where, f"JSON has no '{type(value).__name__}'" + (f" {value!r}" if type(value) is float else ""))


def _key(key: Any, where: str) -> str:
    if type(key) is not str:
        raise type_fault(where, f"the key {key!r} is no text")
    if key == "cls_path":
        raise fault(where, "a dict with 'cls_path' would be read as a recipe")
    return key


def read_recipe(written: Any, policy: Policy | None) -> StrategyRecipe:
    """Raises RecipeError with the JSON path of the fault. Imports and calls nothing."""
    _check_sections(written)
    policy = policy or current_policy()
    specs = {name: _read_specs(written[name], f"$.{name}", policy) for name in ("model_specs", "optimizers", "schedulers")}
    path = written.get("training_fn")
    if path is not None:
        _checked(path, str, "$.training_fn")
        policy._core.check_path(path, "$.training_fn")
    config = _read_config(_checked(written["config"], dict, "$.config"), "$.config", policy)
    return StrategyRecipe(**specs, training_fn=path, has_training_fn="training_fn" in written, config=config)


def load_training_fn(path: str, policy: Policy | None) -> Callable:
    return Host(policy or current_policy()).load(path, "$.training_fn")[0]


def build_config(value: Any) -> Any:
    if isinstance(value, BaseSpec):
        return value.build()
    if isinstance(value, dict):
        return {key: build_config(item) for key, item in value.items()}
    return [build_config(item) for item in value] if isinstance(value, list) else value


def _check_sections(written: Any) -> None:
    _checked(written, dict, "$")
    for name in written:
        if name not in _SECTIONS:
            raise fault(at_key("$", _checked(name, str, "$")), "a strategy's recipe has no such section")
    for name in _SECTIONS:
        if name not in written and name != "training_fn":
            raise fault("$", f"a strategy's recipe needs '{name}'")


def _read_specs(written: Any, where: str, policy: Policy) -> dict[str, BaseSpec]:
    specs = _checked(written, dict, where).items()
    return {_checked(name, str, where): _read_spec(spec, at_key(where, name), policy) for name, spec in specs}


def _read_spec(written: Any, where: str, policy: Policy) -> BaseSpec:
    try:
        return create_model_spec_from_json(_checked(written, dict, "$"), policy=policy)
    except RecipeError as error:
        raise relocated(error, where) from error.__cause__


def _read_config(value: Any, where: str, policy: Policy) -> Any:
    if where.count(".") + where.count("[") > _DEPTH_MAX:
        raise fault(where, "it is nested too deep")
    if isinstance(value, dict):
        if "cls_path" in value:
            return _read_spec(value, where, policy)
        return {_checked(key, str, where): _read_config(item, at_key(where, key), policy) for key, item in value.items()}
    return [_read_config(item, f"{where}[{index}]", policy) for index, item in enumerate(value)] if isinstance(value, list) else value


def _checked(value: Any, cls: type, where: str) -> Any:
    if not isinstance(value, cls):
        raise fault(where, f"expected a {cls.__name__}, found a {type(value).__name__}")
    return value


def reason(error: Exception) -> str:
    return str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
