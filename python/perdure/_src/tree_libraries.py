"""What perdure.tree knows of the classes of torch, NumPy, jax and optree, once one of them is met.

To add a library: a function that registers its classes, and a row in ``_LIBRARIES``. Nothing here imports a library that the caller
does not use.
"""

from __future__ import annotations

import copy as copying
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from perdure import _core
from perdure._src import tree_casts
from perdure.errors import CheckpointError, MismatchError

Array = Any


def _register_leaf(cls: type, copy: Callable[[Array], Array], restore: Callable[[Array, Any, bool], Array]) -> None:
    """A class whose instances are one value each."""

    def load(template: Array, sd: dict[str, Any]) -> Array:
        value = sd.get("")
        return template if value is None else restore(template, value, True)

    _core._register_serializer(cls, lambda leaf: {"": copy(leaf)}, load, copy, restore)


def _check_shape(template: Array, value: Array) -> None:
    if value.shape != template.shape:
        raise MismatchError(f"shape {tuple(value.shape)} in the checkpoint, {tuple(template.shape)} in the template")


# ---------------------------------------------------------------------------------------------------------------------- NumPy
def _copy_ndarray(array: np.ndarray) -> np.ndarray:
    return copying.deepcopy(array) if array.dtype.hasobject else np.array(array, copy=True, subok=True)


def _elements(array: np.ndarray) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder("="), copy=False).reshape(-1)


def _restore_ndarray(template: np.ndarray, saved: Any, copy: bool) -> np.ndarray:
    value = saved
    if template.dtype.hasobject and copy:
        value = copying.deepcopy(value)
    elif hasattr(value, "__array__") and not isinstance(value, np.ndarray):
        value = np.asarray(value)  # a tensor's __array__ cannot be asked for a copy
    array = np.array(value, dtype=template.dtype, copy=True if copy else None, subok=True)
    _check_shape(template, array)
    if isinstance(value, np.ndarray):
        tree_casts.record(saved, lambda: _elements(value), value.dtype.name, template.dtype.name)
    return array if type(array) is type(template) else array.view(type(template))


def _register_numpy() -> None:
    _register_leaf(np.ndarray, _copy_ndarray, _restore_ndarray)


# ---------------------------------------------------------------------------------------------------------------------- torch
def _register_torch() -> None:
    import torch

    def copy(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach().clone() if tensor.requires_grad else tensor.clone()

    def name(dtype: torch.dtype) -> str:
        return str(dtype).removeprefix("torch.")

    def elements(tensor: torch.Tensor) -> np.ndarray:
        rows = tensor.cpu().resolve_conj().resolve_neg().contiguous().reshape(-1, 1)
        return rows.view(torch.uint8).numpy()

    def moved(template: torch.Tensor, value: Any, copy: bool) -> torch.Tensor:
        if not isinstance(value, torch.Tensor):
            raise CheckpointError(f"the template has a tensor, the checkpoint a '{type(value).__name__}'")
        _check_shape(template, value)
        if value.layout != template.layout:
            raise MismatchError(f"layout {value.layout} in the checkpoint, {template.layout} in the template")
        saved = value
        if value.requires_grad:
            value = value.detach()
        if copy and value.dtype is template.dtype and value.device == template.device:
            return value.clone()  # the usual case, at half the price of to()
        if value.dtype is not template.dtype and not value.is_meta:
            tree_casts.record(saved, lambda: elements(value), name(value.dtype), name(template.dtype))
        return value.to(device=template.device, dtype=template.dtype, copy=copy)

    def restore(template: torch.Tensor, value: Any, copy: bool) -> torch.Tensor:
        tensor = moved(template, value, copy)
        cls = type(template)
        if cls is not torch.Tensor:
            tensor = tensor.as_subclass(cls)
        return tensor.requires_grad_() if template.requires_grad else tensor

    def restore_parameter(template: torch.nn.Parameter, value: Any, copy: bool) -> torch.nn.Parameter:
        tensor = moved(template, value, copy)
        parameter = torch.Tensor._make_subclass(type(template), tensor, template.requires_grad)
        vars(parameter).update(vars(template))  # what a subclass of Parameter keeps beside the numbers
        return parameter

    _register_leaf(torch.Tensor, copy, restore)
    _register_leaf(torch.nn.Parameter, copy, restore_parameter)


# ------------------------------------------------------------------------------------------------------------------------ jax
def _register_jax() -> None:
    import jax

    def is_key(array: Any) -> bool:
        return isinstance(array, jax.Array) and jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key)

    def keep(array: jax.Array) -> jax.Array:
        return array  # nobody can change it

    def restore(template: jax.Array, value: Any, copy: bool) -> jax.Array:
        if is_key(template) or is_key(value):
            if getattr(value, "dtype", None) != template.dtype:
                found = getattr(value, "dtype", type(value).__name__)
                raise MismatchError(f"a random key of {template.dtype} in the template, {found} in the checkpoint")
        else:
            saved = value if isinstance(value, jax.Array) else np.asarray(value)
            tree_casts.record(value, lambda: np.asarray(saved).reshape(-1), saved.dtype.name, template.dtype.name)
            value = saved.astype(template.dtype)
        _check_shape(template, value)
        return jax.device_put(value, template.sharding)

    _register_leaf(jax.Array, keep, restore)


# --------------------------------------------------------------------------------------------------------------------- optree
def _register_optree() -> None:
    import optree

    _core._register_serializer(optree.PyTreeSpec, lambda spec: {}, lambda template, sd: template)


_LIBRARIES = {
    "numpy": _register_numpy,
    "torch": _register_torch,
    "jax": _register_jax,
    "jaxlib": _register_jax,
    "optree": _register_optree,
}
_unmet = dict(_LIBRARIES)
_meeting = threading.RLock()


def meet(cls: type) -> None:
    """Registers what perdure knows of the libraries that ``cls`` and its bases come from, each library once."""
    for base in cls.__mro__:
        module = base.__module__
        library = module.partition(".")[0] if isinstance(module, str) else ""
        if library in _unmet:
            _register(library)


def _register(library: str) -> None:
    with _meeting:  # nobody goes on before all classes of the library are known
        register = _unmet.get(library)
        if register is not None:
            register()
            for name in [name for name, other in _unmet.items() if other is register]:
                del _unmet[name]
