"""What the engine asks of a framework's arrays. See table.py for how to add one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from perdure.errors import InputTypeError


class Memory(NamedTuple):
    """Memory of this process. Strides are counted in elements, and are not negative."""

    pointer: int
    size_bytes: int  # from the pointer on; checked, since an array may say more than there is
    extent: tuple[int, ...]
    strides: tuple[int, ...]


class Piece(NamedTuple):
    """A box of an array. As a NumPy array it has the array's dtype."""

    offset: tuple[int, ...]
    memory: Memory | np.ndarray


class HostArray(NamedTuple):
    """What the engine needs to know of an array. ``owner`` keeps the memory of all pieces alive."""

    dtype: str  # name of a row of the engine's dtype table
    shape: tuple[int, ...]
    pieces: Sequence[Piece] | None  # cover the array without overlap; None: the owner shows the whole by the buffer protocol
    owner: Any
    immutable: bool
    origin: str  # what to make of it again; stored with the array. Its first word is that of the table's row
    sharding: str = ""  # where an array of JAX lies, as Orbax's _sharding says it (JSON)


class Abstract(NamedTuple):
    """What a template leaf asks for."""

    dtype: str | None  # None: as stored
    shape: tuple[int, ...]


class Adapter(Protocol):
    """One module for each framework has these functions."""

    def describe(self, leaf: Any, /, shows_memory: bool = True) -> HostArray:
        """The memory of a leaf. Raises InputTypeError if it has none that can be saved.

        Without ``shows_memory`` it gives pieces: so it is called again where it left the memory to the owner to show, and that refused.
        """

    def abstract(self, leaf: Any, /) -> Abstract | None:
        """What a template leaf asks for; None if it is no array."""

    def restore(self, origin: str, template: Any, array: np.ndarray, /) -> Any:
        """The leaf that ``array`` (C order, memory of its own) becomes: like ``template``, or as it was saved if that is None."""


class Nodes(Protocol):
    """A module for containers that only its framework can take apart has these functions."""

    def is_node(self, leaf: Any, /) -> bool:
        """Whether the framework knows the class of ``leaf`` as such a container."""

    def node_children(self, node: Any, /) -> list[tuple[Any, Any]]:
        """Key and child, of those that are state."""

    def node_like(self, node: Any, children: Sequence[Any], /) -> Any:
        """A node like ``node`` with other children."""

    def node_copy(self, node: Any, /) -> Any:
        """A node with the same children, which it holds in memory of its own."""


def refusal(leaf: Any, why: str) -> InputTypeError:
    return InputTypeError(f"cannot save a '{type(leaf).__name__}': {why}")
