"""Where an array of JAX lies, in the words of Orbax's ``_sharding``."""

from __future__ import annotations

import functools
import json
from typing import Any, NamedTuple

from jax.sharding import NamedSharding, PartitionSpec


class Placement(NamedTuple):
    """What a save asks of a sharding. ``orbax_sharding``: for what Orbax has no words, it is the first of the devices."""

    is_fully_addressable: bool
    is_fully_replicated: bool
    is_on_one_cpu: bool
    orbax_sharding: str


@functools.lru_cache(maxsize=1024)
def placement(sharding: Any) -> Placement:
    devices = sharding.device_set
    is_on_one_cpu = len(devices) == 1 and next(iter(devices)).platform == "cpu"
    return Placement(sharding.is_fully_addressable, sharding.is_fully_replicated, is_on_one_cpu, _orbax_sharding(sharding))


def _orbax_sharding(sharding: Any) -> str:
    said = _named(sharding) if isinstance(sharding, NamedSharding) else None
    if said is None:
        device = min(sharding.device_set, key=lambda device: device.id)
        said = {"sharding_type": "SingleDeviceSharding", "device_str": str(device).replace("TFRT_CPU_", "cpu:")}
    return json.dumps(said)


def _named(sharding: NamedSharding) -> dict[str, Any] | None:
    mesh, spec = sharding.mesh, tuple(sharding.spec)
    if PartitionSpec.UNCONSTRAINED in spec:
        return None
    types = getattr(mesh, "axis_types", None)  # older ones have none, or another form
    return {
        "sharding_type": "NamedSharding",
        "shape": list(mesh.devices.shape),
        "axis_names": list(mesh.axis_names),
        **({"axis_types": [str(kind) for kind in types]} if isinstance(types, tuple) else {}),
        "partition_spec": spec,
        "device_mesh": {"mesh": _ids(mesh.devices.tolist())},
    }


def _ids(devices: Any) -> Any:
    return [_ids(part) for part in devices] if isinstance(devices, list) else {"id": devices.id}
