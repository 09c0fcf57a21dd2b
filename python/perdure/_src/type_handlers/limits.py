"""Limits of bytes in flight, shared by coroutines and by the engine's threads."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Protocol, runtime_checkable

from perdure import _core
from perdure._src.arguments import checked
from perdure.errors import InvalidError


@runtime_checkable
class ByteLimiter(Protocol):
    """Lets bytes pass. Whoever waited for bytes gives them back, from any event loop."""

    async def wait_for_bytes(self, requested_bytes: int) -> None: ...

    async def release_bytes(self, requested_bytes: int) -> None: ...


class LimitInFlightBytes(ByteLimiter):
    """At most ``num_bytes`` are in flight, over all threads and event loops that share the object.

    Waiters are served first come, first served. The engine takes its bytes from the same limit, without the GIL.
    """

    def __init__(self, num_bytes: int):
        """Raises InvalidError if ``num_bytes`` is not positive."""
        if checked(num_bytes, int, "num_bytes") <= 0:
            raise InvalidError(f"a byte limit must be positive, not {num_bytes}")
        self._core = _core.ByteLimiter(num_bytes)

    @property
    def max_bytes(self) -> int:
        return self._core.bytes_max

    async def wait_for_bytes(self, requested_bytes: int) -> None:
        """Returns once the bytes fit. More than ``max_bytes`` at once raises InvalidError, and takes nothing."""
        loop = asyncio.get_running_loop()
        granted = loop.create_future()

        def grant() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(lambda: granted.done() or granted.set_result(None))

        ticket = self._core.request(requested_bytes, grant)
        if ticket is None:
            return
        try:
            await granted
        except asyncio.CancelledError:
            if not self._core.cancel(ticket):
                self._core.release(requested_bytes)
            raise

    async def release_bytes(self, requested_bytes: int) -> None:
        """Raises InvalidError if fewer are in flight."""
        self._core.release(requested_bytes)


class UnlimitedInFlightBytes(ByteLimiter):
    """Lets everything pass."""

    async def wait_for_bytes(self, requested_bytes: int) -> None:
        pass

    async def release_bytes(self, requested_bytes: int) -> None:
        pass


def get_byte_limiter(concurrent_bytes: int | None = None) -> ByteLimiter:
    """A limiter for ``concurrent_bytes``; ``None``: without limit. Raises InvalidError if it is not positive."""
    return UnlimitedInFlightBytes() if concurrent_bytes is None else LimitInFlightBytes(concurrent_bytes)


@contextlib.asynccontextmanager
async def reserved_bytes(byte_limiter: ByteLimiter, nbytes: int) -> AsyncIterator[None]:
    """Holds ``nbytes`` of the limit inside ``async with``."""
    await byte_limiter.wait_for_bytes(nbytes)
    try:
        yield
    finally:
        await byte_limiter.release_bytes(nbytes)


def engine_limiter(limiter: ByteLimiter | None) -> _core.ByteLimiter | None:
    """The limit that the engine can ask by itself; ``None`` if there is none."""
    return limiter._core if isinstance(limiter, LimitInFlightBytes) else None


def foreign_limiter(limiter: ByteLimiter | None) -> ByteLimiter | None:
    """The limiter, if it is of a class that the engine cannot ask."""
    return None if limiter is None or isinstance(limiter, (LimitInFlightBytes, UnlimitedInFlightBytes)) else limiter
