"""Arrays of JAX in perdure.tree."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from perdure._src import tree_casts
from perdure._src.adapters.tree_leaves import check_shape, register_leaf
from perdure.errors import MismatchError


def register_classes() -> None:
    register_leaf(jax.Array, _keep, _restore)


def _keep(array: jax.Array) -> jax.Array:
    return array  # nobody can change it


def _restore(template: jax.Array, value: Any, copy: bool) -> jax.Array:
    if _is_key(template) or _is_key(value):
        if getattr(value, "dtype", None) != template.dtype:
            found = getattr(value, "dtype", type(value).__name__)
            raise MismatchError(f"a random key of {template.dtype} in the template, {found} in the checkpoint")
    else:
        saved = value if isinstance(value, jax.Array) else np.asarray(value)
        tree_casts.record(value, lambda: np.asarray(saved).reshape(-1), saved.dtype.name, template.dtype.name)
        value = saved.astype(template.dtype)
    check_shape(template, value)
    return jax.device_put(value, template.sharding)


def _is_key(array: Any) -> bool:
    return isinstance(array, jax.Array) and jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key)
