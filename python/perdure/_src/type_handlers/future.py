"""The part of a save that goes on in the background."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from typing import Any


class CommitFuture:
    """Work on a thread of its own, which a program finishes before it ends."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, None] | None]):
        """Starts ``work``; if it gives a coroutine, that too, in an event loop of the thread."""
        self._outcome: concurrent.futures.Future[None] = concurrent.futures.Future()
        threading.Thread(target=self._run, args=(work,), name="perdure leaves").start()

    def result(self, timeout: float | None = None) -> None:
        """Returns once the work is done. Raises what made it fail, each time; TimeoutError after ``timeout`` seconds."""
        self._outcome.result(timeout)

    def done(self) -> bool:
        return self._outcome.done()

    def _run(self, work: Callable[[], Coroutine[Any, Any, None] | None]) -> None:
        try:
            rest = work()
            if rest is not None:
                asyncio.run(rest)
        except BaseException as error:
            self._outcome.set_exception(error)
        else:
            self._outcome.set_result(None)
