"""One measurement in a process of its own: ``worker.py WORKLOAD SYSTEM save|load|limits PATH``. Prints one line of JSON."""

from __future__ import annotations

import json
import os
import resource
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import limits  # noqa: E402
from systems import SYSTEMS, same, sync_all  # noqa: E402
from workloads import WORKLOADS, size_bytes  # noqa: E402


def _warm_up(size: int) -> None:
    """Memory that was given back to the host costs its first user dearly: touch twice what will be needed, and free it."""
    limits.touched(2 * size).close()


def _fill_cache(path: str) -> None:
    """Direct writes leave nothing in the page cache, others all: loads are measured warm for every system."""
    for name in [path] if os.path.isfile(path) else [os.path.join(d, f) for d, _, names in os.walk(path) for f in names]:
        with open(name, "rb", buffering=0) as file:
            while file.read(8 << 20):
                pass


def _timed(action) -> tuple[object, dict]:
    cpu, start = time.process_time(), time.perf_counter()
    result = action()
    return result, {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}


def measure(workload: str, system_name: str, what: str, path: str) -> dict:
    state = WORKLOADS[workload]()
    size = size_bytes(state)
    if what == "limits":
        return limits.measure(os.path.dirname(path), size)
    system = SYSTEMS[system_name]
    if what == "load":
        _fill_cache(path)
    _warm_up(size)
    if what == "save":
        prepared = system.prepare(state)
        system.save(path + ".first", system.prepare(WORKLOADS["W2"](10)))  # imports and lazy set-up are not the save

        def save() -> None:
            system.save(path, prepared)
            if not system.durable:
                sync_all(path)

        figures = _timed(save)[1]
    else:
        system.load(path + ".first")
        loaded, figures = _timed(lambda: system.load(path))
        figures["equal"] = same(loaded, state)
    figures["peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return figures


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:])))
