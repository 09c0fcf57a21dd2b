"""Tensors and Parameters of torch."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import torch

from perdure import _core
from perdure._src.adapters.protocol import Abstract, HostArray, Memory, Piece, refusal
from perdure.errors import CorruptError, InputTypeError, MismatchError

_CLASSES = (torch.Tensor, torch.nn.Parameter)
# Not torch's integers below a byte: they are names without arithmetic, kept by their bytes (_STORED_AS).
_NAMES = {
    getattr(torch, name): name for name, itemsize, bits, _ in _core.dtypes() if hasattr(torch, name) and (bits == 8 * itemsize or name == "bool")
}
# By NumPy dtype: the tensor's, and how torch reads the memory where it does not know NumPy's.
_FROM_NUMPY = {
    np.dtype(getattr(ml_dtypes, name, None) or name): (dtype, f"int{8 * dtype.itemsize}" if hasattr(ml_dtypes, name) else None)
    for dtype, name in _NAMES.items()
}
# Types without a NumPy twin: the stored bytes are those of another type, and the origin names the real one.
_STORED_AS = {"complex32": "float16", "bits16": "uint16"} | {
    str(dtype).removeprefix("torch."): "uint8"
    for dtype in vars(torch).values()
    if isinstance(dtype, torch.dtype) and dtype not in _NAMES and dtype.itemsize == 1 and not str(dtype).startswith("torch.q")
}


def describe(leaf: Any, shows_memory: bool = True) -> HostArray:
    if type(leaf) not in _CLASSES:
        raise refusal(leaf, _class_fault(leaf))
    _check_dense(leaf)
    tensor, origin = leaf, _origin(leaf)
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.detach().resolve_conj().resolve_neg()
    if not tensor.is_cpu:
        tensor = tensor.detach().to("cpu")
    name = _NAMES.get(tensor.dtype)
    if name is None:
        origin += f"|{_name(tensor.dtype)}"
        tensor, name = _as_stored(tensor.detach())
    memory, storage = _memory(leaf, tensor)
    return HostArray(name, memory.extent, (Piece((0,) * len(memory.extent), memory),), storage, False, origin)


def abstract(leaf: Any) -> Abstract | None:
    if not isinstance(leaf, torch.Tensor):
        return None
    if not (type(leaf) in _CLASSES or _is_fake(leaf)):
        raise InputTypeError(f"a template cannot hold a '{type(leaf).__name__}': it is no plain tensor")
    if leaf.layout is not torch.strided or leaf.is_nested or leaf.is_quantized:
        raise InputTypeError(f"a template cannot hold a '{type(leaf).__name__}' that is not one dense tensor")
    name = _NAMES.get(leaf.dtype)
    if name is not None:
        return Abstract(name, leaf.shape)
    name = _name(leaf.dtype)
    if name not in _STORED_AS:
        raise InputTypeError(f"a template cannot hold a '{type(leaf).__name__}' of {leaf.dtype}")
    return Abstract(_STORED_AS[name], (*leaf.shape, 2) if name == "complex32" else leaf.shape)


def restore(origin: str, template: Any, array: np.ndarray) -> Any:
    """On the template's device; on the CPU for a template without memory, which says shape and dtype only (device "meta", fake)."""
    kind, _, private = origin.partition("|")
    if template is not None:
        _check_same_kind(private, template, array)
    if template is None and not private and array.dtype not in _FROM_NUMPY:
        return array  # it was stored in another dtype than the tensor's
    tensor = _private_tensor(private, array) if private else _plain_tensor(array)
    if template is None:
        return _as_saved(kind, tensor)
    if not (template.is_cpu or template.is_meta or _is_fake(template)):
        tensor = tensor.to(template.device)
    if type(template) is not torch.Tensor and isinstance(template, torch.nn.Parameter):  # whose class is slow to answer
        return torch.nn.Parameter(tensor, requires_grad=template.requires_grad)
    return tensor.requires_grad_() if template.requires_grad else tensor


def _as_saved(kind: str, tensor: torch.Tensor) -> torch.Tensor:
    may_require = tensor.is_floating_point() or tensor.is_complex()  # not if it was stored as integers
    if kind == "torch.grad":
        return tensor.requires_grad_(may_require)
    if kind.startswith("torch.Parameter"):
        return torch.nn.Parameter(tensor, requires_grad=may_require and not kind.endswith(":frozen"))
    return tensor


def _check_same_kind(private: str, template: torch.Tensor, array: np.ndarray) -> None:
    """Plain numbers have been cast to what the template asks for; between private types there is no cast."""
    if not private and _FROM_NUMPY.get(array.dtype, (None, None))[0] == template.dtype:
        return  # without asking for names, which NumPy and torch make each time
    if _name(template.dtype) != (private or array.dtype.name):
        raise MismatchError(f"the checkpoint has {private or 'plain numbers'}, the template {template.dtype}, and there is no cast")


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _origin(leaf: torch.Tensor) -> str:
    if type(leaf) is torch.nn.Parameter:
        return "torch.Parameter" if leaf.requires_grad else "torch.Parameter:frozen"
    return "torch.grad" if leaf.requires_grad and leaf.is_leaf else "torch"


def _is_fake(leaf: torch.Tensor) -> bool:
    return hasattr(leaf, "fake_mode")


def _class_fault(leaf: Any) -> str:
    """Why it cannot be saved, which is not exactly a tensor or parameter."""
    if not isinstance(leaf, torch.Tensor):
        return "save its state_dict()" if hasattr(leaf, "state_dict") else "it is not an array"
    if hasattr(leaf, "to_local"):
        return "save its local tensor"
    if isinstance(leaf, torch.nn.parameter.UninitializedTensorMixin):
        return "it is not initialized"
    if leaf.is_nested:
        return "it is nested"
    if _is_fake(leaf):
        return "it has no data"
    return "it is a subclass of Tensor, and would come back without what the class adds"


def _check_dense(leaf: torch.Tensor) -> None:
    if leaf.is_meta:
        raise refusal(leaf, "it has no data")
    if leaf.is_nested:
        raise refusal(leaf, "it is nested")
    if leaf.layout is not torch.strided:
        raise refusal(leaf, f"its layout is {leaf.layout}, not dense")
    if leaf.is_quantized or leaf.dtype not in _NAMES and _name(leaf.dtype).startswith("q"):
        raise refusal(leaf, "it is quantized")


def _memory(leaf: torch.Tensor, tensor: torch.Tensor) -> tuple[Memory, torch.UntypedStorage]:
    try:
        storage = tensor.untyped_storage()
        size = storage.nbytes() - tensor.storage_offset() * tensor.itemsize
        return Memory(tensor.data_ptr(), size, tensor.shape, tensor.stride()), storage
    except (RuntimeError, NotImplementedError):
        raise refusal(leaf, "it is traced and has no data") from None


def _as_stored(tensor: torch.Tensor) -> tuple[torch.Tensor, str]:
    name = _name(tensor.dtype)
    if name not in _STORED_AS:
        raise refusal(tensor, f"its dtype is {tensor.dtype}")
    stored = _STORED_AS[name]
    return torch.view_as_real(tensor) if name == "complex32" else tensor.view(getattr(torch, stored)), stored


def _plain_tensor(array: np.ndarray) -> torch.Tensor:
    dtype, readable = _FROM_NUMPY[array.dtype]
    return torch.from_numpy(array) if readable is None else torch.from_numpy(array.view(readable)).view(dtype)


def _private_tensor(name: str, array: np.ndarray) -> torch.Tensor:
    is_complex = name == "complex32"
    if _STORED_AS.get(name) != array.dtype.name or is_complex and array.shape[-1:] != (2,):
        raise CorruptError(f"no tensor of dtype '{name}' is stored as {array.dtype.name} of shape {array.shape}")
    dtype = getattr(torch, name)
    if not is_complex:
        return torch.from_numpy(array).view(dtype)
    return torch.view_as_complex(torch.from_numpy(array)) if array.size else torch.empty(array.shape[:-1], dtype=dtype)
