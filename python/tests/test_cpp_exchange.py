"""What C++ writes, Python restores, and the other way round: flat dicts, and whole objects."""

import dataclasses
import os
import pathlib
import subprocess
import typing

import numpy as np
import pytest

import perdure
import perdure.tree

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


def test_cpp_restores_the_object_of_python(tmp_path):
    perdure.save(tmp_path / "c", full_state())
    exchange("read-object", tmp_path / "c")
