"""What callers ask of a handler for one leaf, and checks of what they hand in."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sized
from typing import Any

import numpy as np

from perdure import _core
from perdure.errors import InvalidError


@dataclasses.dataclass
class SaveArgs:
    """How one leaf is saved.

    Attributes:
        aggregate: Deprecated and ignored.
        dtype: Cast to this dtype before writing; ``None``: as it is.
        chunk_byte_size: No chunk is larger (bytes); the largest axis is divided first. ``None``: the engine chooses.
        shard_axes: Axes that are divided before all others to reach ``chunk_byte_size``.
    """

    aggregate: bool = False
    dtype: Any = None
    chunk_byte_size: int | None = None
    shard_axes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.aggregate:
            warnings.warn("SaveArgs.aggregate is deprecated and ignored", DeprecationWarning, stacklevel=3)


@dataclasses.dataclass
class RestoreArgs:
    """How one leaf is restored.

    Attributes:
        restore_type: Type of the result: of scalars the class that is called with the number, of arrays ``np.ndarray``,
            ``jax.Array`` or ``torch.Tensor``; ``None``: what the handler gives.
        dtype: Cast to this dtype after reading; ``None``: as stored.
    """

    restore_type: Any = None
    dtype: Any = None


def check_input_arguments(*args: Sized) -> None:
    """Raises InvalidError if the arguments of a handler are not all of one length, or of length 0."""
    lengths = [len(arg) for arg in args]
    if 0 in lengths[:1]:
        raise InvalidError("a handler was called for 0 leaves")
    if len(set(lengths)) > 1:
        raise InvalidError(f"a handler was called with arguments of mismatched lengths: {', '.join(map(str, lengths))}")


def is_supported_type(value: Any) -> bool:
    """True if ``value`` is a leaf that needs no handler of its own.

    These are arrays with memory, str, bytes, int, float, NumPy numbers, None and empty containers. Complex numbers of Python and
    ``numpy.bool_`` do not count, although ``save`` takes them: Orbax has no handler for them.
    """
    if isinstance(value, (Mapping, list, tuple)):
        return not value and not hasattr(value, "_fields")
    if type(value) is complex or isinstance(value, np.bool_):
        return False
    return _core.is_supported_leaf(value)
