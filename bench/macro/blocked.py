"""How long a save in the background keeps its caller waiting (workload W6), as a ratio to one copy into memory that is already there.

``blocked.py [--mb N] [--rounds N] [--dir DIR]``: for NumPy arrays, which are copied, and for arrays of JAX of two sizes, which are not.
Each measurement follows a first save of the same state, so that imports are done and staging memory is warm.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np  # noqa: E402

import limits  # noqa: E402
import perdure  # noqa: E402
from workloads import flat, size_bytes, w1_large  # noqa: E402


def memcpy_seconds(state: dict) -> float:
    """One copy of every array into touched memory of huge pages, by one thread."""
    memory = limits.touched(size_bytes(state) + 64 * len(flat(state)))
    target, at = np.frombuffer(memory, np.uint8), 0
    arrays = [np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in flat(state).values()]
    start = time.perf_counter()
    for array in arrays:
        target[at : at + array.size] = array
        at += array.size
    return time.perf_counter() - start


def blocked_seconds(path: str, state: Any) -> tuple[float, float]:
    """Until ``save_async`` returns, and until the save is durable."""
    start = time.perf_counter()
    response = perdure.save_async(path, state)
    blocked = time.perf_counter() - start
    response.result()
    whole = time.perf_counter() - start
    shutil.rmtree(path)
    return blocked, whole


def _row(name: str, directory: str, state: Any, limit: float, rounds: int) -> str:
    path = os.path.join(directory, name.replace(" ", "-"))
    blocked_seconds(path, state)
    times = [blocked_seconds(path, state) for _ in range(rounds)]
    blocked, whole = (statistics.median(column) for column in zip(*times))
    return f"{name:14}{limit * 1e3:12.1f}{blocked * 1e3:12.1f}{blocked / limit:9.2f}{whole * 1e3:12.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dir", default=None)
    options = parser.parse_args()
    import jax

    print(f"{'arrays':14}{'memcpy ms':>12}{'blocked ms':>12}{'ratio':>9}{'durable ms':>12}")
    with tempfile.TemporaryDirectory(dir=options.dir) as directory:
        for share in (1, 4):
            state = w1_large(options.mb * 1_000_000 // share)
            limit = statistics.median(memcpy_seconds(state) for _ in range(options.rounds))
            if share == 1:
                print(_row("numpy", directory, state, limit, options.rounds))
            print(_row(f"jax 1 of {share}", directory, jax.tree.map(jax.device_put, state), limit, options.rounds))


if __name__ == "__main__":
    main()
