"""The states of random number generators: NumPy's, Python's, torch's, and keys of JAX.

NumPy's and JAX's are stored in the form of Orbax's handlers for random keys: the state in one directory, what it is in another. Keys of
JAX are arrays, which trees hold; this form of theirs is read, and written where its handler is registered for the name.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from perdure import _core
from perdure._src.handlers.json_text import json_bytes, parse_json
from perdure._src.handlers.native import DirectoryItem, Item, NativeHandler, read_file
from perdure._src.tree_io import tree_writer
from perdure.errors import CorruptError, InputTypeError, MismatchError

_BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


def _two_parts(key_name: str, state: _core.ItemWriter, what: Mapping[str, Any]) -> _core.ItemWriter:
    metadata = _core.files_writer({"metadata": json_bytes(what)})
    return _core.parts_writer({key_name: state, f"{key_name}_metadata": metadata})


def _read_two_parts(item: Item, key_name: str) -> tuple[Any, dict[str, Any]]:
    names = [path.name.removesuffix("_metadata") for path in item.path.iterdir() if path.name.endswith("_metadata")]
    if len(names) == 1:  # handlers of Orbax v0 let their user choose it
        key_name = names[0]
    what = parse_json(item, read_file(item, (f"{key_name}_metadata/metadata",)))
    if not isinstance(what, dict):
        raise CorruptError(f"'{item.path}' does not say what its random key is")
    return DirectoryItem(item.path / key_name).load_tree(None, as_numpy=True), what


class NumpyRandomHandler(NativeHandler):
    """``numpy.random.Generator``, ``BitGenerator`` and ``RandomState``; loaded in place if an instance is given."""

    recorded_as, secondary_typestrs, _ = _core.handler_names("NumpyRandomHandler")
    _kinds = {"Generator": np.random.Generator, "RandomState": np.random.RandomState, "BitGenerator": np.random.BitGenerator}

    def writer(self, checkpointable: Any) -> _core.ItemWriter:
        if isinstance(checkpointable, (dict, tuple)):  # what numpy.random.get_state() gives, as in Orbax
            return _two_parts("np_random_key", tree_writer(checkpointable), {"legacy": isinstance(checkpointable, tuple)})
        kind = next((name for name, cls in self._kinds.items() if isinstance(checkpointable, cls)), None)
        if kind is None:
            raise InputTypeError(f"a '{type(checkpointable).__name__}' is no random number generator of NumPy")
        return _two_parts("np_random_key", tree_writer(_numpy_state(checkpointable)), {"legacy": False, "kind": kind})

    def read(self, item: Item, abstract: Any) -> Any:
        state, what = _read_two_parts(item, "np_random_key")
        if what.get("legacy") is True:
            state = tuple(state)
        if self.is_handleable(abstract):
            return _set_numpy_state(abstract, state)
        if not isinstance(abstract, (dict, tuple, type(None))):
            raise MismatchError(f"the state of a generator of NumPy does not fit a '{type(abstract).__name__}'")
        if what.get("kind") is None or abstract is not None:
            return state
        return _set_numpy_state(_new_numpy(what["kind"], state), state)

    def is_handleable(self, checkpointable: Any) -> bool:
        return isinstance(checkpointable, tuple(self._kinds.values()))

    def is_abstract_handleable(self, abstract_checkpointable: Any) -> bool | None:
        return True if self.is_handleable(abstract_checkpointable) else None


def _numpy_state(generator: Any) -> dict[str, Any]:
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    return (generator.bit_generator if isinstance(generator, np.random.Generator) else generator).state


def _new_numpy(kind: str, state: Any) -> Any:
    name = state.get("bit_generator") if isinstance(state, dict) else None
    if name not in _BIT_GENERATORS:
        raise CorruptError(f"NumPy has no bit generator {name!r}")
    bits = getattr(np.random, name)()
    if kind == "BitGenerator":
        return bits
    return np.random.RandomState(bits) if kind == "RandomState" else np.random.Generator(bits)


def _check_positions(state: Any) -> None:
    """NumPy uses these as indices without looking."""
    if isinstance(state, tuple):
        position = state[2] if len(state) > 2 else None
        positions = [(position, 624)]
    else:
        inner = state.get("state") if isinstance(state, dict) else None
        positions = [(state["buffer_pos"], 4)] if isinstance(state, dict) and "buffer_pos" in state else []
        if isinstance(inner, dict) and "pos" in inner:
            positions.append((inner["pos"], 624))
    for position, most in positions:
        if type(position) is not int or not 0 <= position <= most:
            raise CorruptError(f"position {position!r} in the state of a random number generator, at most {most}")


def _set_numpy_state(generator: Any, state: Any) -> Any:
    _check_positions(state)
    try:
        if isinstance(generator, np.random.RandomState):
            generator.set_state(state)
        else:
            (generator.bit_generator if isinstance(generator, np.random.Generator) else generator).state = state
    except (TypeError, ValueError, KeyError) as error:
        raise MismatchError(f"the saved state does not fit a '{type(generator).__name__}': {error}") from error
    return generator


class PythonRandomHandler(NativeHandler):
    """``random.Random``; loaded in place if an instance is given."""

    recorded_as, secondary_typestrs, _ = _core.handler_names("PythonRandomHandler")

    def writer(self, checkpointable: random.Random) -> _core.ItemWriter:
        version, words, gauss_next = checkpointable.getstate()
        return tree_writer({"version": version, "words": np.array(words, np.uint32), "gauss_next": gauss_next})

    def read(self, item: Item, abstract: Any) -> random.Random:
        state = item.load_tree(None, as_numpy=True)
        generator = random.Random() if abstract is None else abstract
        try:
            generator.setstate((state["version"], tuple(state["words"].tolist()), state["gauss_next"]))
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise CorruptError(f"no state of random.Random in '{item.path}': {error}") from error
        return generator

    def is_handleable(self, checkpointable: Any) -> bool:
        return isinstance(checkpointable, random.Random) and not isinstance(checkpointable, random.SystemRandom)

    def is_abstract_handleable(self, abstract_checkpointable: Any) -> bool | None:
        return self.is_handleable(abstract_checkpointable)


class TorchGeneratorHandler(NativeHandler):
    """``torch.Generator``; loaded in place if an instance is given."""

    recorded_as, secondary_typestrs, _ = _core.handler_names("TorchGeneratorHandler")

    def writer(self, checkpointable: Any) -> _core.ItemWriter:
        return tree_writer({"state": checkpointable.get_state().numpy(), "device": str(checkpointable.device)})

    def read(self, item: Item, abstract: Any) -> Any:
        import torch

        state = item.load_tree(None, as_numpy=True)
        try:
            generator = torch.Generator(device=state["device"]) if abstract is None else abstract
            generator.set_state(torch.from_numpy(state["state"]))
        except (TypeError, ValueError, KeyError, RuntimeError) as error:
            raise MismatchError(f"the saved state of a torch.Generator does not fit: {error}") from error
        return generator

    def is_handleable(self, checkpointable: Any) -> bool:
        torch = sys.modules.get("torch")
        return torch is not None and isinstance(checkpointable, torch.Generator)

    def is_abstract_handleable(self, abstract_checkpointable: Any) -> bool | None:
        return self.is_handleable(abstract_checkpointable)


class JaxRandomKeyHandler(NativeHandler):
    """A random key of JAX, typed or not, in Orbax's older form."""

    recorded_as, secondary_typestrs, _ = _core.handler_names("JaxRandomKeyHandler")

    def writer(self, checkpointable: Any) -> _core.ItemWriter:
        import jax

        if not isinstance(checkpointable, jax.Array):
            raise InputTypeError(f"a '{type(checkpointable).__name__}' is no random key of JAX")
        what: dict[str, Any] = {"typed": bool(jax.dtypes.issubdtype(checkpointable.dtype, jax.dtypes.prng_key))}
        if what["typed"]:
            what["impl"] = str(jax.random.key_impl(checkpointable))
            checkpointable = jax.random.key_data(checkpointable)
        return _two_parts("jax_random_key", tree_writer({"checkpoint": checkpointable}, use_ocdbt=False), what)

    def read(self, item: Item, abstract: Any) -> Any:
        state, what = _read_two_parts(item, "jax_random_key")
        data = state["checkpoint"]
        if "jax" not in sys.modules:
            return data
        import jax

        impl = what.get("impl")
        if impl is None and abstract is not None and jax.dtypes.issubdtype(abstract.dtype, jax.dtypes.prng_key):
            impl = str(jax.random.key_impl(abstract)) if isinstance(abstract, jax.Array) else None
        return jax.random.wrap_key_data(data, impl=impl) if what.get("typed") is True else jax.device_put(data)

    def is_handleable(self, checkpointable: Any) -> bool:
        return False  # unless it is asked for by name: a key is an array, and arrays are trees
