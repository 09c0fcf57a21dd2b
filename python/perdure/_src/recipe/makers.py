"""Functions that recipes name where a class itself takes what no recipe holds: arguments without names."""

from __future__ import annotations

from typing import Any


def sequential(modules: list, names: list[str] | None = None) -> Any:
    """A ``torch.nn.Sequential``.

    ``spec_of`` names it for every ``Sequential`` that it meets. A policy with ``modules`` has to list ``"perdure.recipe.sequential"``.

    Args:
        modules: In order; in a recipe, their recipes.
        names: One for each module; default "0", "1", ...

    Raises:
        ValueError: Not as many names as modules.
    """
    from torch import nn

    if names is None:
        return nn.Sequential(*modules)
    made = nn.Sequential()
    for name, module in zip(names, modules, strict=True):
        made.add_module(name, module)
    return made


sequential.__module__ = "perdure.recipe"
