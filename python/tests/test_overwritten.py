"""Loads while another save overwrites what they read, and saves that are interrupted as soon as they hold their lock."""

import importlib
import itertools
import os

import numpy as np
import pytest
from exact import same

import perdure
from perdure import _core, type_handlers
from perdure._src import save_steps
from perdure._src.type_handlers.future import CommitFuture


def state(generation):
    return {"n": generation, "w": np.full(10, generation)}


@pytest.fixture
def after_opening(monkeypatch):
    """A function: from now on loads do ``act(path)`` when they have opened a checkpoint. Gives the list of those paths."""
    loading = importlib.import_module("perdure._src.load")
    opened, real = [], loading.open_checkpoint

    def install(act):
        def opens(path):
            checkpoint = real(path)
            opened.append(path)
            act(path)
            return checkpoint

        monkeypatch.setattr(loading, "open_checkpoint", opens)
        return opened

    return install


@pytest.mark.parametrize("read", [
    lambda path: perdure.load(path)["n"],
    lambda path: perdure.load(path, state(0))["n"],
    lambda path: perdure.load_async(path).result()["n"],
    lambda path: perdure.load_checkpointables(path)["state"]["n"],
    lambda path: perdure.load_checkpointables_async(path).result()["state"]["n"],
    lambda path: perdure.metadata(path).metadata["n"],
    lambda path: perdure.checkpointables_metadata(path).metadata["state"]["n"],
], ids=[
    "load", "template", "load_async", "load_checkpointables", "load_checkpointables_async",
    "metadata", "checkpointables_metadata",
])  # fmt: skip
def test_a_load_begins_again_where_the_checkpoint_was_overwritten(tmp_path, after_opening, read):
    perdure.save(tmp_path / "c", state(1))
    count = iter(range(2, 5))
    after_opening(lambda path: [perdure.save(path, state(n), overwrite=True) for n in itertools.islice(count, 1)])
    assert read(tmp_path / "c") == 4


def test_what_is_overwritten_again_and_again_is_an_error_that_says_so(tmp_path, after_opening):
    perdure.save(tmp_path / "c", state(1))
    opened = after_opening(lambda path: perdure.save(path, state(2), overwrite=True))
    with pytest.raises(perdure.CheckpointError, match="overwritten or deleted while it was being read"):
        perdure.load(tmp_path / "c")
    assert len(opened) == _core.READ_ATTEMPTS_MAX


def test_a_background_load_opens_the_checkpoint_once(tmp_path, after_opening):
    perdure.save(tmp_path / "c", state(1))
    opened = after_opening(lambda path: None)
    same(perdure.load_async(tmp_path / "c").result(), state(1))
    assert len(opened) == 1


def test_a_background_load_begins_again_at_its_path_when_the_program_has_gone_elsewhere(tmp_path, monkeypatch, after_opening):
    perdure.save(tmp_path / "c", state(1))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)

    def overwrite_and_leave(path):
        if os.getcwd() == str(tmp_path):
            perdure.save(path, state(2), overwrite=True)
            os.chdir("elsewhere")

    after_opening(overwrite_and_leave)
    assert perdure.load_async("c").result()["n"] == 2


@pytest.mark.parametrize("load", [
    perdure.load_checkpointables,
    lambda path, abstract: perdure.load_checkpointables_async(path, abstract).result(),
], ids=["load_checkpointables", "load_checkpointables_async"])  # fmt: skip
def test_a_handler_that_reads_a_directory_is_not_given_two_checkpoints(tmp_path, load):
    class Number:
        value = 1
        overwrites = False

        async def save(self, directory):
            async def background():
                for name in "ab":
                    ((await directory.await_creation()) / name).write_text(str(self.value))

            return background()

        async def load(self, directory):
            async def background():
                first = (directory / "a").read_text()
                if self.overwrites:
                    self.overwrites = False
                    perdure.save_checkpointables(tmp_path / "c", {"n": newer}, overwrite=True)
                self.found = first + (directory / "b").read_text()

            return background()

    older, newer, reader = Number(), Number(), Number()
    newer.value, reader.overwrites = 2, True
    perdure.save_checkpointables(tmp_path / "c", {"n": older})
    load(tmp_path / "c", {"n": reader})
    assert reader.found == "22"


@pytest.mark.usefixtures("fresh_type_handlers")
@pytest.mark.parametrize("read, half", [
    (perdure.load, "deserialize"),
    (lambda path: perdure.metadata(path / "state").metadata, "metadata"),
], ids=["load", "metadata"])  # fmt: skip
def test_type_handlers_read_the_save_that_the_rest_is_of(tmp_path, read, half):
    class Word:
        def __init__(self, text):
            self.text = text

    class WordHandler(type_handlers.TypeHandler):
        def typestr(self):
            return "test.Word"

        async def serialize(self, values, infos, args=None):
            async def write():
                for value, info in zip(values, infos):
                    await info.await_path_creation()
                    (info.parent_dir / info.name).write_text(value.text)

            return [CommitFuture(write)]

        async def deserialize(self, infos, args=None):
            return self.read("deserialize", infos)

        async def metadata(self, infos):
            return self.read("metadata", infos)

        def read(self, called, infos):
            if called == half and not overwritten:
                overwritten.append(called)
                perdure.save(tmp_path / "c", {"n": 2, "word": Word("2")}, overwrite=True)
            return [(info.parent_dir / info.name).read_text() for info in infos]

    overwritten = []
    type_handlers.register_type_handler(Word, WordHandler())
    perdure.save(tmp_path / "c", {"n": 1, "word": Word("1")})
    assert read(tmp_path / "c") == {"n": 2, "word": "2"} and overwritten


def test_what_was_mapped_stays_when_it_is_overwritten_and_deleted(tmp_path):
    perdure.save(tmp_path / "c", {"w": np.full(100_000, 1.0)})
    context = perdure.Context()
    context.array.loading.mapped = True
    with context:
        mapped = perdure.load(tmp_path / "c")
    perdure.save(tmp_path / "c", {"w": np.full(100_000, 2.0)}, overwrite=True)
    perdure.delete(tmp_path / "c")
    same(mapped, {"w": np.full(100_000, 1.0)})


def test_ctrl_c_just_when_the_lock_has_been_taken_gives_it_back(tmp_path, monkeypatch):
    plan = save_steps._plan

    class Interrupted:
        def __init__(self, job):
            self.job = job

        def begin(self):
            self.job.begin()
            raise KeyboardInterrupt

        def __getattr__(self, name):
            return getattr(self.job, name)

    def interrupted(request):
        job, foreign = plan(request)
        return Interrupted(job), foreign

    monkeypatch.setattr(save_steps, "_plan", interrupted)
    with pytest.raises(KeyboardInterrupt) as kept:  # an interactive session keeps the traceback, and with it the frames
        perdure.save(tmp_path / "c", {"n": 1})
    assert kept.tb is not None and os.listdir(tmp_path) == []
    monkeypatch.undo()
    perdure.save(tmp_path / "c", {"n": 1})
