"""States of random number generators: they go on where they were."""

import json
import random

import numpy as np
import pytest
from checkpointables import draws, named, one, saved

import perdure

NUMPY_GENERATORS = {
    **{bits: lambda bits=bits: np.random.Generator(getattr(np.random, bits)(5)) for bits in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")},
    "RandomState": lambda: np.random.RandomState(5),
    "BitGenerator": lambda: np.random.Generator(np.random.PCG64(5)).bit_generator,
}


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
    with pytest.raises(perdure.MismatchError, match="'Random'"):
        one(tmp_path / "c", random.Random(1))
