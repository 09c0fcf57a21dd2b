"""What C++ writes, Python restores, and the other way round: flat dicts, whole objects, leaves of users' handlers. And zarr-python reads it."""

import dataclasses
import os
import pathlib
import subprocess
import typing

import numpy as np
import pytest

import perdure
import perdure.tree
from perdure import type_handlers
from perdure._src.type_handlers.future import CommitFuture

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXCHANGE = pathlib.Path(os.environ.get("PERDURE_CPP_BUILD", ROOT / "build" / "dev")) / "tests" / "exchange" / "exchange"

pytestmark = pytest.mark.skipif(not EXCHANGE.exists(), reason="the C++ tests are not built")


@dataclasses.dataclass
class Layer:
    weight: np.ndarray
    gain: np.ndarray


@dataclasses.dataclass
class Optimizer:
    rate: float


@dataclasses.dataclass
class Adam(Optimizer):
    mu: np.ndarray
    step: int


@dataclasses.dataclass
class State:
    layers: list
    optimizer: Adam
    buffers: dict
    names: dict
    schedule: tuple
    best: typing.Optional[float]
    tag: str
    phase: int
    mask: np.ndarray
    seed: int


def layer(weight, gain):
    return Layer(np.array(weight, np.float32), np.array(gain, np.float64).reshape(2, 2))


def full_state():
    return State(
        layers=[layer([1, 2, 3], [1, 2, 3, 4]), layer([4], [0, 0, 0, 0])],
        optimizer=Adam(0.5, np.array([5, 6], np.float32), 100),
        buffers={"mean": np.array([0.5, 0.25])},
        names={0: "first", 7: "last"},
        schedule=(3, (True, 0.5)),
        best=2.5,
        tag="a tag",
        phase=7,
        mask=np.array([True, False, True]),
        seed=2**64 - 1,
    )


def fresh_state():
    return State(
        layers=[layer([0, 0, 0], [0] * 4), layer([0], [0] * 4)],
        optimizer=Adam(0.1, np.zeros(2, np.float32), 0),
        buffers={"mean": np.zeros(2)},
        names={0: "", 7: ""},
        schedule=(0, (False, 0.0)),
        best=0.0,
        tag="",
        phase=0,
        mask=np.zeros(3, bool),
        seed=0,
    )


def exchange(command, path):
    done = subprocess.run([EXCHANGE, command, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def assert_full(state):
    assert type(state) is State and type(state.optimizer) is Adam
    got, want = perdure.tree.state_dict(state), perdure.tree.state_dict(full_state())
    assert list(got) == list(want)
    for key, value in want.items():
        assert type(got[key]) is type(value) and np.array_equal(got[key], value), key
        assert getattr(got[key], "dtype", None) == getattr(value, "dtype", None), key


def test_python_restores_the_flat_dict_of_cpp(tmp_path):
    exchange("write-flat", tmp_path / "c")
    flat = perdure.load(tmp_path / "c")
    assert list(flat) == list(perdure.tree.state_dict(full_state()))
    assert_full(perdure.tree.from_state_dict(fresh_state(), flat))


def test_cpp_restores_the_flat_dict_of_python(tmp_path):
    perdure.save(tmp_path / "c", perdure.tree.state_dict(full_state()))
    exchange("read-flat", tmp_path / "c")


def test_python_restores_the_object_of_cpp(tmp_path):
    exchange("write-object", tmp_path / "c")
    assert_full(perdure.load(tmp_path / "c", fresh_state()))


def test_zarr_python_reads_every_codec_that_a_save_of_cpp_may_choose(tmp_path):
    zarr = pytest.importorskip("zarr")
    exchange("write-codecs", tmp_path)
    written = {path.name: path / "state" / "w" for path in tmp_path.iterdir()}
    assert {"v2-plain", "v2-zstd", "v3-plain", "v3-zstd"} <= set(written)
    want = (np.arange(5000, dtype=np.float32) % 7).reshape(50, 100)
    for name, path in written.items():
        got = zarr.open_array(path, mode="r")[...]
        assert got.dtype == want.dtype and np.array_equal(got, want), name


def test_cpp_restores_the_object_of_python(tmp_path):
    perdure.save(tmp_path / "c", full_state())
    exchange("read-object", tmp_path / "c")


@dataclasses.dataclass
class Words:
    text: str
    weight: np.ndarray
    note: str


def named(infos, suffix):
    return [info.replace(name=info.name + suffix, path=None) for info in infos]


class WordsHandler(type_handlers.TypeHandler):
    def __init__(self):
        self.arrays, self.texts = type_handlers.NumpyHandler(), type_handlers.StringHandler()

    def typestr(self):
        return "test.Words"

    async def serialize(self, values, infos, args=None):
        futures = await self.arrays.serialize([v.weight for v in values], named(infos, ".weight"))
        futures += await self.texts.serialize([v.text for v in values], named(infos, ".text"))

        async def write_notes():
            for value, info in zip(values, infos):
                await info.await_path_creation()
                (info.parent_dir / f"{info.name}.note").write_text(value.note)

        return [*futures, CommitFuture(write_notes)]

    async def deserialize(self, infos, args=None):
        weights = await self.arrays.deserialize(named(infos, ".weight"))
        texts = await self.texts.deserialize(named(infos, ".text"))
        notes = [(info.parent_dir / f"{info.name}.note").read_text() for info in infos]
        return [Words(*parts) for parts in zip(texts, weights, notes)]


@pytest.fixture
def words_handler(fresh_type_handlers):
    fresh_type_handlers.add(Words, WordsHandler())


def test_a_handler_of_python_reads_what_one_of_cpp_wrote(tmp_path, words_handler):
    exchange("write-handled", tmp_path / "c")
    words, three = perdure.load(tmp_path / "c")["deep"]
    assert (words.text, words.weight.tolist(), words.note, three) == ("a text", [1, 2, 3], "a note", 3)
    assert words.weight.dtype == np.float32
    assert perdure.verify(tmp_path / "c").ok


def test_a_handler_of_cpp_reads_what_one_of_python_wrote(tmp_path, words_handler):
    words = Words("a text", np.array([1, 2, 3], np.float32), "a note")
    perdure.save(tmp_path / "c", {"deep": [words, 3]})
    exchange("read-handled", tmp_path / "c")
