"""NumPy arrays onto JAX's devices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.sharding import SingleDeviceSharding


def put(array: np.ndarray, sharding: Any, weak_type: bool = False) -> jax.Array:
    """Like ``jax.device_put``. May keep the array's memory.

    Args:
        array: Nobody writes to it any more.
        sharding: None for an uncommitted array on the default device.
        weak_type: Whether its dtype gives way to those of other arrays. Kept where one device is asked for: JAX says how in no public name.
    """
    target = _default_target() if sharding is None else _target(sharding)
    if target is None or _batched_device_put() is None:
        return jax.device_put(array) if sharding is None else jax.device_put(array, sharding)
    aval = _aval(array.shape, array.dtype, weak_type)
    return _batched_device_put()(aval, target.sharding, [array], target.devices, sharding is not None)


class _Target(NamedTuple):
    """One device with its usual memory."""

    sharding: SingleDeviceSharding
    devices: list[jax.Device]


def _default_target() -> _Target | None:
    """None if the user has named one in another way than by its object."""
    device = jax.config.jax_default_device
    if device is None:
        device = jax.local_devices()[0]
    return _target_on(device) if isinstance(device, jax.Device) else None


@functools.lru_cache(maxsize=1024)
def _target_on(device: jax.Device) -> _Target:
    return _Target(SingleDeviceSharding(device), [device])


@functools.lru_cache(maxsize=1024)
def _target(sharding: Any) -> _Target | None:
    """None if there are several devices, or if it is not its usual memory that is asked for."""
    if type(sharding) is not SingleDeviceSharding:
        return None
    (device,) = sharding.device_set
    return _Target(sharding, [device]) if sharding.memory_kind in (None, device.default_memory().kind) else None


_aval = functools.lru_cache(maxsize=4096)(jax.core.ShapedArray)


@functools.cache
def _batched_device_put() -> Callable[..., Any] | None:
    """What lies under ``jax.device_put`` and takes a tenth of its time; None if this JAX has nothing of the known form."""
    try:
        from jax._src.lib import xla_client

        device = jax.local_devices()[0]
        probe = xla_client.batched_device_put(_aval((1,), np.dtype(np.int32), False), SingleDeviceSharding(device), [np.ones(1, np.int32)], [device], False)
        is_known = isinstance(probe, jax.Array) and probe.devices() == {device} and np.asarray(probe).tolist() == [1]
    except (ImportError, AttributeError, TypeError):
        return None
    return xla_client.batched_device_put if is_known else None
