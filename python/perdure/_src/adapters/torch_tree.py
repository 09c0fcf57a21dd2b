"""Tensors and Parameters of torch in perdure.tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from perdure._src import tree_casts
from perdure._src.adapters.tree_leaves import check_shape, register_leaf
from perdure.errors import CheckpointError, MismatchError


def register_classes() -> None:
    register_leaf(torch.Tensor, _copy, _restore)
    register_leaf(torch.nn.Parameter, _copy, _restore_parameter)


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone() if tensor.requires_grad else tensor.clone()


def _moved(template: torch.Tensor, value: Any, copy: bool) -> torch.Tensor:
    if not isinstance(value, torch.Tensor):
        raise CheckpointError(f"the template has a tensor, the checkpoint a '{type(value).__name__}'")
    check_shape(template, value)
    if value.layout != template.layout:
        raise MismatchError(f"layout {value.layout} in the checkpoint, {template.layout} in the template")
    saved = value
    if value.requires_grad:
        value = value.detach()
    if copy and value.dtype is template.dtype and value.device == template.device:
        return value.clone()  # the usual case, at half the price of to()
    if value.dtype is not template.dtype and not value.is_meta:
        tree_casts.record(saved, lambda: _elements(value), _name(value.dtype), _name(template.dtype))
    return value.to(device=template.device, dtype=template.dtype, copy=copy)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _elements(tensor: torch.Tensor) -> np.ndarray:
    rows = tensor.cpu().resolve_conj().resolve_neg().contiguous().reshape(-1, 1)
    return rows.view(torch.uint8).numpy()


def _restore(template: torch.Tensor, value: Any, copy: bool) -> torch.Tensor:
    tensor = _moved(template, value, copy)
    cls = type(template)
    if cls is not torch.Tensor:
        tensor = tensor.as_subclass(cls)
    return tensor.requires_grad_() if template.requires_grad else tensor


def _restore_parameter(template: torch.nn.Parameter, value: Any, copy: bool) -> torch.nn.Parameter:
    tensor = _moved(template, value, copy)
    parameter = torch.Tensor._make_subclass(type(template), tensor, template.requires_grad)
    vars(parameter).update(vars(template))  # what a subclass of Parameter keeps beside the numbers
    return parameter
