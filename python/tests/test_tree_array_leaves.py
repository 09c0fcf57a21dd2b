"""Array leaves of perdure.tree: what stays of the template, what goes into the flat dict."""

import warnings

import numpy as np
import pytest
from perdure import tree
from perdure.errors import LossyCastWarning, MismatchError

torch = pytest.importorskip("torch")


def test_a_subclass_of_parameter_keeps_class_and_attributes():
    class Gated(torch.nn.Parameter):
        pass

    template = Gated(torch.zeros(2, dtype=torch.bfloat16), requires_grad=False)
    template.gate = "open"
    out = tree.from_state_dict(template, {"": torch.ones(2)})
    assert type(out) is Gated and out.gate == "open" and not out.requires_grad and out.dtype == torch.bfloat16


def test_a_masked_array_keeps_its_mask():
    masked = np.ma.MaskedArray([1.0, 2.0], mask=[False, True])
    out = tree.from_state_dict({"m": np.ma.zeros(2)}, tree.state_dict({"m": masked}))["m"]
    assert out.mask.tolist() == [False, True] and out[0] == 1.0


def test_a_saved_object_array_does_not_share_its_objects():
    array = np.array([[1], None], dtype=object)
    flat = tree.state_dict({"a": array})
    array[0].append(2)
    assert flat["a"][0] == [1]
    out = tree.from_state_dict({"a": np.zeros(2, object)}, flat)["a"]
    out[0].append(3)
    assert flat["a"][0] == [1]


def test_layouts_do_not_mix():
    with pytest.raises(MismatchError, match="layout"):
        tree.from_state_dict({"s": torch.zeros(2, 2).to_sparse()}, {"s": torch.ones(2, 2)})


def test_device_of_the_template_wins_over_that_of_the_checkpoint():
    flat = {"a": torch.ones(2, device="meta"), "b": torch.ones(2)}
    out = tree.from_state_dict({"b": torch.empty(2, device="meta"), "a": torch.empty(2, device="meta")}, flat)
    assert out["a"].device.type == out["b"].device.type == "meta"
    with pytest.raises(Exception) as error:
        tree.from_state_dict({"a": torch.zeros(2)}, flat)
    assert "'a'" in "".join(error.value.__notes__)


def test_jax_arrays_and_typed_keys():
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    state = {"w": jnp.arange(3.0), "key": jax.random.key(7), "raw": jax.random.PRNGKey(3)}
    fresh = {"w": jnp.zeros(3, jnp.bfloat16), "key": jax.random.key(0), "raw": jax.random.PRNGKey(0)}
    flat = tree.state_dict(state)
    out = tree.from_state_dict(fresh, flat)
    assert out["w"].dtype == jnp.bfloat16 and out["w"].tolist() == [0.0, 1.0, 2.0] and isinstance(out["w"], jax.Array)
    assert out["key"].dtype == state["key"].dtype
    assert jax.random.key_data(out["key"]).tolist() == jax.random.key_data(state["key"]).tolist()
    assert out["raw"].tolist() == state["raw"].tolist()
    assert tree.from_state_dict({"w": jnp.zeros(2)}, {"w": np.ones(2)})["w"].tolist() == [1.0, 1.0]
    for template, value in [(jnp.zeros(2), jnp.zeros(3)), (jax.random.key(0), jnp.zeros(2)), (jnp.zeros(2), jax.random.key(0)),
                            (jax.random.key(0), jax.random.key(0, impl="rbg"))]:
        with pytest.raises(MismatchError) as error:
            tree.from_state_dict({"k": template}, {"k": value})
        assert "'k'" in "".join(error.value.__notes__)


def test_jax_arrays_go_where_the_template_lies():
    jax = pytest.importorskip("jax")
    device = jax.devices()[-1]
    template = jax.device_put(jax.numpy.zeros(4), device)
    assert tree.from_state_dict(template, {"": np.ones(4)}).devices() == {device}


def test_casts_that_change_values_are_told_once_with_every_key():
    jnp = pytest.importorskip("jax.numpy")
    flat = {"t": torch.tensor([1.5]), "l[0]": np.array([300]), "j": jnp.array([0.5]), "big": np.array([1e300], ">f8"), "p": torch.tensor([1e30]),
            "fine": torch.tensor([2.0]), "rounded": np.array([0.1]), "half": torch.ones(1, dtype=torch.bfloat16), "z": torch.zeros(0)}
    template = {"t": torch.zeros(1, dtype=torch.int32), "l": [np.zeros(1, np.int8)], "j": jnp.zeros(1, int), "big": np.zeros(1, np.float32),
                "p": torch.nn.Parameter(torch.zeros(1, dtype=torch.float16)), "fine": torch.zeros(1, dtype=torch.uint8),
                "rounded": np.zeros(1, np.float32), "half": torch.zeros(1), "z": torch.zeros(0, dtype=torch.int8)}
    with pytest.warns(LossyCastWarning) as caught:
        tree.from_state_dict(template, flat)
    (told,) = [warning for warning in caught if warning.category is LossyCastWarning]
    assert told.filename == __file__
    assert str(told.message).endswith("changes the values of: t, l[0], j, big, p")


def test_a_tensor_goes_into_a_slot_of_numpy_without_a_word():
    saved = torch.ones(2, dtype=torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out = tree.from_state_dict({"a": np.zeros(2)}, {"a": saved})["a"]
    saved += 1
    assert out.tolist() == [1.0, 1.0]
