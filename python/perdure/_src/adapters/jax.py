"""Arrays and typed random keys of JAX."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from perdure._src.adapters.jax_put import put
from perdure._src.adapters.jax_sharding import placement
from perdure._src.adapters.protocol import Abstract, HostArray, Piece, refusal
from perdure.errors import CorruptError, MismatchError


# What JAX shows by Python's buffer protocol, if it is in C's order. The way through NumPy costs three times as much.
_SHOWN = frozenset("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split())
_NAMES: dict[Any, str] = {}  # by dtype, of those that are NumPy's; their names are slow to ask for


def describe(leaf: Any, shows_memory: bool = True) -> HostArray:
    if isinstance(leaf, jax.core.Tracer):
        raise refusal(leaf, "it is traced and has no data")
    if not isinstance(leaf, jax.Array):
        raise refusal(leaf, "it is not an array")
    if leaf.is_deleted():
        raise refusal(leaf, "it was deleted or donated")
    place = placement(leaf.sharding)
    if not place.is_fully_addressable:
        raise refusal(leaf, "parts of it lie in other processes")
    origin, name, sharding = "jax", _name(leaf.dtype), place.orbax_sharding
    if name is None:
        origin, leaf = f"jax.key:{jax.random.key_impl(leaf)}", jax.random.key_data(leaf)
        name = _name(leaf.dtype)
    elif leaf.weak_type:
        origin = "jax.weak"
    if shows_memory and place.is_on_one_cpu and name in _SHOWN:
        return HostArray(name, leaf.shape, None, leaf, True, origin, sharding)
    if place.is_fully_replicated:
        host = np.asarray(leaf.addressable_data(0))  # an array of its own: what it caches does not stay with the leaf
        return HostArray(name, leaf.shape, (Piece((0,) * host.ndim, host),), host, True, origin, sharding)
    pieces = _distinct_shards(leaf)
    return HostArray(name, leaf.shape, pieces, [piece.memory for piece in pieces], True, origin, sharding)


def abstract(leaf: Any) -> Abstract | None:
    if not (hasattr(leaf, "dtype") and hasattr(leaf, "shape")):
        return None
    if _name(leaf.dtype) is None:
        leaf = jax.eval_shape(jax.random.key_data, leaf)
    return Abstract(_name(jax.dtypes.canonicalize_dtype(leaf.dtype)), leaf.shape)  # else jax narrows it later, without a word


def restore(origin: str, template: Any, array: np.ndarray) -> Any:
    """On the devices of the template, as a committed array if that is one; without a template on the default device."""
    impl = origin.partition(":")[2] if origin.startswith("jax.key:") else None
    if template is None:
        if jax.dtypes.canonicalize_dtype(array.dtype) != array.dtype:
            return array  # jax without x64 would narrow it without a word
        placed = put(array, None, origin == "jax.weak")
        return placed if impl is None else _key(placed, impl)
    _check_same_kind(impl, template)
    sharding = _sharding(template)
    if impl is None:
        return put(array, sharding, getattr(template, "weak_type", False))
    key = _key(put(array, None), impl)
    if template.dtype != key.dtype:
        raise MismatchError(f"the checkpoint has a random key of {key.dtype}, the template one of {template.dtype}")
    return key if sharding is None else jax.device_put(key, sharding)


def _name(dtype: Any) -> str | None:
    """None for a typed random key's."""
    name = _NAMES.get(dtype)
    if name is None and not jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        name = _NAMES[dtype] = np.dtype(dtype).name
    return name


def _sharding(template: Any) -> Any:
    """None where JAX may choose: an array that is committed to a device does not mix with those of another."""
    sharding = getattr(template, "sharding", None)
    is_free = sharding is not None and not getattr(template, "committed", True) and len(sharding.device_set) == 1
    return None if is_free else sharding


def _distinct_shards(array: jax.Array) -> list[Piece]:
    """Each box of the array once, however many devices hold it."""
    distinct = {}
    for shard in array.addressable_shards:
        offset = tuple(part.indices(extent)[0] for part, extent in zip(shard.index, array.shape))
        if offset not in distinct:
            distinct[offset] = Piece(offset, np.asarray(shard.data))
    return list(distinct.values())


def _key(data: jax.Array, impl: str) -> jax.Array:
    try:
        return jax.random.wrap_key_data(data, impl=impl)
    except (ValueError, TypeError) as error:
        raise CorruptError(f"{data.dtype} of shape {data.shape} is no random key of '{impl}': {error}") from None


def _check_same_kind(impl: str | None, template: Any) -> None:
    if template is None or (_name(template.dtype) is None) == (impl is not None):
        return
    stored, asked = ("a random key", "an array") if impl else ("an array", "a random key")
    raise MismatchError(f"the checkpoint has {stored}, the template {asked}")
