"""What Orbax's handlers wrote, and what they read."""

import pathlib

import numpy as np
import pytest
from checkpointables import draws, named, one, saved

import perdure


@pytest.fixture
def orbax():
    return pytest.importorskip("orbax.checkpoint")


def test_what_orbaxs_handlers_wrote_is_restored(tmp_path, orbax):
    import jax

    state = np.random.RandomState(3).get_state()
    new = np.random.RandomState(3).get_state(legacy=False)
    items = dict(
        typed=orbax.args.JaxRandomKeySave(jax.random.key(5)), plain=orbax.args.JaxRandomKeySave(jax.random.PRNGKey(5)),
        legacy=orbax.args.NumpyRandomKeySave(state), new=orbax.args.NumpyRandomKeySave(new),
        array=orbax.args.ArraySave(np.arange(5.0)), text=orbax.args.JsonSave({"a": [1]}), tree=orbax.args.StandardSave({"x": np.arange(3)}),
    )  # fmt: skip
    options = orbax.CheckpointManagerOptions(best_fn=lambda metrics: metrics["loss"])
    with orbax.CheckpointManager(tmp_path / "m", options=options) as manager:
        manager.save(1, args=orbax.args.Composite(**items), metrics={"loss": 0.25})
    got = perdure.load_checkpointables(tmp_path / "m" / "1")
    assert set(got) == set(items)
    assert got["typed"] == jax.random.key(5) and np.array_equal(got["plain"], jax.random.PRNGKey(5))
    assert isinstance(got["legacy"], tuple) and all(np.array_equal(a, b) for a, b in zip(got["legacy"], state))
    assert np.array_equal(got["new"]["state"]["key"], new["state"]["key"]) and got["new"]["state"]["pos"] == new["state"]["pos"]
    assert np.array_equal(got["array"], np.arange(5.0)) and got["text"] == {"a": [1]} and np.array_equal(got["tree"]["x"], np.arange(3))
    assert perdure.checkpointables_metadata(tmp_path / "m" / "1").metrics == {"loss": 0.25}
    generator = np.random.RandomState(99)
    one(tmp_path / "m" / "1", generator, name="new")
    assert draws(generator) == draws(np.random.RandomState(3))


def test_names_that_users_of_orbaxs_handlers_chose_are_found(tmp_path, orbax):
    import jax
    from google.protobuf import struct_pb2

    message = struct_pb2.Struct()
    message.update({"a": 1})
    args, handlers = orbax.args, {
        "text": orbax.JsonCheckpointHandler("mine.json"), "message": orbax.handlers.ProtoCheckpointHandler("mine.pbtxt"),
        "key": orbax.handlers.JaxRandomKeyCheckpointHandler("mine"), "array": orbax.ArrayCheckpointHandler("mine"),
    }  # fmt: skip
    items = args.Composite(
        text=args.JsonSave({"a": [1]}), message=args.ProtoSave(message), key=args.JaxRandomKeySave(jax.random.key(5)),
        array=args.ArraySave(np.arange(5.0)),
    )  # fmt: skip
    orbax.Checkpointer(orbax.CompositeCheckpointHandler(**handlers)).save(tmp_path / "c", args=items)
    got = perdure.load_checkpointables(tmp_path / "c", {"text": None, "message": struct_pb2.Struct, "key": None, "array": np.zeros(5)})
    assert got["text"] == {"a": [1]} and got["message"] == message and got["key"] == jax.random.key(5)
    assert got["array"].tolist() == [0, 1, 2, 3, 4] and perdure.checkpointables_metadata(tmp_path / "c").metadata["array"].shape == (5,)


def test_orbax_reads_messages_of_ours_and_the_other_way_round(tmp_path, orbax):
    import orbax.checkpoint.experimental.v1 as v1
    from google.protobuf import struct_pb2

    message = struct_pb2.Struct()
    message.update({"a": 1, "b": ["x"]})
    perdure.save_checkpointables(tmp_path / "ours", {"m": message})
    assert v1.load_checkpointables(tmp_path / "ours", {"m": struct_pb2.Struct})["m"] == message
    handler = orbax.Checkpointer(orbax.handlers.ProtoCheckpointHandler("proto.pbtxt"))
    assert handler.restore(tmp_path / "ours" / "m", args=orbax.args.ProtoRestore(struct_pb2.Struct)) == message
    v1.save_checkpointables(tmp_path / "theirs", {"m": message, "t": {"a": 1}})
    assert perdure.load_checkpointables(tmp_path / "theirs", {"m": struct_pb2.Struct})["m"] == message


def test_orbax_v0_reads_what_these_handlers_write(tmp_path, orbax):
    import jax

    generator = np.random.RandomState(3)
    with named(perdure.handlers.JaxRandomKeyHandler, "key"):
        saved(tmp_path / "c", key=jax.random.key(5), rng=generator)
    with named(perdure.handlers.ArrayHandler, "array"):
        saved(tmp_path / "d", array=np.arange(5.0))
    with named(perdure.handlers.JsonHandler, "text"):
        saved(tmp_path / "e", text={"a": [1]})

    def restore(handler, path, args):
        return orbax.Checkpointer(handler).restore(pathlib.Path(path), args=args)

    handlers = orbax.handlers
    assert restore(handlers.JaxRandomKeyCheckpointHandler(), tmp_path / "c" / "key", orbax.args.JaxRandomKeyRestore()) == jax.random.key(5)
    state = restore(handlers.NumpyRandomKeyCheckpointHandler(), tmp_path / "c" / "rng", orbax.args.NumpyRandomKeyRestore())
    other = np.random.RandomState()
    other.set_state(state)
    assert draws(other) == draws(generator)
    array = restore(orbax.ArrayCheckpointHandler(), tmp_path / "d" / "array", orbax.args.ArrayRestore())
    assert np.array_equal(array, np.arange(5.0))


def test_orbax_v1_reads_a_composite_of_ours(tmp_path, orbax):
    import orbax.checkpoint.experimental.v1 as v1

    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(2, 2)
    with named(perdure.handlers.JsonHandler, "config"):
        perdure.save_checkpointables(tmp_path / "c", {"config": {"lr": 0.5}, "model": model, "w": np.arange(3)}, custom_metadata={"k": 1}, metrics={"loss": 1.5})
    got = v1.load_checkpointables(tmp_path / "c")
    assert got["config"] == {"lr": 0.5} and np.array_equal(got["w"], np.arange(3))
    assert np.array_equal(got["model"]["weight"], model.weight.detach().numpy())
