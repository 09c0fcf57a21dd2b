"""The built-in handlers: what goes in comes back, in place where an object is given; what Orbax's handlers wrote, and what they read."""

import json
import os
import pathlib
import random

import numpy as np
import pytest
from exact import same

import perdure

os.environ.setdefault("JAX_PLATFORMS", "cpu")


def saved(path, **checkpointables):
    perdure.save_checkpointables(path, checkpointables)
    assert perdure.verify(path).ok
    return path


def one(path, abstract=None, name="x"):
    return perdure.load_checkpointables(path, {name: abstract})[name]


def named(handler, name="x"):
    context = perdure.Context()
    context.checkpointables.registry = perdure.handlers.local_registry().add(handler, checkpointable_name=name)
    return context


# ------------------------------------------------------------------------------------------------------------- generators
NUMPY_GENERATORS = {
    **{bits: lambda bits=bits: np.random.Generator(getattr(np.random, bits)(5)) for bits in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")},
    "RandomState": lambda: np.random.RandomState(5),
    "BitGenerator": lambda: np.random.Generator(np.random.PCG64(5)).bit_generator,
}


def draws(generator):
    if isinstance(generator, np.random.BitGenerator):
        return generator.random_raw(3).tolist()
    return [*generator.normal(size=3), *generator.uniform(size=3)]


@pytest.mark.parametrize("make", NUMPY_GENERATORS.values(), ids=NUMPY_GENERATORS)
@pytest.mark.parametrize("in_place", [False, True])
def test_generators_of_numpy_go_on_where_they_were(tmp_path, make, in_place):
    generator = make()
    draws(generator)
    saved(tmp_path / "c", x=generator)
    fresh = make() if in_place else None
    back = one(tmp_path / "c", fresh)
    assert type(back) is type(generator) and (not in_place or back is fresh)
    assert draws(back) == draws(generator)


@pytest.mark.parametrize("in_place", [False, True])
def test_generators_of_python_go_on_where_they_were(tmp_path, in_place):
    generator = random.Random(3)
    generator.gauss(0, 1)
    saved(tmp_path / "c", x=generator)
    fresh = random.Random() if in_place else None
    back = one(tmp_path / "c", fresh)
    assert not in_place or back is fresh
    assert [back.random(), back.gauss(0, 1)] == [generator.random(), generator.gauss(0, 1)]


@pytest.mark.parametrize("in_place", [False, True])
def test_generators_of_torch_go_on_where_they_were(tmp_path, in_place):
    torch = pytest.importorskip("torch")
    generator = torch.Generator().manual_seed(4)
    torch.rand(3, generator=generator)
    saved(tmp_path / "c", x=generator)
    fresh = torch.Generator() if in_place else None
    back = one(tmp_path / "c", fresh)
    assert not in_place or back is fresh
    assert torch.equal(torch.rand(5, generator=back), torch.rand(5, generator=generator))


@pytest.mark.parametrize("make", [lambda jax: jax.random.key(5), lambda jax: jax.random.PRNGKey(5), lambda jax: jax.random.key(5, impl="rbg")])
@pytest.mark.parametrize("as_orbax_v0", [False, True])
def test_keys_of_jax_come_back_as_they_were(tmp_path, make, as_orbax_v0):
    jax = pytest.importorskip("jax")
    key = make(jax)
    if as_orbax_v0:
        with named(perdure.handlers.JaxRandomKeyHandler):
            saved(tmp_path / "c", x=key)
    else:
        saved(tmp_path / "c", x=key)
    back = one(tmp_path / "c")
    assert back.dtype == key.dtype and np.array_equal(jax.random.uniform(back, (3,)), jax.random.uniform(key, (3,)))


@pytest.mark.parametrize("state", [
    {"bit_generator": "MT19937", "state": {"key": np.zeros(624, np.uint32), "pos": 10**6}},
    {"bit_generator": "MT19937", "state": {"key": np.zeros(624, np.uint32), "pos": -1}},
    {"bit_generator": "Philox", "state": {"counter": np.zeros(4, np.uint64), "key": np.zeros(2, np.uint64)},
     "buffer": np.zeros(4, np.uint64), "buffer_pos": -7, "has_uint32": 0, "uinteger": 0},
    {"bit_generator": "Generator"}, {"bit_generator": 5}, {}, ("MT19937", np.zeros(624, np.uint32), 700, 0, 0.0), ("MT19937",), (),
])  # fmt: skip
def test_a_hostile_state_of_numpy_is_refused(tmp_path, state):
    with named(perdure.handlers.NumpyRandomHandler):
        perdure.save_checkpointables(tmp_path / "c", {"x": state})
    metadata = tmp_path / "c" / "x" / "np_random_key_metadata" / "metadata"
    metadata.write_text(json.dumps({"legacy": isinstance(state, tuple), "kind": "Generator"}))
    (tmp_path / "c" / "_PERDURE").unlink()  # whoever changes one file can change the others
    with pytest.raises((perdure.CorruptError, perdure.MismatchError)):
        one(tmp_path / "c")


def test_a_state_that_does_not_fit_the_generator_is_a_mismatch(tmp_path):
    saved(tmp_path / "c", x=np.random.Generator(np.random.PCG64(1)))
    with pytest.raises(perdure.MismatchError, match="Generator"):
        one(tmp_path / "c", np.random.Generator(np.random.MT19937(1)))


# ------------------------------------------------------------------------------------------------ objects with a state dict
def test_modules_and_optimizers_of_torch_are_loaded_in_place(tmp_path):
    torch = pytest.importorskip("torch")

    def made():
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
        return model, torch.optim.AdamW(model.parameters())

    model, optimizer = made()
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    saved(tmp_path / "c", model=model, optimizer=optimizer)
    other, other_optimizer = made()
    out = perdure.load_checkpointables(tmp_path / "c", {"model": other, "optimizer": other_optimizer})
    assert out["model"] is other and out["optimizer"] is other_optimizer
    assert all(torch.equal(a, b) for a, b in zip(model.state_dict().values(), other.state_dict().values()))
    same_state = other_optimizer.state_dict()["state"]
    assert all(torch.equal(value, same_state[i][key]) for i, entry in optimizer.state_dict()["state"].items() for key, value in entry.items())
    assert list(one(tmp_path / "c", name="model")) == list(model.state_dict())
    assert perdure.load(tmp_path / "c", checkpointable_name="model").keys() == model.state_dict().keys()
    with pytest.raises(perdure.MismatchError, match="Linear"):
        one(tmp_path / "c", torch.nn.Linear(3, 3), name="model")


def test_stateful_objects_of_torch_and_iterators(tmp_path):
    class Stateful:
        def __init__(self, n):
            self.n = n

        def state_dict(self):
            return {"n": self.n}

        def load_state_dict(self, state):
            self.n = state["n"]

    class Iterator:
        def __init__(self, at, as_bytes=False):
            self.at, self.as_bytes = at, as_bytes

        def __next__(self):
            self.at += 1
            return self.at

        def get_state(self):
            return bytes([self.at]) if self.as_bytes else {"at": self.at}

        def set_state(self, state):
            self.at = state[0] if self.as_bytes else state["at"]

    saved(tmp_path / "c", s=Stateful(5), i=Iterator(7), b=Iterator(9, True))
    back = {"s": Stateful(0), "i": Iterator(0), "b": Iterator(0, True)}
    perdure.load_checkpointables(tmp_path / "c", back)
    assert (back["s"].n, next(back["i"]), next(back["b"])) == (5, 8, 10)
    assert perdure.load_checkpointables(tmp_path / "c") == {"s": {"n": 5}, "i": {"at": 7}, "b": b"\x09"}


# --------------------------------------------------------------------------------------------------------- text and messages
@pytest.mark.parametrize("handler, value", [
    (perdure.handlers.TextHandler, "héllo\n"), (perdure.handlers.BytesHandler, b"\x00\xff"), (perdure.handlers.JsonHandler, {"a": [1, None, 2.5]}),
    (perdure.handlers.ArrayHandler, np.arange(6.0).reshape(2, 3)),
])  # fmt: skip
def test_handlers_for_one_name_and_their_record(tmp_path, handler, value):
    with named(handler):
        saved(tmp_path / "c", x=value)
    same(one(tmp_path / "c"), value)


def test_messages_are_loaded_by_their_class(tmp_path):
    class Message:
        def __init__(self, n):
            self.n = n

        def SerializeToString(self):  # noqa: N802
            return str(self.n).encode()

        @classmethod
        def FromString(cls, data):  # noqa: N802
            return cls(int(data))

    saved(tmp_path / "c", x=Message(6))
    assert one(tmp_path / "c", Message).n == 6
    with pytest.raises(ValueError, match="class"):
        one(tmp_path / "c")


def test_what_json_cannot_hold_is_refused_at_once(tmp_path):
    with named(perdure.handlers.JsonHandler), pytest.raises(perdure.InputTypeError):
        perdure.save_checkpointables(tmp_path / "c", {"x": {1, 2}})
    assert os.listdir(tmp_path) == []


class Iterator:
    def __init__(self, state=None):
        self.get_state = lambda: state
        self.set_state = print

    def __next__(self):
        raise StopIteration


def test_the_state_of_an_iterator_that_json_cannot_hold_is_refused_at_once(tmp_path):
    with pytest.raises(perdure.InputTypeError):
        perdure.save_checkpointables(tmp_path / "c", {"x": Iterator({1, 2})})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("value, handler, file, content", [
    (Iterator(1), None, "process_0-of-1.json", b"[" * 100_000),
    (Iterator(1), None, "process_0-of-1.json", b"{"),
    ("text", perdure.handlers.TextHandler, "text.txt", b"\xff"),
    ({"a": 1}, perdure.handlers.JsonHandler, "data.json", b"[" * 100_000),
    (np.random.RandomState(3), None, "np_random_key_metadata/metadata", b"[" * 100_000),
])  # fmt: skip
def test_broken_content_of_a_checkpoint_without_file_lists_is_corrupt(tmp_path, value, handler, file, content):
    with named(handler) if handler else perdure.Context():
        saved(tmp_path / "c", x=value)
    for file_list in (tmp_path / "c").rglob("_PERDURE"):
        file_list.unlink()
    (tmp_path / "c" / "x" / file).write_bytes(content)
    with pytest.raises(perdure.CorruptError):
        one(tmp_path / "c")


def test_a_users_handler_may_hand_its_work_to_a_built_in_one(tmp_path):
    class Config:
        def __init__(self, values):
            self.values = values

    class ConfigHandler:
        async def save(self, directory, checkpointable):
            return await perdure.handlers.TreeHandler().save(directory, checkpointable.values)

        async def load(self, directory, abstract_checkpointable=None):
            inner = await perdure.handlers.TreeHandler().load(directory)

            async def background():
                return Config(await inner)

            return background()

        def is_handleable(self, checkpointable):
            return isinstance(checkpointable, Config)

        def is_abstract_handleable(self, abstract_checkpointable):
            return None

    context = perdure.Context()
    context.checkpointables.registry = perdure.handlers.local_registry().add(ConfigHandler)
    with context:
        array = np.arange(4.0)
        response = perdure.save_checkpointables_async(tmp_path / "c", {"x": Config({"w": array})})
        array[:] = 0
        response.result()
        assert perdure.verify(tmp_path / "c").ok
        same(one(tmp_path / "c").values, {"w": np.arange(4.0)})


def test_handlers_choose_by_size_among_the_same_type(tmp_path):
    def handler(name, wants):
        class Sized:
            async def save(self, directory, checkpointable):
                async def background():
                    ((await directory.await_creation()) / "by").write_text(name)

                return background()

            def is_handleable(self, checkpointable):
                return isinstance(checkpointable, np.ndarray) and wants(checkpointable.size)

        return type(name, (Sized,), {})

    context = perdure.Context()
    context.checkpointables.registry = (
        perdure.handlers.local_registry().add(handler("Small", lambda n: n < 10)).add(handler("Large", lambda n: n > 100))
    )
    with context:
        perdure.save_checkpointables(tmp_path / "c", {"s": np.zeros(3), "m": np.zeros(50), "l": np.zeros(500)})
    by = {name: (tmp_path / "c" / name / "by").read_text() for name in "sl"}
    assert by == {"s": "Small", "l": "Large"} and (tmp_path / "c" / "m" / "_METADATA").exists()


def test_a_handler_class_may_be_generic_and_metadata_may_be_its_abstract_form(tmp_path):
    class Foo:
        def __init__(self, n):
            self.n = n

    class AbstractFoo:
        def __init__(self, digits):
            self.digits = digits

    class FooHandler(perdure.CheckpointableHandler[Foo, AbstractFoo]):
        async def save(self, directory, checkpointable):
            text = str(checkpointable.n)

            async def background():
                ((await directory.await_creation()) / "n").write_text(text)

            return background()

        async def load(self, directory, abstract_checkpointable=None):
            async def background():
                text = (directory / "n").read_text()
                assert abstract_checkpointable is None or abstract_checkpointable.digits == len(text)
                return Foo(int(text))

            return background()

        async def metadata(self, directory):
            return AbstractFoo(len((directory / "n").read_text()))

        def is_handleable(self, checkpointable):
            return isinstance(checkpointable, Foo)

        def is_abstract_handleable(self, abstract_checkpointable):
            return isinstance(abstract_checkpointable, AbstractFoo)

    context = perdure.Context()
    context.checkpointables.registry = perdure.handlers.local_registry().add(FooHandler)
    with context:
        perdure.save_checkpointables(tmp_path / "c", {"f": Foo(123), "t": {"a": np.arange(3)}})
        metadata = perdure.checkpointables_metadata(tmp_path / "c")
        assert metadata.metadata["f"].digits == 3
        loaded = perdure.load_checkpointables(tmp_path / "c", metadata)
    assert loaded["f"].n == 123 and np.array_equal(loaded["t"]["a"], np.arange(3))


# ---------------------------------------------------------------------------------------------------------------- metadata
def test_metrics_travel_along(tmp_path):
    perdure.save(tmp_path / "c", {"a": 1}, metrics={"loss": 0.5})
    assert perdure.metadata(tmp_path / "c").metrics == {"loss": 0.5}
    assert json.loads((tmp_path / "c" / "metrics" / "metrics").read_text()) == {"loss": 0.5}
    assert perdure.load_checkpointables(tmp_path / "c") == {"state": {"a": 1}} and perdure.verify(tmp_path / "c").ok


def test_deleting_a_checkpoint(tmp_path):
    perdure.save(tmp_path / "c", {"a": 1})
    perdure.delete(tmp_path / "c")
    assert os.listdir(tmp_path) == []
    with pytest.raises(perdure.NotFoundError):
        perdure.delete(tmp_path / "c")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("x")
    with pytest.raises(perdure.InvalidError, match="no checkpoint"):
        perdure.delete(tmp_path / "mine")
    assert (tmp_path / "mine" / "file").exists()


# ------------------------------------------------------------------------------------------------------------------- Orbax
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
