"""Arrays and typed random keys of JAX."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from perdure._src.adapters.protocol import Abstract, HostArray, Piece, refuse
from perdure.errors import MismatchError


def describe(leaf: Any) -> HostArray:
    if isinstance(leaf, jax.core.Tracer):
        raise refuse(leaf, "it is traced and has no data")
    if not isinstance(leaf, jax.Array):
        raise refuse(leaf, "it is not an array")
    if leaf.is_deleted():
        raise refuse(leaf, "it was deleted or donated")
    if not leaf.is_fully_addressable:
        raise refuse(leaf, "parts of it lie in other processes")
    origin = "jax"
    if _is_key(leaf.dtype):
        origin, leaf = f"jax.key:{jax.random.key_impl(leaf)}", jax.random.key_data(leaf)
    pieces = [Piece(offset, np.asarray(data)) for offset, data in _distinct_shards(leaf)]
    return HostArray(leaf.dtype.name, leaf.shape, pieces, pieces, True, origin)


def abstract(leaf: Any) -> Abstract | None:
    if not (hasattr(leaf, "dtype") and hasattr(leaf, "shape")):
        return None
    if _is_key(leaf.dtype):
        leaf = jax.eval_shape(jax.random.key_data, leaf)
    dtype = jax.dtypes.canonicalize_dtype(leaf.dtype)  # else jax narrows it later, without a word
    return Abstract(dtype.name, tuple(leaf.shape))


def restore(origin: str, template: Any, array: np.ndarray) -> Any:
    impl = origin.partition(":")[2] if origin.startswith("jax.key:") else None
    if template is None and jax.dtypes.canonicalize_dtype(array.dtype) != array.dtype:
        return array  # jax without x64 would narrow it without a word
    _check_same_kind(impl, template)
    sharding = getattr(template, "sharding", None)
    if impl is None:
        return _put(array, sharding)
    key = jax.random.wrap_key_data(_put(array, None), impl=impl)
    if template is not None and template.dtype != key.dtype:
        raise MismatchError(f"the checkpoint has a random key of {key.dtype}, the template one of {template.dtype}")
    return _put(key, sharding)


def _is_key(dtype: Any) -> bool:
    return jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key)


def _distinct_shards(array: jax.Array) -> list[tuple[tuple[int, ...], jax.Array]]:
    """Offset and data of each box of the array, once. The data are arrays of their own: what they cache does not stay."""
    if array.is_fully_replicated:
        return [((0,) * array.ndim, array.addressable_data(0))]
    distinct = {}
    for shard in array.addressable_shards:
        offset = tuple(part.indices(extent)[0] for part, extent in zip(shard.index, array.shape))
        distinct.setdefault(offset, shard.data)
    return list(distinct.items())


def _check_same_kind(impl: str | None, template: Any) -> None:
    if template is None or _is_key(template.dtype) == (impl is not None):
        return
    stored, asked = ("a random key", "an array") if impl else ("an array", "a random key")
    raise MismatchError(f"the checkpoint has {stored}, the template {asked}")


def _put(array: Any, sharding: Any) -> jax.Array:
    return jax.device_put(array) if sharding is None else jax.device_put(array, sharding)
