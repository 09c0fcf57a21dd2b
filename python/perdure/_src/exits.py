"""A process that ends finishes its saves first."""

from __future__ import annotations

import atexit
import concurrent.futures.thread  # noqa: F401 - its exit function must run after ours: handlers use its threads
import os
import sys
import threading

from perdure import _core


def finish_before_program_ends() -> None:
    """While Python still runs: what the background lets go of are Python's objects. First of all other such functions."""
    register = getattr(threading, "_register_atexit", None)
    if register is not None:
        register(_core.finish_background_saves)
    atexit.register(_core.finish_background_saves)  # saves that other exit functions have started


_watched_process: int | None = None


def finish_before_child_ends() -> None:
    """In a child of ``multiprocessing``, which settles its exit code before threads end, and then may leave by ``os._exit``."""
    global _watched_process
    process = sys.modules.get("multiprocessing.process")
    if process is None or process.parent_process() is None or _watched_process == os.getpid():
        return
    from multiprocessing import util

    _watched_process = os.getpid()
    util.Finalize(None, _finish_child, exitpriority=-1000)  # the last


def _finish_child() -> None:
    failed, ends_with = _core.finish_background_saves(), sys.exc_info()[1]
    if failed and (ends_with is None or isinstance(ends_with, SystemExit) and not ends_with.code):
        raise SystemExit(1)
