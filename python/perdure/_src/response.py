"""What an asynchronous call returns."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from perdure import _core
from perdure._src.cast_warnings import warn_of_casts
from perdure._src.exits import finish_before_child_ends, finish_before_program_ends
from perdure._src.foreign_parts import ForeignParts

T = TypeVar("T")
_SLICE_S = 0.1  # signals are looked at so often while somebody waits


@runtime_checkable
class AsyncResponse(Protocol[T]):
    """A call that goes on in the background."""

    def result(self, timeout: float | None = None) -> T:
        """What the call returns. Blocks, at most ``timeout`` seconds (TimeoutError). What went wrong is raised each time."""
        ...

    def on_complete(self, callback: Callable[[T], None]) -> None:
        """Calls ``callback`` with the result once the call has succeeded; at once if it has. Never after a failure."""
        ...


def _wait(is_done: Callable[[float], bool], timeout: float | None) -> None:
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        left = _SLICE_S if end is None else min(_SLICE_S, max(0.0, end - time.monotonic()))
        if is_done(left):
            return
        if end is not None and time.monotonic() >= end:
            raise TimeoutError(f"not done after {timeout} seconds")


class SaveResponse:
    """A save in the background. It goes on when nobody holds this; a program that ends waits for it."""

    def __init__(self, future: _core.SaveFuture, foreign: ForeignParts):
        self._future = future
        self._foreign = foreign
        self._told = False  # of values that the stored dtype has changed
        finish_before_child_ends()

    def result(self, timeout: float | None = None) -> None:
        """Returns once the save is durable. Blocks, at most ``timeout`` seconds (TimeoutError).

        Raises:
            What made the save fail, each time: what the handler of a checkpointable raised, or as of ``perdure.save``.
            CancelledError: ``cancel`` came in time.

        Warns:
            LossyCastWarning: As of ``perdure.save``, the first time.
        """
        _wait(self._future.wait_for, timeout)
        self._foreign.join()
        try:
            statistics = self._future.result()
        except Exception:
            if self._foreign.error is not None:
                raise self._foreign.error from None
            raise
        if not self._told:
            self._told = True
            warn_of_casts("the stored dtype", statistics["lossy_leaves"])

    def abandon(self) -> None:
        """Cancels the save and waits until nothing of it is left, or until it has committed after all."""
        self.cancel()
        self.settle()

    def settle(self) -> None:
        """Waits until the save has ended, however. That is not asking: a failure that nobody asks about is still told at exit."""
        _wait(self._future.wait_for, None)
        self._foreign.join()

    def on_complete(self, callback: Callable[[None], None]) -> None:
        """Calls ``callback(None)`` once the save has succeeded, on a thread of the save; at once if it has. Never after a failure."""
        self._future.on_complete(callback)

    def cancel(self) -> None:
        """Asks the save to stop. If that is not too late, it leaves nothing behind and ``result`` raises CancelledError."""
        self._future.cancel()
        self._foreign.cancel()


class LoadResponse(Generic[T]):
    """A load in the background."""

    def __init__(self, load: Callable[[], T]):
        self._value: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[T], None]] = []
        self._lock = threading.Lock()
        self._done = False
        run = contextvars.copy_context().run
        self._thread = threading.Thread(target=run, args=(self._run, load), name="perdure load")
        self._thread.start()

    def result(self, timeout: float | None = None) -> T:
        """What was loaded. Blocks, at most ``timeout`` seconds (TimeoutError). Errors as of ``perdure.load``, each time."""
        _wait(self._is_done, timeout)
        if self._error is not None:
            raise self._error
        return self._value

    def on_complete(self, callback: Callable[[T], None]) -> None:
        """Calls ``callback`` with what was loaded, on the load's thread; at once if it is there. Never after a failure."""
        with self._lock:
            if not self._done:
                self._callbacks.append(callback)
                return
        if self._error is None:
            callback(self._value)

    def _is_done(self, seconds: float) -> bool:
        if self._thread is threading.current_thread():
            return self._done
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self, load: Callable[[], T]) -> None:
        try:
            self._value = load()
        except BaseException as error:
            self._error = error
        with self._lock:
            self._done = True
            callbacks, self._callbacks = self._callbacks, []
        if self._error is None:
            for callback in callbacks:
                callback(self._value)


finish_before_program_ends()
