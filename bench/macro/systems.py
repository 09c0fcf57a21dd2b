"""The systems under measurement: one row each. All take and give nested dicts, or flat ones where that is what they know."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from workloads import flat


class System(NamedTuple):
    """``prepare`` makes what the system's users hold out of NumPy arrays and is not timed. ``durable``: save syncs by itself."""

    prepare: Callable[[dict], Any]
    save: Callable[[str, Any], None]
    load: Callable[[str], Any]
    durable: bool


def _torch_tensors(state: dict) -> dict:
    import torch

    def tensor(array: np.ndarray) -> Any:
        bits = torch.from_numpy(np.ascontiguousarray(array).view(np.uint8).reshape(-1))
        return bits.view(getattr(torch, array.dtype.name)).reshape(array.shape)

    return {key: tensor(array) for key, array in flat(state).items()}


def _perdure_save(path: str, state: Any) -> None:
    import perdure

    perdure.save(path, state)


def _perdure_load(path: str) -> Any:
    import perdure

    return perdure.load(path)


def _perdure_load_mapped(path: str) -> Any:
    import perdure

    context = perdure.Context()
    context.array.loading.mapped = True
    context.array.loading.verify = False
    with context:
        return perdure.load(path)


def _orbax_save(path: str, state: Any) -> None:
    import orbax.checkpoint.experimental.v1 as ocp

    ocp.save(path, state)


def _orbax_load(path: str) -> Any:
    import orbax.checkpoint.experimental.v1 as ocp

    return ocp.load(path)


def _torch_save(path: str, state: Any) -> None:
    import torch

    torch.save(state, path)


def _torch_load(path: str) -> Any:
    import torch

    return torch.load(path, weights_only=True)


def _dcp_save(path: str, state: Any) -> None:
    import torch.distributed.checkpoint as dcp

    dcp.save(state, checkpoint_id=path, no_dist=True)


def _dcp_load(path: str) -> Any:
    import torch
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint import FileSystemReader

    stored = FileSystemReader(path).read_metadata().state_dict_metadata
    state = {key: torch.empty(entry.size, dtype=entry.properties.dtype) for key, entry in stored.items()}
    dcp.load(state, checkpoint_id=path, no_dist=True)
    return state


def _safetensors_save(path: str, state: Any) -> None:
    from safetensors.torch import save_file

    save_file(state, path)


def _safetensors_load(path: str) -> Any:
    from safetensors.torch import load_file

    return load_file(path)


SYSTEMS = {
    "perdure": System(lambda state: state, _perdure_save, _perdure_load, True),
    "perdure-mapped": System(lambda state: state, _perdure_save, _perdure_load_mapped, True),
    "safetensors": System(_torch_tensors, _safetensors_save, _safetensors_load, False),
    "torch": System(_torch_tensors, _torch_save, _torch_load, False),
    "dcp": System(_torch_tensors, _dcp_save, _dcp_load, False),
    "orbax": System(lambda state: state, _orbax_save, _orbax_load, False),
}


def sync_all(path: str) -> None:
    """What a system that does not sync leaves to its user: every file, then every directory."""
    root = pathlib.Path(path)
    for entry in [*([root] if root.is_file() else root.rglob("*")), root, root.parent]:
        handle = os.open(entry, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)


def same(got: Any, state: dict) -> bool:
    """True if what was loaded has the bits of ``state``."""
    def array(value: Any) -> np.ndarray:
        if type(value).__module__.startswith("torch"):
            import torch

            return value.contiguous().reshape(-1).view(torch.uint8).numpy()
        return np.ascontiguousarray(value).reshape(-1).view(np.uint8)

    want = flat(state)
    have = flat(got)
    return have.keys() == want.keys() and all(np.array_equal(array(have[k]), array(want[k])) for k in want)
