"""Arrays of NumPy in perdure.tree."""

from __future__ import annotations

import copy as copying
from typing import Any

import numpy as np

from perdure._src import tree_casts
from perdure._src.adapters.tree_leaves import check_shape, register_leaf


def register_classes() -> None:
    register_leaf(np.ndarray, _copy, _restore)


def _copy(array: np.ndarray) -> np.ndarray:
    return copying.deepcopy(array) if array.dtype.hasobject else np.array(array, copy=True, subok=True)


def _restore(template: np.ndarray, saved: Any, copy: bool) -> np.ndarray:
    value = saved
    if template.dtype.hasobject and copy:
        value = copying.deepcopy(value)
    elif hasattr(value, "__array__") and not isinstance(value, np.ndarray):
        value = np.asarray(value)  # a tensor's __array__ cannot be asked for a copy
    array = np.array(value, dtype=template.dtype, copy=True if copy else None, subok=True)
    check_shape(template, array)
    if isinstance(value, np.ndarray):
        tree_casts.record(saved, lambda: _elements(value), value.dtype.name, template.dtype.name)
    return array if type(array) is type(template) else array.view(type(template))


def _elements(array: np.ndarray) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder("="), copy=False).reshape(-1)
