"""Priorities, status callbacks and limits in real saves, also of leaves that users' handlers write."""

import threading

import numpy as np
import pytest

import perdure
from perdure import type_handlers
from perdure.type_handlers import TransferPriority

EVENTS = ["on_transfer_start", "on_transfer_end", "on_write_start", "on_write_end"]

pytestmark = pytest.mark.usefixtures("fresh_type_handlers")


class Box:
    def __init__(self, array):
        self.array = array


class BoxHandler(type_handlers.TypeHandler):
    """Leaves its arrays to the native handler."""

    def __init__(self):
        self.arrays, self.infos = type_handlers.NumpyHandler(), []

    def typestr(self):
        return "test.Box"

    async def serialize(self, values, infos, args=None):
        self.infos = infos
        return await self.arrays.serialize([value.array for value in values], infos, args)

    async def deserialize(self, infos, args=None):
        return [Box(array) for array in await self.arrays.deserialize(infos)]


class Recorder(type_handlers.SerializationStatusCallback):
    def __init__(self):
        self.events = []

    def key_priority(self, keypath):
        self._note("key_priority", keypath)
        prefix = str(keypath[-1])[:3]
        priorities = {"pri": TransferPriority.ASYNCHRONOUS_PRIORITIZED, "dep": TransferPriority.ASYNCHRONOUS_DEPRIORITIZED}
        return TransferPriority.UNKNOWN if prefix == "unk" else priorities.get(prefix, TransferPriority.SYNCHRONOUS)

    def on_transfer_start(self, keypath):
        self._note("on_transfer_start", keypath)

    def on_transfer_end(self, keypath):
        self._note("on_transfer_end", keypath)

    def on_write_start(self, keypath):
        self._note("on_write_start", keypath)

    def on_write_end(self, keypath):
        self._note("on_write_end", keypath)

    def _note(self, event, keypath):
        self.events.append((event, keypath[-1], threading.current_thread() is threading.main_thread()))

    def of(self, key):
        return [event for event, name, _ in self.events if name == key]


def told(**memory):
    context = perdure.Context()
    for option, value in memory.items():
        setattr(context.memory, option, value)
    return context


@pytest.mark.parametrize("save", [perdure.save, lambda *args: perdure.save_async(*args).result()], ids=["save", "save_async"])
def test_every_event_fires_in_order_in_the_right_thread_also_for_leaves_of_users_handlers(tmp_path, save):
    type_handlers.register_type_handler(Box, BoxHandler())
    status = Recorder()
    state = {kind + owner: array for kind in ("sync", "pri", "dep") for owner, array in (("own", Box(np.ones(9))), ("", np.ones(9)))}
    with told(serialization_status_callback=status):
        save(tmp_path / "c", state)
    for key in state:
        assert status.of(key) == ["key_priority", *EVENTS]
    for event, key, is_main in status.events:
        assert is_main == (event == "key_priority" or key.startswith("sync") and event.startswith("on_transfer"))


def test_the_callback_of_the_context_goes_before_its_function(tmp_path):
    handler = BoxHandler()
    type_handlers.register_type_handler(Box, handler)
    with told(serialization_status_callback=Recorder(), is_prioritized_key_fn=lambda keypath: 1 / 0):
        perdure.save(tmp_path / "c", {"pri": Box(np.ones(2)), "sync": np.ones(2)})
    assert handler.infos[0].is_prioritized_key_fn(("pri",)) is TransferPriority.ASYNCHRONOUS_PRIORITIZED


def test_the_function_of_the_context_is_asked_once_for_each_key(tmp_path):
    type_handlers.register_type_handler(Box, BoxHandler())
    asked = []
    with told(is_prioritized_key_fn=lambda keypath: asked.append(keypath) or TransferPriority.SYNCHRONOUS):
        perdure.save(tmp_path / "c", {"own": Box(np.ones(2)), "deep": [np.ones(2)]})
    assert sorted(asked) == [("deep", 0), ("own",)]


def test_an_unknown_priority_of_a_users_leaf_is_refused(tmp_path):
    type_handlers.register_type_handler(Box, BoxHandler())
    with told(serialization_status_callback=Recorder()), pytest.raises(perdure.InvalidError, match="unk"):
        perdure.save(tmp_path / "c", {"unk": Box(np.ones(2))})
    assert list(tmp_path.iterdir()) == []


def test_the_callback_of_a_registered_array_handler_is_told_of_its_arrays_only(tmp_path):
    jax = pytest.importorskip("jax")
    status = Recorder()
    type_handlers.register_type_handler(jax.Array, type_handlers.ArrayHandler(callback=status), override=True)
    perdure.save(tmp_path / "c", {"jax": jax.numpy.ones(3), "numpy": np.ones(3)})
    assert status.of("jax") == ["key_priority", *EVENTS] and status.of("numpy") == []
    assert isinstance(perdure.load(tmp_path / "c")["jax"], jax.Array)


def test_all_handlers_of_a_save_share_its_limits(tmp_path):
    class OtherBox(Box):
        pass

    class OtherHandler(BoxHandler):
        def typestr(self):
            return "test.OtherBox"

    one, other = BoxHandler(), OtherHandler()
    type_handlers.register_type_handler(OtherBox, other)
    type_handlers.register_type_handler(Box, one)
    with told(write_concurrent_bytes=100, transfer_concurrent_bytes=50):
        perdure.save(tmp_path / "c", {"a": Box(np.ones(2)), "b": OtherBox(np.ones(2))})
    assert one.infos[0].byte_limiter is other.infos[0].byte_limiter and one.infos[0].byte_limiter.max_bytes == 100
    assert one.infos[0].device_host_byte_limiter is other.infos[0].device_host_byte_limiter
    with told(write_concurrent_bytes=15), pytest.raises(perdure.InvalidError, match="16.*15"):
        perdure.save(tmp_path / "d", {"a": Box(np.ones(2))})


@pytest.mark.parametrize("limit", [4_000, 40_000])
def test_a_staging_limit_holds_for_trees_with_users_leaves_and_never_blocks_its_own_save(tmp_path, limit):
    """Two trees of 24,000 bytes each and a limit that lets one of them, or none, pass: room for both is asked for at once."""
    type_handlers.register_type_handler(Box, BoxHandler())
    state = {name: {"own": Box(np.ones(2)), "array": np.arange(3000.0)} for name in ("a", "b")}
    state["native"] = {"array": np.arange(3000.0)}
    with told(staging_bytes_max=limit):
        response = perdure.save_checkpointables_async(tmp_path / "c", state)
    assert (tmp_path / "c").exists()  # it did not fit, so it was written before the call returned
    response.result(timeout=60)
    assert perdure.load_checkpointables(tmp_path / "c")["b"]["array"].tolist() == list(range(3000))


def test_a_part_that_a_users_handler_leaves_to_a_native_one_never_blocks_its_own_save(tmp_path):
    class Composite:
        async def save(self, directory):
            return await perdure.handlers.TreeHandler().save(directory, {"array": np.arange(3000.0)})

        async def load(self, directory): ...

    with told(staging_bytes_max=30_000):
        response = perdure.save_checkpointables_async(tmp_path / "c", {"part": Composite(), "native": {"array": np.ones(3000)}})
    response.result(timeout=60)
    assert perdure.load(tmp_path / "c" / "part")["array"].tolist() == list(range(3000))
