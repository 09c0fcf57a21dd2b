"""The registry of the process, which knows the native handlers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from perdure._src.type_handlers.native_handlers import ArrayHandler, NumpyHandler, ScalarHandler, StringHandler
from perdure._src.type_handlers.registry import TypeHandlerRegistry
from perdure._src.type_handlers.type_handler import TypeHandler


def _is_jax_array(cls: Any) -> bool:
    """Without importing JAX for those who do not use it."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(cls, type) and issubclass(cls, jax.Array)


_SCALARS = ScalarHandler()
_NATIVE: tuple[tuple[Any, TypeHandler, Callable[[Any], bool] | None], ...] = (
    (int, _SCALARS, None),
    (float, _SCALARS, None),
    (bytes, _SCALARS, None),
    (np.number, _SCALARS, None),
    (np.ndarray, NumpyHandler(), None),
    (object, ArrayHandler(), _is_jax_array),
    (str, StringHandler(), None),
)

NATIVE_CLASSES = frozenset((ArrayHandler, NumpyHandler, ScalarHandler, StringHandler))


def _native_registry() -> TypeHandlerRegistry:
    registry = TypeHandlerRegistry()
    for ty, handler, accepts in _NATIVE:
        registry.add(ty, handler, accepts, override=True, ignore_warnings=True)
    return registry


NATIVE_REGISTRY = _native_registry()
"""What the engine does by itself. Nobody adds to it."""
REGISTRY = _native_registry()


def register_type_handler(
    ty: Any, handler: TypeHandler, func: Callable[[Any], bool] | None = None, override: bool = False
) -> None:
    """Adds a handler to the registry of the process: from now on ``save`` and ``load`` use it. As ``TypeHandlerRegistry.add``."""
    REGISTRY.add(ty, handler, func, override, ignore_warnings=True)


def get_type_handler(ty: Any) -> TypeHandler:
    """The handler of a type or typestr. Raises InvalidError naming it if there is none."""
    return REGISTRY.get(ty)


def has_type_handler(ty: Any) -> bool:
    """Whether a type or typestr has a handler."""
    return REGISTRY.has(ty)
