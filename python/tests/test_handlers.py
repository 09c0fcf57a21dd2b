"""The built-in handlers of texts and messages, handlers of users beside them, metrics, delete."""

import json
import os

import numpy as np
import pytest
from checkpointables import named, one, saved
from exact import same

import perdure


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


def test_messages_that_are_mappings_are_messages(tmp_path):
    struct_pb2 = pytest.importorskip("google.protobuf.struct_pb2")
    message = struct_pb2.Struct()
    message.update({"a": 1, "b": {"c": "x"}})
    perdure.save_checkpointables(tmp_path / "c", {"m": message})
    assert perdure.load_checkpointables(tmp_path / "c", {"m": struct_pb2.Struct})["m"] == message
