"""Options for all calls within a ``with`` block."""

from __future__ import annotations

import contextvars

from perdure._src.arguments import checked
from perdure._src.options import (
    ArrayOptions,
    CheckpointablesOptions,
    FileOptions,
    Freezable,
    MemoryOptions,
    PyTreeOptions,
)

_OPTIONS = {
    "array": ArrayOptions,
    "pytree": PyTreeOptions,
    "checkpointables": CheckpointablesOptions,
    "memory": MemoryOptions,
    "file": FileOptions,
}
_active: contextvars.ContextVar[Context | None] = contextvars.ContextVar("perdure_context", default=None)


class Context:
    """Options that hold inside ``with context:``; set them before.

    A new context starts with the options of ``context``, or with the defaults, also inside another one. While it is active its
    options cannot be set (RuntimeError). Each thread and asyncio task has its own active context.
    """

    array: ArrayOptions
    pytree: PyTreeOptions
    checkpointables: CheckpointablesOptions
    memory: MemoryOptions
    file: FileOptions

    def __init__(self, context: Context | None = None, *, checkpointables_options: CheckpointablesOptions | None = None):
        parent = None if context is None else checked(context, Context, "context")
        self._tokens: list[contextvars.Token] = []
        for name, options in _OPTIONS.items():
            setattr(self, name, getattr(parent, name).copy() if parent else options())
        if checkpointables_options is not None:
            self.checkpointables = checked(checkpointables_options, CheckpointablesOptions, "checkpointables_options").copy()

    def __setattr__(self, name: str, value: object) -> None:
        if name != "_tokens":
            if self._tokens:
                raise RuntimeError(f"Context.{name} cannot be set while the context is active")
            kind = _OPTIONS.get(name)
            if kind is None:
                raise AttributeError(f"Context has no option '{name}'")
            checked(value, kind, f"Context.{name}")
        object.__setattr__(self, name, value)

    def __enter__(self) -> Context:
        self._freeze(True)
        self._tokens.append(_active.set(self))
        return self

    def __exit__(self, *exc_info: object) -> None:
        _active.reset(self._tokens.pop())
        self._freeze(bool(self._tokens))

    def _freeze(self, frozen: bool) -> None:
        for options in vars(self).values():
            if isinstance(options, Freezable):
                options.freeze(frozen)


def current_context() -> Context:
    """The active context, or one with the defaults."""
    return _active.get() or Context()
