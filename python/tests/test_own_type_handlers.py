"""Type handlers of users in real saves and loads, next to the native ones."""

import dataclasses
import json

import numpy as np
import pytest

import perdure
from perdure import _core, type_handlers
from perdure._src.tree_io import tree_writer
from perdure._src.type_handlers import global_registry
from perdure._src.type_handlers.future import CommitFuture

pytestmark = pytest.mark.usefixtures("fresh_type_handlers")


@dataclasses.dataclass
class Words:
    text: str


class WordsHandler(type_handlers.TypeHandler):
    def __init__(self, fails_in=None):
        self.calls = []
        self.fails_in = fails_in

    def typestr(self):
        return "test.Words"

    def _note(self, what, *details):
        self.calls.append((what, *details))
        if self.fails_in == what:
            raise RuntimeError(f"{what} fails")

    async def serialize(self, values, infos, args=None):
        self._note("serialize", len(values), {info.value_typestr for info in infos})
        texts = [value.text for value in values]

        async def write():
            for text, info in zip(texts, infos):
                await info.await_path_creation()
                self._note("write")
                (info.parent_dir / f"{info.name}.words").write_text(text)

        return [CommitFuture(write)]

    async def deserialize(self, infos, args=None):
        self._note("deserialize", len(infos), {arg.restore_type for arg in args})
        return [Words((info.parent_dir / f"{info.name}.words").read_text()) for info in infos]

    async def metadata(self, infos):
        return [f"words at {info.name}" for info in infos]

    def finalize(self, directory):
        self._note("finalize", (directory / "_METADATA").exists())


@pytest.fixture
def handler():
    made = WordsHandler()
    type_handlers.register_type_handler(Words, made)
    return made


STATE = {"a": Words("x"), "w": np.arange(5.0), "deep": [Words("y"), 3]}


def test_a_handler_takes_part_in_save_and_load(tmp_path, handler):
    perdure.save(tmp_path / "c", STATE)
    got = perdure.load(tmp_path / "c")
    assert got["a"] == Words("x") and got["deep"] == [Words("y"), 3] and got["w"].tolist() == [0, 1, 2, 3, 4]
    assert perdure.verify(tmp_path / "c").ok


def test_all_leaves_of_a_handler_come_in_one_call_and_finalize_once(tmp_path, handler):
    perdure.save(tmp_path / "c", STATE)
    assert handler.calls == [("serialize", 2, {"test.Words"}), ("write",), ("write",), ("finalize", False)]
    handler.calls.clear()
    perdure.load(tmp_path / "c")
    assert handler.calls == [("deserialize", 2, {None})]


def test_save_async_writes_what_was_there_when_it_was_called(tmp_path, handler):
    state = {"a": Words("before"), "w": np.zeros(1000)}
    response = perdure.save_async(tmp_path / "c", state)
    state["a"].text = "after"
    state["w"][:] = 1
    response.result()
    got = perdure.load(tmp_path / "c")
    assert got["a"] == Words("before") and not got["w"].any()


def test_the_typestr_stands_in_the_metadata(tmp_path, handler):
    perdure.save(tmp_path / "c", STATE)
    entries = json.loads((tmp_path / "c/state/_METADATA").read_text())["tree_metadata"].values()
    assert [e["value_metadata"]["value_type"] for e in entries].count("test.Words") == 2
    assert perdure.metadata(tmp_path / "c").metadata["a"] == "words at a"


def test_files_of_a_handler_are_checked(tmp_path, handler):
    perdure.save(tmp_path / "c", STATE)
    (tmp_path / "c/state/a.words").write_text("z")
    report = perdure.verify(tmp_path / "c")
    assert not report.ok and any("a.words" in fault.file for fault in report.faults)


def test_a_template_of_the_type_is_filled(tmp_path, handler):
    perdure.save(tmp_path / "c", STATE)
    got = perdure.load(tmp_path / "c", {"a": Words("?"), "w": np.zeros(5), "deep": [perdure.PLACEHOLDER, 0]})
    assert got["a"] == Words("x") and got["deep"] == [perdure.PLACEHOLDER, 3]
    assert handler.calls[-1] == ("deserialize", 1, {Words})


def test_without_the_handler_the_leaf_is_named_and_others_load(tmp_path, handler, monkeypatch):
    perdure.save(tmp_path / "c", STATE)
    monkeypatch.setattr("perdure._src.type_handlers.own_handlers.REGISTRY", global_registry._native_registry())
    with pytest.raises(perdure.NoHandlerError, match="test.Words.*'a'"):
        perdure.load(tmp_path / "c")
    assert perdure.load(tmp_path / "c", only=["w"])["w"].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("where", ["serialize", "write", "finalize"])
def test_a_failing_handler_fails_the_save_and_leaves_nothing(tmp_path, handler, where):
    handler.fails_in = where
    with pytest.raises(RuntimeError, match=f"{where} fails"):
        perdure.save(tmp_path / "c", STATE)
    assert [p.name for p in tmp_path.iterdir()] == []


def test_an_own_handler_goes_before_the_native_one(tmp_path):
    class Rounded(type_handlers.NumpyHandler):
        async def serialize(self, values, infos, args=None):
            return await super().serialize([np.round(v) for v in values], infos, args)

    type_handlers.register_type_handler(np.ndarray, Rounded(), override=True)
    perdure.save(tmp_path / "c", {"w": np.array([1.2, 2.7]), "n": 1})
    assert perdure.load(tmp_path / "c")["w"].tolist() == [1, 3]


class Pair:
    def __init__(self, left, right):
        self.left, self.right = left, right


class PairHandler(type_handlers.TypeHandler):
    def __init__(self):
        self.arrays, self.strings = type_handlers.NumpyHandler(), type_handlers.StringHandler()

    def typestr(self):
        return "test.Pair"

    async def serialize(self, values, infos, args=None):
        left = [info.replace(name=info.name + ".left") for info in infos]
        right = [info.replace(name=info.name + ".right") for info in infos]
        futures = await self.arrays.serialize([v.left for v in values], left)
        return futures + await self.strings.serialize([v.right for v in values], right)

    async def deserialize(self, infos, args=None):
        left = await self.arrays.deserialize([info.replace(name=info.name + ".left") for info in infos])
        right = await self.strings.deserialize([info.replace(name=info.name + ".right") for info in infos])
        return [Pair(*both) for both in zip(left, right)]

    def finalize(self, directory):
        self.arrays.finalize(directory)


@pytest.mark.parametrize("use_ocdbt", [True, False])
def test_native_handlers_inside_an_own_one_write_into_the_same_commit(tmp_path, use_ocdbt):
    type_handlers.register_type_handler(Pair, PairHandler())
    context = perdure.Context()
    context.array.saving.use_ocdbt = use_ocdbt
    with context:
        perdure.save(tmp_path / "c", {"p": Pair(np.arange(700), "one"), "q": Pair(np.ones(2), "two"), "w": np.zeros(3), "s": "text"})
    got = perdure.load(tmp_path / "c")
    assert got["p"].left.tolist() == list(range(700)) and got["q"].right == "two" and got["s"] == "text"
    assert perdure.verify(tmp_path / "c").ok
    assert len(list((tmp_path / "c/state").glob("manifest*"))) == use_ocdbt


def test_an_own_handler_must_not_write_into_a_database_that_the_item_has_not(tmp_path):
    class IntoDatabase(PairHandler):
        async def serialize(self, values, infos, args=None):
            return await super().serialize(values, [info.replace(is_ocdbt_checkpoint=True) for info in infos], args)

    type_handlers.register_type_handler(Pair, IntoDatabase())
    context = perdure.Context()
    context.array.saving.use_ocdbt = False
    with context, pytest.raises(perdure.InvalidError, match="'p.left' into a database"):
        perdure.save(tmp_path / "c", {"p": Pair(np.arange(7), "one")})
    assert list(tmp_path.iterdir()) == []


def test_a_part_of_a_composite_whose_handlers_nobody_would_ask_is_refused(handler):
    with pytest.raises(perdure.InvalidError, match="'a'"):
        _core.parts_writer({"part": tree_writer({"a": Words("x")})})


def test_a_leaf_of_a_handler_may_be_a_whole_tree(tmp_path, handler):
    perdure.save(tmp_path / "c", Words("x"))
    assert perdure.load(tmp_path / "c") == Words("x") == perdure.load(tmp_path / "c", Words("?"))
    perdure.save_checkpointables(tmp_path / "d", {"words": Words("x"), "tree": {"": Words("y")}})
    assert perdure.load_checkpointables(tmp_path / "d", {"words": Words("?")}) == {"words": Words("x")}
    assert perdure.load_checkpointables(tmp_path / "d")["tree"] == {"": Words("y")}


def test_two_types_of_one_handler_and_two_handlers_of_one_typestr(tmp_path, handler):
    class More(Words):
        pass

    class Others:
        text = "others"

    other = WordsHandler()
    type_handlers.register_type_handler(Others, other, override=True)
    perdure.save(tmp_path / "c", {"a": Words("x"), "b": More("y"), "c": Others()})
    assert [calls[0][:2] for calls in (handler.calls, other.calls)] == [("serialize", 2), ("serialize", 1)]


def test_a_handler_that_gives_another_number_of_leaves_is_an_error(tmp_path, handler):
    perdure.save(tmp_path / "c", STATE)

    async def nothing(infos, args=None):
        return []

    handler.deserialize = nothing
    with pytest.raises(perdure.CheckpointError, match="test.Words.*0.*2"):
        perdure.load(tmp_path / "c")


def test_what_is_no_future_is_named_with_its_handler(tmp_path, handler):
    async def numbers(values, infos, args=None):
        return [3]

    handler.serialize = numbers
    with pytest.raises(perdure.InputTypeError, match="test.Words.*int"):
        perdure.save(tmp_path / "c", STATE)
    assert list(tmp_path.iterdir()) == []


def test_an_array_never_fills_a_template_of_the_handlers_type(tmp_path, handler):
    perdure.save(tmp_path / "c", {"a": np.ones(3), "b": 1})
    with pytest.raises(perdure.MismatchError, match="'a' is an array in the checkpoint, a 'Words' in the template"):
        perdure.load(tmp_path / "c", {"a": Words("?"), "b": 0})


def test_what_was_saved_before_a_handler_took_the_class_still_loads(tmp_path):
    perdure.save(tmp_path / "c", {"a": np.arange(3.0), "n": 1})

    class Taking(WordsHandler):
        def typestr(self):
            return "test.Taking"

    type_handlers.register_type_handler(np.ndarray, Taking(), override=True)
    assert perdure.load(tmp_path / "c", {"a": np.zeros(3), "n": 0})["a"].tolist() == [0, 1, 2]


@dataclasses.dataclass(frozen=True)
class WordsMetadata(type_handlers.LeafMetadata):
    length: int


def test_what_a_handler_says_of_its_leaves_may_be_a_template(tmp_path, handler):
    async def metadata(infos):
        return [WordsMetadata(info.name, info.parent_dir, 1) for info in infos]

    handler.metadata = metadata
    perdure.save(tmp_path / "c", STATE)
    described = perdure.metadata(tmp_path / "c")
    assert described.metadata["a"].length == 1
    assert perdure.load(tmp_path / "c", described)["deep"] == [Words("y"), 3]


def test_a_key_that_leads_out_of_the_directory_is_refused_and_named(tmp_path, handler):
    with pytest.raises(perdure.InvalidError) as raised:
        perdure.save(tmp_path / "c", {"..": Words("x")})
    assert raised.value.__notes__ == ["leaf .."] and list(tmp_path.iterdir()) == []
