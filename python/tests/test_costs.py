"""What saves and loads may cost, counted: copies, bytes written, memory, files read, and the time of other threads."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from exact import random_array, same

import perdure


def test_mutable_memory_is_copied_exactly_once(tmp_path, statistics):
    tree = {"a": random_array("float32", (3000, 1000)), "t": random_array("int16", (500, 700)).T, "s": random_array("int8", (900_000,))[::3],
            "n": [random_array("int32", (5,), seed) for seed in range(20)], "none": np.zeros((0, 3))}
    perdure.save(tmp_path / "c", tree)
    assert statistics["copied_bytes"] == sum(array.nbytes for array in [tree["a"], tree["t"], tree["s"], *tree["n"]])


def test_memory_that_nobody_changes_is_not_copied(tmp_path, statistics):
    jax = pytest.importorskip("jax")
    arrays = [random_array("float32", shape, seed) for seed, shape in enumerate([(3000, 1000), (100, 300), (7, 65_537)])]
    perdure.save(tmp_path / "c", {str(i): jax.numpy.asarray(array) for i, array in enumerate(arrays)})
    assert statistics["copied_bytes"] <= len(arrays) * 2 * 4096, "more than parts of disk blocks at the ends"
    for name, got in perdure.load(tmp_path / "c").items():
        same(np.asarray(got), arrays[int(name)])


def test_what_is_there_twice_is_written_once(tmp_path, statistics):
    one, other = random_array("float64", (100_000,)), random_array("float64", (100_000,), seed=1)
    perdure.save(tmp_path / "c", {"a": one, "tied": one, "equal": one.copy(), "other": other, "zeros": [np.zeros(100_000), np.zeros(100_000)]})
    assert statistics["shared_bytes"] == 3 * one.nbytes
    assert statistics["written_bytes"] < 3 * one.nbytes + 100_000


def test_the_number_of_files_does_not_grow_with_the_leaves(tmp_path, statistics):
    counts = []
    for count in (1, 3000):
        perdure.save(tmp_path / str(count), {str(i): np.full(3, i) for i in range(count)})
        counts.append(statistics["file_count"])
    assert counts[0] == counts[1] < 12


def test_metadata_reads_no_array(tmp_path):
    tree = {"w": random_array("float32", (300, 400)), "n": 5}
    perdure.save(tmp_path / "c", tree)
    needle = tree["w"].tobytes()
    (file,) = [file for file in tmp_path.rglob("*") if file.is_file() and needle in file.read_bytes()]
    file.write_bytes(file.read_bytes().replace(needle, bytes(len(needle))))
    found = perdure.metadata(tmp_path / "c").metadata
    assert (found["w"].shape, found["w"].dtype, found["n"]) == ((300, 400), np.float32, 5)
    with pytest.raises(perdure.CorruptError):
        perdure.load(tmp_path / "c")


@pytest.fixture
def no_forced_switch():
    """A thread gives the GIL away only where it waits, or where C++ releases it."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(interval)


def test_other_threads_run_while_files_are_written_and_read(tmp_path, no_forced_switch):
    tree = {"w": random_array("uint8", (30_000_000,))}
    calls = [lambda: perdure.save(tmp_path / "c", tree, overwrite=True), lambda: perdure.load(tmp_path / "c"), lambda: perdure.verify(tmp_path / "c")]
    for call in calls:
        go, counted = threading.Event(), []
        thread = threading.Thread(target=lambda: (go.wait(), counted.extend(range(1000))))  # noqa: B023
        thread.start()
        go.set()
        for _ in range(5):  # a busy machine may have no core for the thread during one
            call()
            if counted:
                break
        assert len(counted) == 1000
        thread.join()


MEMORY = """
import sys, numpy, perdure

def peak_mb():
    return next(int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))

what, path = sys.argv[1:]
if what == "save":
    tree = {str(i): numpy.arange(i, i + 786432.0) for i in range(100)}
    before = peak_mb()
    perdure.save(path, tree)
else:
    dtype = numpy.float32 if what == "cast" else numpy.float64
    template = {str(i): numpy.broadcast_to(dtype(), 786432) for i in range(100)}
    before = peak_mb() + 600 * dtype().itemsize // 8
    tree = perdure.load(path, template if what != "load" else None)
print(peak_mb() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_beyond_the_state_is_bounded(tmp_path):
    for what in ("save", "load", "template", "cast"):
        out = subprocess.run([sys.executable, "-c", MEMORY, what, tmp_path / "c"], check=True, capture_output=True, text=True)
        assert int(out.stdout) < 64 + 32, what


def test_loaded_arrays_are_the_only_ones(tmp_path):
    tree = {"w": random_array("float32", (1000,))}
    perdure.save(tmp_path / "c", tree)
    got = perdure.load(tmp_path / "c")["w"]
    assert type(got.base).__name__ == "_Memory" and got.flags.c_contiguous and got.flags.writeable
    same(got, tree["w"])
