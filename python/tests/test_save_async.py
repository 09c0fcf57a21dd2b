"""Saves in the background: what the caller may do meanwhile, and what becomes of failures."""

import asyncio
import gc
import os
import signal
import threading
import weakref

import numpy as np
import pytest
from exact import same
from threads import thread_count

import perdure


class Gated:
    """A stateful checkpointable that waits before it writes."""

    def __init__(self, gate, error=None):
        self.gate, self.error = gate, error

    async def save(self, directory):
        async def background():
            path = await directory.await_creation()
            await asyncio.to_thread(self.gate.wait, 20)
            if self.error is not None:
                raise self.error
            (path / "x").write_text("x")

        return background()

    async def load(self, directory): ...


def gated(tmp_path, error=None, **others):
    gate = threading.Event()
    response = perdure.save_checkpointables_async(tmp_path / "c", {"g": Gated(gate, error), **others})
    return gate, response


def left_over():
    return thread_count(), len(os.listdir("/proc/self/fd"))


def test_arrays_that_are_no_longer_held_are_freed_once_they_are_copied(tmp_path):
    array = np.arange(100_000.0)
    gate, response = gated(tmp_path, t={"a": array})
    watched = weakref.ref(array)
    want = array.copy()
    del array
    gc.collect()
    assert watched() is None
    gate.set()
    response.result()
    same(perdure.load(tmp_path / "c", checkpointable_name="t"), {"a": want})


def test_immutable_arrays_of_jax_are_kept_and_not_copied(tmp_path):
    jnp = pytest.importorskip("jax.numpy")
    gate, response = gated(tmp_path, t={"a": jnp.arange(1000.0)})
    gate.set()
    response.result()
    assert np.array_equal(perdure.load(tmp_path / "c", checkpointable_name="t")["a"], np.arange(1000.0))


def test_torch_tensors_changed_after_the_call_keep_their_old_values(tmp_path):
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(300, 300)
    want = {name: value.clone() for name, value in model.state_dict().items()}
    response = perdure.save_async(tmp_path / "c", model.state_dict())
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(7)
    response.result()
    got = perdure.load(tmp_path / "c")
    assert all(torch.equal(got[name], value) for name, value in want.items())


def test_a_state_beyond_the_staging_limit_is_written_before_the_call_returns(tmp_path):
    context = perdure.Context()
    context.memory.staging_bytes_max = 1000
    with context:
        response = perdure.save_async(tmp_path / "c", {"a": np.arange(1000.0)})
    assert (tmp_path / "c").exists()
    response.result(timeout=0)


def test_every_result_raises_the_same_object(tmp_path):
    error = RuntimeError("mine")
    gate, response = gated(tmp_path, error)
    gate.set()
    for _ in range(2):
        with pytest.raises(RuntimeError) as raised:
            response.result()
        assert raised.value is error
    assert os.listdir(tmp_path) == []


def test_failed_and_cancelled_saves_leave_nothing_behind(tmp_path):
    gate, response = gated(tmp_path, t={"a": np.zeros(1000)})  # begins the threads that stay
    gate.set()
    response.result()
    before = left_over()
    for i in range(4):
        gate, response = gated(tmp_path / str(i), RuntimeError("x") if i % 2 else None, t={"a": np.zeros(1000)})
        if i % 2 == 0:
            response.cancel()
        gate.set()
        with pytest.raises(RuntimeError if i % 2 else perdure.CancelledError):
            response.result()
    gc.collect()
    assert left_over() == before
    assert sorted(os.listdir(tmp_path)) == ["c"]


def test_a_cancelled_native_save_leaves_nothing_behind(tmp_path):
    response = perdure.save_async(tmp_path / "c", {str(i): np.arange(300_000.0) + i for i in range(20)})
    response.cancel()
    try:
        response.result()
        assert sorted(os.listdir(tmp_path)) == ["c"]
    except perdure.CancelledError:
        assert os.listdir(tmp_path) == []


def test_relative_paths_are_those_of_the_call(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    gate = threading.Event()
    responses = [perdure.save_checkpointables_async("c", {"g": Gated(gate), "t": {"n": 1}})]
    responses.append(perdure.save_async("runs/d", {"w": np.arange(1_000_000)}))
    monkeypatch.chdir(tmp_path / "elsewhere")
    gate.set()
    for response in responses:
        response.result()
    assert sorted(os.listdir(tmp_path)) == ["c", "elsewhere", "runs"] and os.listdir(tmp_path / "elsewhere") == []
    monkeypatch.chdir(tmp_path)
    loading = perdure.load_async("runs/d")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert loading.result()["w"][-1] == 999_999


def test_a_second_save_to_the_path_is_refused_at_once_and_the_first_goes_on(tmp_path):
    gate, response = gated(tmp_path)
    with pytest.raises(perdure.AlreadyExistsError):
        perdure.save(tmp_path / "c", {"a": 1}, overwrite=True)
    gate.set()
    response.result()
    assert (tmp_path / "c" / "g" / "x").read_text() == "x"


def test_a_first_half_may_await_the_creation_of_its_directory(tmp_path):
    class Eager:
        async def save(self, directory):
            path = await directory.await_creation()
            below = await (directory / "a" / "b").await_creation()
            assert path.is_dir() and below == path / "a" / "b"
            (below / "x").write_text("early")

            async def background(): ...

            return background()

        async def load(self, directory): ...

    perdure.save_checkpointables(tmp_path / "c", {"e": Eager()})
    assert (tmp_path / "c" / "e" / "a" / "b" / "x").read_text() == "early"
    assert perdure.verify(tmp_path / "c").ok


def test_tasks_started_in_the_first_half_go_on_in_the_second(tmp_path):
    class Tasks:
        async def save(self, directory):
            async def write():
                path = await directory.await_creation()
                await asyncio.to_thread(os.getpid)
                (path / "x").write_text(threading.current_thread().name)

            return asyncio.get_running_loop().create_task(write())

        async def load(self, directory): ...

    perdure.save_checkpointables(tmp_path / "c", {"t": Tasks()})
    assert (tmp_path / "c" / "t" / "x").exists()


def test_files_of_handlers_are_listed_and_a_flipped_bit_is_noticed(tmp_path):
    class Mine:
        async def save(self, directory):
            async def background():
                path = await directory.await_creation()
                (path / "sub").mkdir()
                (path / "sub" / "data").write_bytes(b"12345")

            return background()

        async def load(self, directory):
            async def background(): ...

            return background()

    perdure.save_checkpointables(tmp_path / "c", {"m": Mine()})
    assert perdure.verify(tmp_path / "c").ok
    (tmp_path / "c" / "m" / "sub" / "data").write_bytes(b"12335")
    assert [fault.file for fault in perdure.verify(tmp_path / "c").faults] == ["m/sub/data"]
    with pytest.raises(perdure.CorruptError):
        perdure.load_checkpointables(tmp_path / "c", {"m": Mine()})


def test_links_of_handlers_are_refused(tmp_path):
    class Links:
        async def save(self, directory):
            async def background():
                path = await directory.await_creation()
                (path / "x").symlink_to("/etc/passwd")

            return background()

        async def load(self, directory): ...

    with pytest.raises(perdure.InvalidError, match="plain file"):
        perdure.save_checkpointables(tmp_path / "c", {"l": Links()})
    assert os.listdir(tmp_path) == []


def test_directories_do_not_lead_out_of_the_checkpointable(tmp_path):
    class Leaves:
        async def save(self, directory):
            return (directory / "../../elsewhere").await_creation()

        async def load(self, directory): ...

    with pytest.raises(perdure.InvalidError, match="below"):
        perdure.save_checkpointables(tmp_path / "c", {"l": Leaves()})
    assert os.listdir(tmp_path) == []


def test_handlers_run_inside_a_running_event_loop_too(tmp_path):
    class Counter:
        n = 1

        async def save(self, directory):
            await asyncio.to_thread(os.getpid)
            n = self.n

            async def background():
                ((await directory.await_creation()) / "n").write_text(str(n))

            return background()

        async def load(self, directory):
            async def background():
                self.n = int((directory / "n").read_text())

            return background()

    async def main():
        me = asyncio.current_task()
        perdure.save_checkpointables(tmp_path / "c", {"n": Counter()})
        back = Counter()
        back.n = 0
        perdure.load_checkpointables(tmp_path / "c", {"n": back})
        assert asyncio.current_task() is me
        await asyncio.wait_for(asyncio.to_thread(os.getpid), 5)
        return back.n

    assert asyncio.run(main()) == 1


def test_on_complete_may_ask_for_the_result(tmp_path):
    asked = []
    gate, response = gated(tmp_path)
    response.on_complete(lambda value: asked.append((response.result(), (tmp_path / "c").exists())))
    gate.set()
    response.result()
    assert asked == [(None, True)]


def test_async_loads_raise_each_time_and_call_back(tmp_path):
    perdure.save(tmp_path / "c", {"a": np.arange(3)})
    seen = []
    response = perdure.load_async(tmp_path / "c", {"a": np.zeros(5)})
    for _ in range(2):
        with pytest.raises(perdure.MismatchError):
            response.result()
    response.on_complete(seen.append)
    perdure.load_async(tmp_path / "c", {"a": np.zeros(3)}).on_complete(seen.append)
    response = perdure.load_async(tmp_path / "c")
    response.result()
    response.on_complete(seen.append)
    assert seen and all(np.array_equal(value["a"], np.arange(3)) for value in seen)
    with pytest.raises(perdure.NotFoundError):
        perdure.load_async(tmp_path / "nowhere")


def test_ctrl_c_while_waiting_is_answered_and_the_save_goes_on(tmp_path):
    gate, response = gated(tmp_path)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        response.result()
    gate.set()
    response.result()


def test_ctrl_c_during_a_blocking_save_leaves_nothing(tmp_path):
    gate = threading.Event()
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    threading.Timer(0.6, gate.set).start()
    with pytest.raises(KeyboardInterrupt):
        perdure.save_checkpointables(tmp_path / "c", {"g": Gated(gate)})
    assert os.listdir(tmp_path) == []
