"""States to save: nested dicts of NumPy arrays, the same for every system."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np


def _noise(rng: np.random.Generator, size_bytes: int, dtype: Any) -> np.ndarray:
    """Random bits that are finite numbers: exponents near one, random mantissas."""
    dtype = np.dtype(dtype)
    values = rng.standard_normal(size_bytes // 4, dtype=np.float32)
    return values if dtype == np.float32 else values.view(np.uint8)[: size_bytes // dtype.itemsize * dtype.itemsize].view(np.uint16).view(dtype)


def w1_large(total_bytes: int = 1_500_000_000) -> dict:
    """290 tensors: a few embeddings, many layers, biases of one page."""
    rng = np.random.default_rng(1)
    state: dict[str, Any] = {"embedding": {"table": _noise(rng, 200_000_000, np.float32)}}
    left, layer = total_bytes - 200_000_000, 0
    while left > 0:
        size = min(left, 9_000_000)
        dtype = np.float32 if layer % 2 else ml_dtypes.bfloat16
        state[f"layer{layer:03}"] = {"kernel": _noise(rng, size, dtype), "bias": _noise(rng, 4096, np.float32)}
        left, layer = left - size - 4096, layer + 1
    return state


def w2_small(count: int = 20_000) -> dict:
    """Many small leaves, nested six deep."""
    rng = np.random.default_rng(2)
    state: dict[str, Any] = {}
    for i in range(count):
        node = state
        for digit in (i // 6000, i // 1200 % 5, i // 240 % 5, i // 40 % 6, i // 8 % 5):
            node = node.setdefault(f"block{digit}", {})
        node[f"leaf{i}"] = rng.standard_normal(int(rng.integers(64, 1025)), dtype=np.float32)
    return state


def w3_zeros(parameter_bytes: int = 100_000_000) -> dict:
    """Weights, first moments, second moments that are still zero."""
    rng = np.random.default_rng(3)
    shape = (parameter_bytes // 40 // 1000, 1000)
    layers = {f"layer{i}": rng.standard_normal(shape, dtype=np.float32) for i in range(10)}
    return {
        "params": layers,
        "mu": {k: rng.standard_normal(shape, dtype=np.float32) for k in layers},
        "nu": {k: np.zeros(shape, np.float32) for k in layers},
    }


WORKLOADS = {"W1": w1_large, "W2": w2_small, "W3": w3_zeros}


def flat(state: dict, prefix: str = "") -> dict[str, np.ndarray]:
    """``{"a": {"b": x}}`` as ``{"a.b": x}``: for systems without nesting."""
    out: dict[str, np.ndarray] = {}
    for key, value in state.items():
        out.update(flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value})
    return out


def size_bytes(state: dict) -> int:
    return sum(array.nbytes for array in flat(state).values())
