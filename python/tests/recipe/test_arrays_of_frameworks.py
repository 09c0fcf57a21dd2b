"""Arrays of frameworks come back as what they were, whatever word their adapter has for that."""

import numpy as np
import pytest
import recipe_things

from perdure._src.adapters import adapter_of_class, table
from perdure.recipe import create_model_spec, create_model_spec_from_json


def back(value):
    spec = create_model_spec(recipe_things.Plain, a=value)
    again = create_model_spec_from_json(spec.model_dump_json())
    assert again == spec and again.model_dump_json() == spec.model_dump_json()
    return again.build().a


def torch_tensor(**options):
    return pytest.importorskip("torch").arange(3.0, **options)


def torch_parameter(requires_grad):
    return pytest.importorskip("torch").nn.Parameter(torch_tensor(), requires_grad=requires_grad)


def jax_array(numbers):
    return pytest.importorskip("jax.numpy").asarray(numbers)


def jax_key(impl):
    return pytest.importorskip("jax").random.key(7, impl=impl)


ARRAYS = {
    "torch": lambda: torch_tensor(),
    "torch.grad": lambda: torch_tensor(requires_grad=True),
    "torch.Parameter": lambda: torch_parameter(True),
    "torch.Parameter:frozen": lambda: torch_parameter(False),
    "jax": lambda: jax_array(np.arange(3, dtype=np.float32)),
    "jax.weak": lambda: jax_array(2.0),
    "jax.key:threefry2x32": lambda: jax_key("threefry2x32"),
    "jax.key:rbg": lambda: jax_key("rbg"),
}


def test_every_framework_with_arrays_is_among_them():
    assert {row.package for row in table.TABLE if row.arrays is not None} == {origin.partition(".")[0] for origin in ARRAYS}


@pytest.mark.parametrize("origin", ARRAYS)
def test_an_array_comes_back_as_what_it_was(origin):
    value = ARRAYS[origin]()
    describe = adapter_of_class(type(value)).describe
    assert describe(value).origin == origin
    got = back(value)
    assert describe(got).origin == ("torch" if origin == "torch.grad" else origin)  # a recipe is no state
    assert type(got) is type(value) and got.dtype == value.dtype and got.shape == value.shape and (got == value).all()


def test_a_tensor_of_every_type_that_numpy_lacks_comes_back():
    torch = pytest.importorskip("torch")
    from perdure._src.adapters.torch import _STORED_AS

    for name in _STORED_AS:
        value = torch.arange(4, dtype=torch.uint8).view(torch.float16).view(getattr(torch, name))
        got = back(value)
        assert got.dtype == value.dtype and got.shape == value.shape and got.view(torch.uint8).tolist() == [0, 1, 2, 3], name


def test_a_weak_type_is_no_weaker_or_stronger_afterwards():
    jnp = pytest.importorskip("jax.numpy")
    for value in (jnp.asarray(2.0), jnp.asarray(2), jnp.asarray(True), jnp.asarray(2j), jnp.ones(3) * jnp.asarray(2.0), jnp.float32(2)):
        got = back({"deep": [value]})["deep"][0]
        assert (got.dtype, got.weak_type, got.tolist()) == (value.dtype, value.weak_type, value.tolist())
    assert (back(jnp.asarray(2.0)) * jnp.ones(2, jnp.bfloat16)).dtype == jnp.bfloat16


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, MemoryError])
def test_an_interruption_while_an_array_is_made_is_no_fault_of_the_recipe(monkeypatch, interruption):
    spec = create_model_spec(recipe_things.Plain, a=torch_tensor())

    def interrupted(origin, template, array):
        raise interruption

    monkeypatch.setattr(adapter_of_class(type(torch_tensor())), "restore", interrupted)
    with pytest.raises(interruption):
        spec.build()
