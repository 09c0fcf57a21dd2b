"""Loads while another save overwrites what they read, and saves that are interrupted as soon as they hold their lock."""

import importlib
import os

import numpy as np
import pytest
from exact import same

import perdure
from perdure._src import save_steps


def state(generation):
    return {"n": generation, "w": np.full(10, generation)}


@pytest.mark.parametrize("read", [
    lambda path: perdure.load(path)["n"],
    lambda path: perdure.load(path, state(0))["n"],
    lambda path: perdure.load_async(path).result()["n"],
    lambda path: perdure.load_checkpointables(path)["state"]["n"],
    lambda path: perdure.metadata(path).metadata["n"],
    lambda path: perdure.checkpointables_metadata(path).metadata["state"]["n"],
], ids=["load", "template", "load_async", "load_checkpointables", "metadata", "checkpointables_metadata"])  # fmt: skip
def test_a_load_begins_again_where_the_checkpoint_was_overwritten(tmp_path, monkeypatch, read):
    loading = importlib.import_module("perdure._src.load")
    real, count = loading.open_checkpoint, iter(range(2, 5))

    def open_and_lose(path):
        checkpoint = real(path)
        generation = next(count, None)
        if generation is not None:
            perdure.save(path, state(generation), overwrite=True)
        return checkpoint

    perdure.save(tmp_path / "c", state(1))
    monkeypatch.setattr(loading, "open_checkpoint", open_and_lose)
    assert read(tmp_path / "c") == 4


def test_what_is_overwritten_again_and_again_is_an_error_that_says_so(tmp_path, monkeypatch):
    loading = importlib.import_module("perdure._src.load")
    real = loading.open_checkpoint

    def open_and_lose(path):
        checkpoint = real(path)
        perdure.save(path, state(2), overwrite=True)
        return checkpoint

    perdure.save(tmp_path / "c", state(1))
    monkeypatch.setattr(loading, "open_checkpoint", open_and_lose)
    with pytest.raises(perdure.CheckpointError, match="overwritten or deleted while it was being read"):
        perdure.load(tmp_path / "c")


def test_a_handler_that_reads_a_directory_is_not_given_two_checkpoints(tmp_path):
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
    perdure.load_checkpointables(tmp_path / "c", {"n": reader})
    assert reader.found == "22"


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
