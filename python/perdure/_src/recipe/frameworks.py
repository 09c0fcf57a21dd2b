"""What recipes know of the frameworks whose objects they describe. Only frameworks that the program has imported are asked."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any


def is_parameter(value: Any) -> bool:
    return isinstance(value, _classes(("torch.nn", "Parameter"), ("flax.nnx", "Param")))


def is_module(value: Any) -> bool:
    """A torch module: what it is made of can be walked and compared."""
    return isinstance(value, _classes(("torch.nn", "Module")))


def unwrapped(model: Any) -> Any:
    """The module that a wrapper of torch runs: the wrapper depends on the machine, not on the recipe."""
    wrappers = _classes(("torch.nn", "DataParallel"), ("torch.nn.parallel", "DistributedDataParallel"))
    compiled = _classes(("torch._dynamo", "OptimizedModule"))
    while isinstance(model, wrappers + compiled):
        model = model._orig_mod if isinstance(model, compiled) else model.module
    return model


def setting(obj: Any, name: str, absent: Any) -> Any:
    """An argument that the framework's class keeps elsewhere than in an attribute of its name."""
    for module, cls, argument, read in _SETTINGS:
        if argument in (name, None) and isinstance(obj, _classes((module, cls))):
            return read(obj, name, absent)
    return absent


_SETTINGS: tuple[tuple[str, str, str | None, Callable[[Any, str, Any], Any]], ...] = (  # argument None: all
    ("torch.optim", "Optimizer", None, lambda obj, name, absent: obj.defaults.get(name, absent)),
    ("torch.nn", "ModuleList", "modules", lambda obj, name, absent: list(obj)),
    ("torch.nn", "MultiheadAttention", "bias", lambda obj, name, absent: obj.in_proj_bias is not None),
)


def named_parts(obj: Any) -> dict[str, Any] | None:
    """Of a torch.nn.Sequential itself, which takes its modules without names; None for all else."""
    return dict(obj._modules) if type(obj) in _classes(("torch.nn", "Sequential")) else None


def takes_schedulers_first(cls_path: str) -> bool:
    """A scheduler whose optimizer is not its first argument."""
    return cls_path == "torch.optim.lr_scheduler.ChainedScheduler"


def inferred(obj: Any, name: str, absent: Any) -> Any:
    """What must have been given for an argument that left no attribute: a ``dtype`` is that of all weights."""
    if name != "dtype" or not is_module(obj):
        return absent
    dtypes = {parameter.dtype for parameter in obj.parameters()}
    return dtypes.pop() if len(dtypes) == 1 and dtypes != {sys.modules["torch"].get_default_dtype()} else absent


def is_tensor(value: Any) -> bool:
    return isinstance(value, _classes(("torch", "Tensor")))


def state_of(obj: Any) -> dict[str, Any]:
    """The arrays, and whatever else the object's state holds, by key."""
    nnx = sys.modules.get("flax.nnx")
    if nnx is not None and isinstance(obj, nnx.Module):
        return {".".join(map(str, path)): variable.get_value() for path, variable in nnx.to_flat_state(nnx.state(obj))}
    return dict(obj.state_dict(keep_vars=True)) if is_module(obj) else {}


def parts_of(obj: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Path, object and attributes of ``obj`` and of its submodules. Attributes that every module of the framework has are left out."""
    if not is_module(obj):
        yield "", obj, dict(getattr(obj, "__dict__", {}))
        return
    common, handles = vars(sys.modules["torch"].nn.Module()), _classes(("torch.utils.hooks", "RemovableHandle"))
    for path, module in obj.named_modules(remove_duplicate=False):
        own = {name: value for name, value in vars(module).items() if name not in common and not isinstance(value, handles)}
        own.pop("_is_torch_compile", None)  # torch.compile leaves it on what it wraps
        yield path, module, own


def building_places(obj: Any) -> Iterator[contextlib.AbstractContextManager]:
    """Where to build a copy of ``obj`` that is only looked at: the cheapest place first, then wherever the constructor wants."""
    if is_module(obj):
        yield sys.modules["torch"].device("meta")
    yield contextlib.nullcontext()


def _classes(*names: tuple[str, str]) -> tuple[type, ...]:
    found = [getattr(sys.modules.get(module), name, None) for module, name in names]
    return tuple(cls for cls in found if isinstance(cls, type))
