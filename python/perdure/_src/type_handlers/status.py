"""When a leaf leaves the memory of its owner, and who is told."""

from __future__ import annotations

import enum
from typing import Any, Protocol, runtime_checkable

from perdure.errors import InvalidError

KeyPath = tuple[Any, ...]
"""Keys from the root to a leaf: str, int and other plain keys; for key paths of JAX its own entries."""


class TransferPriority(enum.Enum):
    """When a leaf is transferred: copied to memory that only the save has.

    Attributes:
        SYNCHRONOUS: Before the call that saves returns, whatever the transfer budget. The caller may change the leaf at once.
        ASYNCHRONOUS_PRIORITIZED: In the background, within the budget, before all deprioritized leaves. What the caller changes
            earlier is saved changed.
        ASYNCHRONOUS_DEPRIORITIZED: In the background, once every prioritized leaf is written.
        UNKNOWN: No answer. A save refuses it.
    """

    SYNCHRONOUS = 0
    ASYNCHRONOUS_PRIORITIZED = 1
    ASYNCHRONOUS_DEPRIORITIZED = 2
    UNKNOWN = 3


class IoDirection(enum.Enum):
    """Which way bytes go."""

    READ = "read"
    WRITE = "write"


class IsPrioritizedKeyFn(Protocol):
    """A function that says when the leaf at a key path is transferred. Asked once for each key path, in the thread that saves."""

    def __call__(self, keypath: KeyPath) -> TransferPriority: ...


def asked_once(priority: IsPrioritizedKeyFn) -> IsPrioritizedKeyFn:
    """The same function, which is not asked again for a key path. Raises InvalidError naming it for UNKNOWN and what is no priority."""
    answers: dict[KeyPath, TransferPriority] = {}

    def ask(keypath: KeyPath) -> TransferPriority:
        if keypath not in answers:
            answer = priority(keypath)
            if not isinstance(answer, TransferPriority) or answer is TransferPriority.UNKNOWN:
                raise InvalidError(f"the transfer priority of '{'.'.join(map(str, keypath))}' is {answer}")
            answers[keypath] = answer
        return answers[keypath]

    return ask


@runtime_checkable
class SerializationStatusCallback(Protocol):
    """Says when a leaf is transferred and is told how far it is.

    ``key_priority`` is asked once for each leaf, in the thread that saves. For each leaf the four events come once and in this
    order: transfer start, transfer end, write start, write end; the transfers of synchronous leaves in the thread that saves,
    before an asynchronous save returns; all others in worker threads. What an event raises fails the save.
    """

    def key_priority(self, keypath: KeyPath) -> TransferPriority:
        """When the leaf at ``keypath`` is transferred."""
        ...

    def on_transfer_start(self, keypath: KeyPath) -> None:
        """The leaf is about to be copied out of its owner's memory."""

    def on_transfer_end(self, keypath: KeyPath) -> None:
        """From now on the owner may change the leaf."""

    def on_write_start(self, keypath: KeyPath) -> None:
        """The first byte is about to be written."""

    def on_write_end(self, keypath: KeyPath) -> None:
        """All bytes are written; they are durable once the save is."""


class DefaultSerializationStatusCallback(SerializationStatusCallback):
    """Every leaf is synchronous, and nobody is told."""

    def key_priority(self, keypath: KeyPath) -> TransferPriority:
        return TransferPriority.SYNCHRONOUS
