"""The random streams of the process: Python's, NumPy's legacy one, torch's, one for each device. JAX keeps its keys in the program's values.

Generator objects belong to the program too. To add a stream: a row in ``_STREAMS``.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from perdure.errors import CorruptError


class _Stream(NamedTuple):
    name: str
    read: Callable[[], Any]  # None: it is not in use
    put: Callable[[Any], None]


def random_state() -> dict[str, Any]:
    """All streams that are in use, as a tree that perdure can save."""
    states = {stream.name: stream.read() for stream in _STREAMS}
    return {name: state for name, state in states.items() if state is not None}


def put_random_state(states: dict[str, Any]) -> None:
    """Streams that are not in ``states``, or whose library or device is not there, stay as they are. All stay if one cannot be put.

    Raises:
        CorruptError: No state of such a stream.
    """
    before = random_state()
    try:
        _put(states)
    except Exception as error:
        _put(before)
        raise CorruptError(f"this is no state of the random streams: {type(error).__name__}: {error}") from error


def _put(states: dict[str, Any]) -> None:
    for stream in _STREAMS:
        if stream.name in states:
            stream.put(states[stream.name])


@contextlib.contextmanager
def unchanged() -> Iterator[None]:
    """Whatever draws numbers in the block leaves no trace in the streams."""
    before = random_state()
    try:
        yield
    finally:
        _put(before)


def _read_python() -> dict[str, Any]:
    version, words, gauss = random.getstate()
    return {"version": version, "words": np.array(words, np.uint32), "gauss": gauss}


def _put_python(state: dict[str, Any]) -> None:
    random.setstate((state["version"], tuple(np.asarray(state["words"]).tolist()), state["gauss"]))


def _read_numpy() -> dict[str, Any]:
    return np.random.get_state(legacy=False)


def _read_torch() -> Any:
    torch = sys.modules.get("torch")
    return None if torch is None else torch.get_rng_state()


def _put_torch(state: Any) -> None:
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_rng_state(_bytes_tensor(torch, state))


def _device(name: str) -> _Stream:
    """The streams of all devices of a kind, in the order of their numbers."""

    def module() -> Any:
        return getattr(sys.modules.get("torch"), name, None)

    def read() -> Any:
        devices = module()
        return devices.get_rng_state_all() if devices is not None and devices.is_initialized() else None

    def put(states: Any) -> None:
        devices = module()
        if devices is not None and devices.is_available():
            for index, state in enumerate(states[: devices.device_count()]):
                devices.set_rng_state(_bytes_tensor(sys.modules["torch"], state), index)

    return _Stream(name, read, put)


def _bytes_tensor(torch: Any, state: Any) -> Any:
    return torch.as_tensor(state, dtype=torch.uint8, device="cpu")


_STREAMS = (
    _Stream("python", _read_python, _put_python),
    _Stream("numpy", _read_numpy, np.random.set_state),
    _Stream("torch", _read_torch, _put_torch),
    _device("cuda"),
    _device("xpu"),
)
