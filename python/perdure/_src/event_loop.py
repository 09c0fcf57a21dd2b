"""An event loop that is run by whoever has work for it: first the caller of a save, then its background thread."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


@contextlib.contextmanager
def _outside_the_running_loop() -> Iterator[None]:
    """A thread may be inside a loop already: a coroutine that calls ``save``. That loop waits meanwhile, as for any other call."""
    running = asyncio._get_running_loop()
    if running is None:
        yield
        return
    task = asyncio.current_task(running)
    if task is not None:
        asyncio.tasks._leave_task(running, task)
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(running)
        if task is not None:
            asyncio.tasks._enter_task(running, task)


class _Threads(ThreadPoolExecutor):
    """For ``asyncio.to_thread``, also while a program that has come to its end waits for its threads: they may still save."""

    def __init__(self) -> None:
        super().__init__()
        self._last: list[threading.Thread] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError as error:
            if "interpreter shutdown" not in str(error):
                raise
        future: Future = Future()
        thread = threading.Thread(target=_fulfil, args=(future, functools.partial(fn, *args, **kwargs)))
        thread.start()
        self._last.append(thread)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait, cancel_futures=cancel_futures)
        for thread in self._last if wait else ():
            thread.join()


def _fulfil(future: Future, work: Callable[[], Any]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)


class HandlerLoop:
    """Runs the halves of handlers, in one thread at a time. Tasks that the first half starts go on while the second runs."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(_Threads())

    def run(self, awaitable: Awaitable[Any]) -> Any:
        """Its result, or what it raises. Blocks."""
        with _outside_the_running_loop():
            return self._loop.run_until_complete(_awaited(awaitable))

    def call_soon(self, function: Any) -> None:
        """From any thread. Nothing happens once the loop is closed."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function)

    def close(self) -> None:
        """Cancels what is left and frees the loop."""
        with _outside_the_running_loop():
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            if left:
                self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


def run_alone(awaitable: Awaitable[Any]) -> Any:
    """Its result, or what it raises, in a loop of its own. Blocks."""
    loop = HandlerLoop()
    try:
        return loop.run(awaitable)
    finally:
        loop.close()
