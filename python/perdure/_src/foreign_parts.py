"""The checkpointables of a save that handlers written in Python write."""

from __future__ import annotations

import asyncio
import contextvars
import os
import pathlib
import threading
from collections.abc import Awaitable
from typing import Any, NamedTuple

from perdure import _core
from perdure._src.event_loop import HandlerLoop
from perdure._src.handler_registry import Resolved
from perdure._src.pending_directory import PendingDirectory
from perdure._src.type_handlers.handled_tree import HandledTree
from perdure.errors import CancelledError, InputTypeError


class _Part(NamedTuple):
    name: str
    handler: Any
    checkpointable: Any
    part: _core.ForeignPart


class ForeignParts:
    """First ``add`` and ``look``, in the caller's thread; then ``start``, which goes on in a thread; then ``join``. Or ``abandon``."""

    def __init__(self) -> None:
        self._parts: list[_Part] = []
        self._background: list[Awaitable[None]] = []
        self._loop: HandlerLoop | None = None
        self._thread: threading.Thread | None = None
        self._running: asyncio.Task | None = None
        self._cancelled = False
        self.error: BaseException | None = None
        """What the first failing handler raised."""

    def __bool__(self) -> bool:
        return bool(self._parts)

    def add(self, job: _core.SaveJob, name: str, resolved: Resolved, checkpointable: Any) -> None:
        part = job.add_foreign(name, resolved.typestr)
        self._parts.append(_Part(name, resolved.handler, checkpointable, part))

    def look(self, job: _core.SaveJob) -> None:
        """Runs the first halves, one after the other. What one raises is raised as it is."""
        self._loop = HandlerLoop()
        for name, handler, checkpointable, part in self._parts:
            directory = PendingDirectory(part, pathlib.Path(os.fsdecode(job.item_path(name))))
            background = self._loop.run(handler.save(directory, checkpointable))
            if background is not None and not hasattr(background, "__await__"):
                raise InputTypeError(f"the handler of '{name}' gave a '{type(background).__name__}' instead of an awaitable")
            self._background.append(background)

    def writers(self) -> list[_core.ItemWriter]:
        """What the engine writes of them."""
        return [part.handler.writer for part in self._parts if isinstance(part.handler, HandledTree)]

    def start(self) -> None:
        """Runs the second halves in a thread that the interpreter waits for."""
        run = contextvars.copy_context().run
        self._thread = threading.Thread(target=run, args=(self._run,), name="perdure handlers")
        try:
            for part in self._parts:
                part.part.start()
            self._thread.start()
        except BaseException:
            self.abandon()
            raise

    def cancel(self) -> None:
        """From any thread: the handlers' tasks are cancelled."""
        self._cancelled = True
        if self._loop is not None:
            self._loop.call_soon(lambda: self._running.cancel() if self._running else None)

    def join(self) -> None:
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def abandon(self) -> None:
        """Before ``start``: nothing will be written. The first halves that have run are closed."""
        for part in self._parts:
            part.part.finish("abandoned")
        self._forget()
        if self._loop is not None:
            self._loop.close()

    def _forget(self) -> None:
        for background in self._background:
            if asyncio.iscoroutine(background):
                background.close()
        self._background.clear()
        self._parts.clear()

    def _run(self) -> None:
        try:
            self._loop.run(self._run_all())
        except BaseException as error:
            self._note(error)
        finally:
            try:
                self._loop.close()
            finally:
                for part in self._parts:
                    part.part.finish(None if self.error is None else f"{type(self.error).__name__}: {self.error}")
                self._forget()

    async def _run_all(self) -> None:
        self._running = asyncio.current_task()
        if self._cancelled:
            self._running.cancel()
        await asyncio.gather(*(self._run_one(background) for background in self._background))

    async def _run_one(self, background: Awaitable[None] | None) -> None:
        try:
            if background is not None:
                await background
        except BaseException as error:
            self._note(error)
            if not isinstance(error, Exception):
                raise

    def _note(self, error: BaseException) -> None:
        if isinstance(error, asyncio.CancelledError) and self._cancelled:
            error = CancelledError("the save was cancelled")
        if self.error is None:
            self.error = error
