"""What the machine allows, measured beside the systems."""

from __future__ import annotations

import mmap
import os
import time
from concurrent.futures import ThreadPoolExecutor

BLOCK = 8 << 20


def touched(size: int) -> mmap.mmap:
    """Memory of huge pages that is really there."""
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # shared memory has no huge pages
    memory.madvise(mmap.MADV_HUGEPAGE)
    for at in range(0, size, 4096):
        memory[at] = 1
    return memory


def measure(directory: str, size_bytes: int) -> dict[str, float]:
    """Seconds for so many bytes: ``write`` durably, ``read`` from the page cache into memory that is already there."""
    blocks = max(1, -(-size_bytes // BLOCK))
    share = size_bytes / (blocks * BLOCK)
    path = os.path.join(directory, "limit.bin")
    try:
        write = _write(path, blocks)
        _read(path)  # direct writes leave nothing in the cache
        return {"write": write * share, "read": _read(path) * share}
    finally:
        os.unlink(path)


def _write(path: str, blocks: int) -> float:
    """Large direct writes, several in flight, into reserved blocks, then fdatasync."""
    source = memoryview(touched(BLOCK))
    flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
    start = time.perf_counter()
    try:
        handle = os.open(path, flags | os.O_DIRECT)
    except OSError:
        handle = os.open(path, flags)
    os.posix_fallocate(handle, 0, blocks * BLOCK)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: os.pwrite(handle, source, i * BLOCK), range(blocks)))
    os.fdatasync(handle)
    os.close(handle)
    return time.perf_counter() - start


def _read(path: str) -> float:
    target = memoryview(touched(os.path.getsize(path)))
    start, at = time.perf_counter(), 0
    handle = os.open(path, os.O_RDONLY)
    while count := os.preadv(handle, [target[at : at + BLOCK]], at):
        at += count
    os.close(handle)
    return time.perf_counter() - start
