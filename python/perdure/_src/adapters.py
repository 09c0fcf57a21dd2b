"""Arrays of other frameworks, seen as memory, and made again from memory.

The engine knows NumPy. For every other leaf it asks here, once the leaf's own package is imported anyway; nothing here
imports a framework that the caller does not use. To add one: a class with the methods of ``_Torch`` and a row in ``_ADAPTERS``.
Containers that only JAX can take apart (Flax NNX modules and variables) are its pytree nodes: ``node_children`` and ``node_like``.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from perdure.errors import CorruptError, InputTypeError, MismatchError


class Piece(NamedTuple):
    """A box of the array that lies in this process's memory. Strides and the pointer's unit are bytes."""

    offset: tuple[int, ...]
    extent: tuple[int, ...]
    pointer: int
    strides: tuple[int, ...]


class HostArray(NamedTuple):
    """What the engine needs to know of an array. ``owner`` keeps the memory alive."""

    dtype: str  # name of a row of the engine's dtype table
    shape: tuple[int, ...]
    pieces: Sequence[Piece]
    owner: Any
    immutable: bool
    origin: str  # what to make of it again; stored with the array


class Abstract(NamedTuple):
    """What a template leaf asks for."""

    dtype: str | None
    shape: tuple[int, ...] | None


def _refuse(leaf: Any, why: str) -> InputTypeError:
    return InputTypeError(f"cannot save a '{type(leaf).__name__}': {why}")


class _Torch:
    package = "torch"

    # Types without a NumPy twin: the stored bytes are those of another type, and the origin names the real one.
    _STORED_AS = {"complex32": "float16", "bits16": "uint16"}
    _PLAIN = frozenset(
        "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 "
        "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu".split()
    )

    def describe(self, leaf: Any) -> HostArray:
        import torch

        if isinstance(leaf, torch.nn.Module):
            raise _refuse(leaf, "save its state_dict()")
        if not isinstance(leaf, torch.Tensor):
            raise _refuse(leaf, "it is not an array")
        self._check_dense(leaf)
        origin = "torch"
        if isinstance(leaf, torch.nn.Parameter):
            origin = "torch.Parameter" if leaf.requires_grad else "torch.Parameter:frozen"
        elif leaf.requires_grad and leaf.is_leaf:
            origin = "torch.grad"
        tensor = leaf.detach().resolve_conj().resolve_neg()
        if tensor.device.type != "cpu":
            tensor = tensor.to("cpu")
        name = str(tensor.dtype).removeprefix("torch.")
        if name not in self._PLAIN:
            origin += f"|{name}"
            tensor, name = self._as_stored(tensor, name)
        shape, size = tuple(tensor.shape), tensor.element_size()
        strides = tuple(size * s for s in tensor.stride())
        piece = Piece((0,) * len(shape), shape, self._address(leaf, tensor), strides)
        return HostArray(name, shape, (piece,), tensor, False, origin)

    def abstract(self, leaf: Any) -> Abstract:
        import torch

        if hasattr(leaf, "to_local") or leaf.layout is not torch.strided or leaf.is_nested or leaf.is_quantized:
            raise InputTypeError(f"a template cannot hold a '{type(leaf).__name__}' that is not one dense tensor")
        name, shape = str(leaf.dtype).removeprefix("torch."), tuple(leaf.shape)
        if name == "complex32":
            shape += (2,)
        return Abstract(name if name in self._PLAIN else self._STORED_AS.get(name, "uint8"), shape)

    def restore(self, origin: str, template: Any, array: np.ndarray) -> Any:
        import torch

        kind, _, private = origin.partition("|")
        saved = getattr(torch, private or array.dtype.name, None)
        if not isinstance(saved, torch.dtype):
            raise CorruptError(f"torch has no dtype '{private}'")
        dtype = saved if template is None else template.dtype
        if dtype is not saved and (private or str(dtype).removeprefix("torch.") not in self._PLAIN):
            raise MismatchError(f"the checkpoint has {private or 'plain numbers'}, the template {dtype}, and there is no cast")
        tensor = self._from_numpy(array, dtype)
        if template is None:
            if kind.startswith("torch.Parameter"):
                return torch.nn.Parameter(tensor, requires_grad=not kind.endswith(":frozen"))
            return tensor.requires_grad_(kind == "torch.grad")
        if template.device.type not in ("cpu", "meta"):
            tensor = tensor.to(template.device)
        if isinstance(template, torch.nn.Parameter):
            return torch.nn.Parameter(tensor, requires_grad=template.requires_grad)
        return tensor.requires_grad_(template.requires_grad)

    @staticmethod
    def _check_dense(leaf: Any) -> None:
        import torch

        if hasattr(leaf, "to_local"):
            raise _refuse(leaf, "save its local tensor")
        if leaf.is_meta or hasattr(leaf, "fake_mode"):
            raise _refuse(leaf, "it has no data")
        if leaf.is_nested:
            raise _refuse(leaf, "it is nested")
        if leaf.layout is not torch.strided:
            raise _refuse(leaf, f"its layout is {leaf.layout}, not dense")
        if leaf.is_quantized or str(leaf.dtype).startswith("torch.q"):
            raise _refuse(leaf, "it is quantized")
        if isinstance(leaf, torch.nn.parameter.UninitializedTensorMixin):
            raise _refuse(leaf, "it is not initialized")
        if type(leaf) not in (torch.Tensor, torch.nn.Parameter):
            raise _refuse(leaf, "it is a subclass of Tensor, and would come back without what the class adds")

    @staticmethod
    def _address(leaf: Any, tensor: Any) -> int:
        try:
            address, storage_size = tensor.data_ptr(), tensor.untyped_storage().nbytes()
        except (RuntimeError, NotImplementedError):
            raise _refuse(leaf, "it is traced and has no data") from None
        last = tensor.storage_offset() + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride()))
        if tensor.numel() and (address == 0 or (last + 1) * tensor.element_size() > storage_size):
            raise _refuse(leaf, "it has no data")
        return address

    def _as_stored(self, tensor: Any, name: str) -> tuple[Any, str]:
        import torch

        if name == "complex32":
            return torch.view_as_real(tensor), "float16"
        stored = self._STORED_AS.get(name, "uint8")
        if tensor.element_size() != np.dtype(stored).itemsize:
            raise _refuse(tensor, f"its dtype is {tensor.dtype}")
        return tensor.view(getattr(torch, stored)), stored

    @staticmethod
    def _from_numpy(array: np.ndarray, dtype: Any) -> Any:
        import torch

        if array.size == 0:
            shape = array.shape[:-1] if dtype is torch.complex32 else array.shape
            return torch.empty(shape, dtype=dtype)
        flat = torch.from_numpy(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
        if dtype is torch.complex32:
            return torch.view_as_complex(flat.view(torch.float16).reshape(array.shape))
        return flat.view(dtype).reshape(array.shape)


class _Jax:
    package = "jax"

    def describe(self, leaf: Any) -> HostArray:
        import jax

        if isinstance(leaf, jax.core.Tracer):
            raise _refuse(leaf, "it is traced and has no data")
        if not isinstance(leaf, jax.Array):
            raise _refuse(leaf, "it is not an array")
        if leaf.is_deleted():
            raise _refuse(leaf, "it was deleted or donated")
        if not leaf.is_fully_addressable:
            raise _refuse(leaf, "parts of it lie in other processes")
        origin = "jax"
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            origin, leaf = f"jax.key:{jax.random.key_impl(leaf)}", jax.random.key_data(leaf)
        hosts: dict[tuple, np.ndarray] = {}
        for shard in leaf.addressable_shards:
            box = tuple(s.indices(n)[:2] for s, n in zip(shard.index, leaf.shape))
            if box not in hosts:
                hosts[box] = np.asarray(shard.data)
        pieces = [
            Piece(tuple(lo for lo, _ in box), host.shape, host.__array_interface__["data"][0], host.strides)
            for box, host in hosts.items()
        ]
        return HostArray(leaf.dtype.name, leaf.shape, pieces, list(hosts.values()), True, origin)

    def abstract(self, leaf: Any) -> Abstract:
        import jax

        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.eval_shape(jax.random.key_data, leaf)
        dtype = jax.dtypes.canonicalize_dtype(leaf.dtype)  # else jax narrows it later, without a word
        return Abstract(dtype.name, tuple(leaf.shape))

    def restore(self, origin: str, template: Any, array: np.ndarray) -> Any:
        import jax

        impl = origin.partition(":")[2] if origin.startswith("jax.key:") else None
        if template is None and jax.dtypes.canonicalize_dtype(array.dtype) != array.dtype:
            return array  # jax without x64 would narrow it without a word
        self._check_same_kind(impl, template)
        sharding = getattr(template, "sharding", None)
        if impl is None:
            return _device_copy(array, sharding)
        key = jax.random.wrap_key_data(_device_copy(array, None), impl=impl)
        if template is not None and template.dtype != key.dtype:
            raise MismatchError(f"the checkpoint has a random key of {key.dtype}, the template one of {template.dtype}")
        return _device_copy(key, sharding)

    @staticmethod
    def _check_same_kind(impl: str | None, template: Any) -> None:
        import jax

        if template is None or jax.dtypes.issubdtype(template.dtype, jax.dtypes.prng_key) == (impl is not None):
            return
        stored, asked = ("a random key", "an array") if impl else ("an array", "a random key")
        raise MismatchError(f"the checkpoint has {stored}, the template {asked}")


def _device_copy(array: np.ndarray, sharding: Any) -> Any:
    import jax

    return jax.device_put(array) if sharding is None else jax.device_put(array, sharding)


_ADAPTERS = {adapter.package: adapter for adapter in (_Torch(), _Jax())}
_PACKAGES = {"torch": "torch", "jax": "jax", "jaxlib": "jax"}


def _adapter_of(leaf: Any) -> Any:
    """The adapter for a leaf's class or one of its bases; None if no framework knows it."""
    for base in type(leaf).__mro__:
        package = _PACKAGES.get(base.__module__.partition(".")[0])
        if package is not None:
            return _ADAPTERS[package]
    return None


def is_node(leaf: Any) -> bool:
    """Whether JAX, if it is imported, knows the class of ``leaf`` as a container."""
    jax = sys.modules.get("jax")
    return hasattr(jax, "tree_util") and _adapter_of(leaf) is None and not jax.tree_util.all_leaves([leaf])


def node_children(node: Any) -> list[tuple[Any, Any]]:
    """Key and child, of those that are state; what is fixed (a module's settings) stays with the class."""
    import jax

    children, _ = jax.tree_util.tree_flatten_with_path(node, is_leaf=lambda part: part is not node)
    return [(_plain_key(path[0]), child) for path, child in children]


def node_like(node: Any, children: Sequence[Any]) -> Any:
    """A node like ``node`` with other children."""
    import jax

    return jax.tree_util.tree_structure(node, is_leaf=lambda part: part is not node).unflatten(children)


def _plain_key(entry: Any) -> Any:
    """Of jax.tree_util: GetAttrKey, DictKey, SequenceKey, FlattenedIndexKey, or a key of the class's own."""
    return next((getattr(entry, name) for name in ("name", "key", "idx") if hasattr(entry, name)), str(entry))


def describe(leaf: Any) -> HostArray:
    """The memory of a leaf that is neither a plain value nor NumPy's. Raises InputTypeError if it has none that can be saved."""
    adapter = _adapter_of(leaf)
    if adapter is None:
        raise InputTypeError(f"cannot save a '{type(leaf).__name__}'")
    return adapter.describe(leaf)


def abstract(leaf: Any) -> Abstract | None:
    """What a template leaf asks for; None if it is not array-like."""
    if not (hasattr(leaf, "dtype") and hasattr(leaf, "shape")):
        return None
    adapter = _adapter_of(leaf)
    if adapter is not None:
        return adapter.abstract(leaf)
    try:
        shape = tuple(operator.index(n) for n in leaf.shape)
        dtype = np.dtype(leaf.dtype).name
    except TypeError as error:
        raise InputTypeError(f"a template cannot hold a '{type(leaf).__name__}': {error}") from None
    if any(n < 0 for n in shape):
        raise InputTypeError(f"a template cannot hold a '{type(leaf).__name__}' of shape {shape}")
    return Abstract(dtype, shape)


def restore(origin: str, template: Any, array: np.ndarray, as_numpy: bool = False) -> Any:
    """The leaf that ``array`` (its own memory, C order) becomes.

    A template of a framework decides the kind. Without one it is the kind that was saved, if that package is imported, else NumPy.
    """
    adapter = None if template is None else _adapter_of(template)
    if adapter is not None:
        return adapter.restore(origin, template, array)
    package = origin.partition(".")[0].partition("|")[0]
    if as_numpy or package not in _ADAPTERS or package not in sys.modules:
        return array
    return _ADAPTERS[package].restore(origin, None, array)
