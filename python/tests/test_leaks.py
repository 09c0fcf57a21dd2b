"""What saves and loads leave behind, also those that fail: no object, file descriptor or thread, and no word at exit."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from threads import thread_count

import perdure

try:
    import torch
except ImportError:
    torch = None
try:
    import jax
except ImportError:
    jax = None

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


def state(array_of=np.asarray):
    return {"w": array_of(np.arange(6.0, dtype=np.float32)), "l": [1, 2.5, "text", b"raw", 10**30, None], (1, "a"): array_of(np.ones(3, np.int32))}


STATES = {"numpy": state}
if torch:
    STATES["torch"] = lambda: state(torch.from_numpy)
if jax:
    STATES["jax"] = lambda: state(jax.device_put)


def unsaved():
    """Trees that a save refuses, each at another place."""
    yield {"w": np.ones(3), "x": {1, 2}}
    yield {"w": np.array(["a"])}
    yield {b"key": 1}
    yield {"a.b": 1, "a": {"b": 2}}
    if torch:
        yield {"w": torch.ones(3), "x": torch.ones(3).to_sparse()}
    if jax:
        yield {"w": jax.device_put(np.ones(3)), "x": jax.ShapeDtypeStruct((2,), np.float32)}


def templates_that_do_not_fit():
    yield {"w": np.ones(3)}
    yield {"w": np.ones(7, np.float32), "l": [0] * 6, (1, "a"): np.ones(3)}
    yield {"w": "text", "l": [0] * 6, (1, "a"): np.ones(3)}
    yield {"w": object()}
    if torch:
        yield {"w": torch.ones(3).to_sparse()}


def round_of_work(path, make_state):
    tree = make_state()
    perdure.save(path / "c", tree, overwrite=True)
    perdure.load(path / "c")
    perdure.load(path / "c", tree)
    perdure.metadata(path / "c")
    assert perdure.verify(path / "c").ok


def round_of_failures(path, trees, templates):
    perdure.save(path / "c", state(), overwrite=True)
    for tree in trees:
        with pytest.raises(perdure.Error):
            perdure.save(path / "never", tree)
    for template in templates:
        with pytest.raises(perdure.Error):
            perdure.load(path / "c", template)
    for call in (lambda: perdure.save(path / "c", state()), lambda: perdure.load(path / "nothing"), lambda: perdure.load(path / "c", only=["nothing"]),
                 lambda: perdure.metadata(path), lambda: perdure.load(path / "broken")):
        with pytest.raises(perdure.Error):
            call()


def holdings():
    """Objects that Python has allocated, open files, threads."""
    for _ in range(3):
        gc.collect()
    return sys.getallocatedblocks(), len(os.listdir("/proc/self/fd")), thread_count()


def assert_nothing_grows(work, count, objects_max=1):
    """Caches fill and pools start their threads for a while; what leaks grows with every window of ``count`` rounds."""
    growths = []
    for _ in range(10):
        before = holdings()
        for _ in range(count):
            work()
        growths.append([after - earlier for after, earlier in zip(holdings(), before)])
        blocks, files, threads = growths[-1]
        if len(growths) > 1 and blocks < objects_max * count and files == 0 and threads <= 0:
            return
    raise AssertionError(f"objects, files and threads that {count} rounds leave, again and again: {growths}")


COUNTS = [20, pytest.param(1000, marks=pytest.mark.slow)]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", STATES)
def test_saves_and_loads_leave_nothing(tmp_path, kind, count):
    objects_max = 4 if kind == "jax" else 1  # making two arrays by itself leaves two or three; ours would be six, one a leaf
    assert_nothing_grows(lambda: round_of_work(tmp_path, STATES[kind]), count, objects_max)


@pytest.mark.parametrize("count", COUNTS)
def test_failures_leave_nothing(tmp_path, count):
    perdure.save(tmp_path / "broken", state())
    (manifest,) = (tmp_path / "broken").rglob("manifest.ocdbt")
    manifest.write_bytes(manifest.read_bytes()[:-3])
    trees, templates = list(unsaved()), list(templates_that_do_not_fit())
    assert_nothing_grows(lambda: round_of_failures(tmp_path, trees, templates), count)


def test_a_leak_would_be_noticed():
    kept = []
    with pytest.raises(AssertionError, match="again and again"):
        assert_nothing_grows(lambda: kept.append(object()), 20)


def test_memory_of_a_load_goes_with_its_last_array(tmp_path):
    def resident_mb():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

    perdure.save(tmp_path / "c", {"w": np.arange(5_000_000.0), "v": np.arange(5_000_000.0)})
    for _ in range(3):
        perdure.load(tmp_path / "c")
    before = resident_mb()
    for _ in range(20):
        part = perdure.load(tmp_path / "c")["w"][:5]
    assert part.tolist() == [0, 1, 2, 3, 4]
    assert resident_mb() - before < 100


AT_EXIT = """
import sys, numpy, perdure
perdure.save(sys.argv[1], {"w": numpy.arange(6.0), "n": 1})
held = [perdure.load(sys.argv[1]), perdure.metadata(sys.argv[1]), perdure.verify(sys.argv[1])]
store = perdure.storage.open_kvstore(sys.argv[1] + "/state")
array = perdure.storage.open_array(sys.argv[1] + "/state", "w")
sys.held = (held, store, array, array[1:3])
try:
    perdure.save(sys.argv[1], {"x": {1}})
except perdure.Error as error:
    sys.error = error
"""


def test_a_program_that_ends_with_objects_of_ours_says_nothing(tmp_path):
    done = subprocess.run([sys.executable, "-X", "dev", "-c", AT_EXIT, tmp_path / "c"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
