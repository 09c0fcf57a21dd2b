"""Handlers that users registered, for trees that are saved and loaded: which leaves are theirs, and what they are asked."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

from perdure._src.context import current_context
from perdure._src.event_loop import run_alone
from perdure._src.type_handlers.arguments import RestoreArgs
from perdure._src.type_handlers.global_registry import NATIVE_CLASSES, NATIVE_REGISTRY, REGISTRY
from perdure._src.type_handlers.leaf_files import file_name
from perdure._src.type_handlers.limits import get_byte_limiter
from perdure._src.type_handlers.param_info import ParamInfo
from perdure._src.type_handlers.type_handler import TypeHandler
from perdure.errors import CheckpointError, NoHandlerError


def handler_typestr(cls: type) -> str | None:
    """How the user's handler of a class is called; None if the engine takes it, or nobody."""
    handler = REGISTRY.find(cls)
    if handler is None or (type(handler) in NATIVE_CLASSES and NATIVE_REGISTRY.has(cls)):
        return None
    return handler.typestr()


def asked_for_leaves() -> Callable[[type], str | None] | None:
    """``handler_typestr``, or None as long as nobody registered a handler."""
    return handler_typestr if REGISTRY.handlers() != NATIVE_REGISTRY.handlers() else None


def registered_callbacks() -> Callable[[type], Any] | None:
    """The status callback of the native handler that is registered for a class; None if no handler has one."""
    if all(getattr(handler, "callback", None) is None for handler in REGISTRY.handlers()):
        return None
    return lambda cls: getattr(REGISTRY.find(cls), "callback", None)


def own_typestrs() -> set[str]:
    """What the handlers of users are called."""
    return {handler.typestr() for handler in REGISTRY.handlers() if type(handler) not in NATIVE_CLASSES}


Leaf = tuple[str, str, Any]  # storage name, typestr, leaf of the template or None


def load_leaves(directory: pathlib.Path, leaves: Sequence[Leaf]) -> list[Any]:
    """The leaves, each from the handler that its typestr names: one call for each handler."""
    made: list[Any] = [None] * len(leaves)
    for typestr, group in _by_typestr(leaves).items():
        handler, infos = _handler(typestr, [leaves[i] for i in group]), _infos(directory, [leaves[i] for i in group])
        args = [_restore_args(leaves[i][2]) for i in group]
        values = list(run_alone(handler.deserialize(infos, args)))
        if len(values) != len(group):
            raise CheckpointError(f"deserialize of the type handler '{typestr}' gave {len(values)} leaves, asked for {len(group)}")
        for i, value in zip(group, values):
            made[i] = value
    return made


def describe_leaf(directory: pathlib.Path, name: str, typestr: str) -> Any:
    """What the handler says of a stored leaf; None if there is none."""
    handler = REGISTRY.find(typestr)
    return None if handler is None else run_alone(handler.metadata(_infos(directory, [(name, typestr, None)])))[0]


def _by_typestr(leaves: Sequence[Leaf]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for i, leaf in enumerate(leaves):
        groups.setdefault(leaf[1], []).append(i)
    return groups


def _handler(typestr: str, leaves: Sequence[Leaf]) -> TypeHandler:
    handler = REGISTRY.find(typestr)
    if handler is None:
        names = ", ".join(f"'{name}'" for name, _, _ in leaves)
        raise NoHandlerError(f"unknown value type '{typestr}' of {names}: no type handler of this name is registered")
    return handler


def _infos(directory: pathlib.Path, leaves: Sequence[Leaf]) -> list[ParamInfo]:
    stored = json.loads((directory / "_METADATA").read_bytes())
    limiter = get_byte_limiter(current_context().memory.read_concurrent_bytes)
    return [
        ParamInfo(
            name=file_name(name),
            parent_dir=directory,
            keypath=tuple(name.split(".")),
            byte_limiter=limiter,
            is_ocdbt_checkpoint=stored.get("use_ocdbt", (directory / "manifest.ocdbt").exists()),
            use_zarr3=stored.get("use_zarr3", False),
            value_typestr=typestr,
        )
        for name, typestr, _ in leaves
    ]


def _restore_args(target: Any) -> RestoreArgs:
    is_own = target is not None and handler_typestr(type(target)) is not None
    return RestoreArgs(type(target) if is_own else None, getattr(target, "dtype", None))
