"""How perdure.tree learns a class whose instances are one value each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from perdure import _core
from perdure.errors import MismatchError


def register_leaf(cls: type, copy: Callable[[Any], Any], restore: Callable[[Any, Any, bool], Any]) -> None:
    """``restore(template, value, copy)`` gives a leaf like the template; without ``copy`` it may be the value itself."""

    def load(template: Any, sd: dict[str, Any]) -> Any:
        value = sd.get("")
        return template if value is None else restore(template, value, True)

    _core._register_serializer(cls, lambda leaf: {"": copy(leaf)}, load, copy, restore)


def check_shape(template: Any, value: Any) -> None:
    if value.shape != template.shape:
        raise MismatchError(f"shape {tuple(value.shape)} in the checkpoint, {tuple(template.shape)} in the template")
