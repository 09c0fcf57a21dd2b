"""JAX arrays: shardings, random keys, narrow dtypes, and the pytrees of Flax and Optax."""

import sys

import numpy as np
import pytest
from dtypes import DTYPES, NAMES
from exact import round_trip

import perdure

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding  # noqa: E402

SPECS = [("x", "y"), ("y", "x"), ("x",), (None, "y"), (), (("x", "y"),), (None, ("y", "x"))]
JAX_DTYPES = [name for name in NAMES if hasattr(jnp, name) and jax.dtypes.canonicalize_dtype(DTYPES[name]) == DTYPES[name]]
GENERATORS = ["threefry2x32", "rbg", "unsafe_rbg"]


def sharded(array, spec):
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
    return jax.device_put(array, NamedSharding(mesh, PartitionSpec(*spec)))


def is_key(array):
    return jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key)


def same_array(got, want):
    assert isinstance(got, jax.Array) and (got.dtype, got.shape) == (want.dtype, want.shape)
    if is_key(want):
        got, want = jax.random.key_data(got), jax.random.key_data(want)
    assert np.asarray(got).tobytes() == np.asarray(want).tobytes()


def same_tree(got, want):
    assert jax.tree.structure(got) == jax.tree.structure(want)
    jax.tree.map(same_array, got, want)


def check_templates(path, want):
    abstract = jax.ShapeDtypeStruct(want.shape, want.dtype)
    for template in (want, jax.ShapeDtypeStruct(want.shape, want.dtype, sharding=want.sharding), abstract):
        got = perdure.load(path, {"a": template})["a"]
        same_array(got, want)
        assert template is abstract or got.sharding == want.sharding
        assert got.committed == (template is not abstract and getattr(template, "committed", True))


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_every_sharding_with_and_without_a_template(tmp_path, spec):
    for dtype in ("float32", "int4"):
        array = sharded(jnp.arange(256).reshape(16, 16).astype(dtype), spec)
        same_array(round_trip(tmp_path, {"a": array})["a"], array)
        check_templates(tmp_path / "c", array)


@pytest.mark.parametrize("dtype", JAX_DTYPES)
def test_every_dtype_on_one_device_and_on_many(tmp_path, dtype):
    whole = jnp.arange(256).reshape(16, 16).astype(dtype)
    single = jax.device_put(whole, SingleDeviceSharding(jax.devices()[3]))
    arrays = [whole, single, sharded(whole, ("x", "y")), whole[0, 0], whole[:0], sharded(whole[0, 0], ())]
    same_tree(round_trip(tmp_path, arrays), arrays)
    same_tree(perdure.load(tmp_path / "c", arrays), arrays)


@pytest.mark.parametrize("impl", GENERATORS)
def test_random_keys_continue_their_stream(tmp_path, impl):
    key = jax.random.key(3, impl=impl)
    keys = jax.random.split(key, (4, 2))
    for want in (key, keys, sharded(keys, ("x", "y"))):
        got = round_trip(tmp_path, {"a": want})["a"]
        same_array(got, want)
        same_array(jax.random.split(got.reshape(-1)[0]), jax.random.split(want.reshape(-1)[0]))
        check_templates(tmp_path / "c", want)


def test_a_key_is_no_array_and_no_key_of_another_generator(tmp_path):
    perdure.save(tmp_path / "c", {"k": jax.random.key(0, impl="rbg"), "a": jnp.ones(4, jnp.uint32)})
    key, array = jax.random.key(0, impl="rbg"), jnp.ones(4, jnp.uint32)
    abstract = jax.eval_shape(lambda: jax.random.key(0, impl="unsafe_rbg"))
    for template in ({"k": array, "a": array}, {"k": key, "a": key}, {"k": jax.random.key(0, impl="unsafe_rbg"), "a": array},
                     {"k": abstract, "a": array}):
        with pytest.raises(perdure.MismatchError, match="random key.* at '[ka]'"):
            perdure.load(tmp_path / "c", template)


def test_a_stored_generator_that_is_none_is_corrupt(tmp_path):
    from perdure._src.adapters.jax import restore

    for impl, data in [("nonsense", np.zeros(2, np.uint32)), ("threefry2x32", np.zeros(3, np.uint32)), ("rbg", np.zeros(4, np.float32))]:
        with pytest.raises(perdure.CorruptError, match=f"no random key of '{impl}'"):
            restore(f"jax.key:{impl}", None, data)


def test_without_x64_wide_numbers_stay_numpy_and_are_not_narrowed_in_silence(tmp_path):
    with jax.enable_x64(True):
        wide = {"f": jnp.array([1e300]), "i": jnp.array([2**40])}
        same_tree(round_trip(tmp_path, wide), wide)
    got = perdure.load(tmp_path / "c")
    assert [type(x) for x in got.values()] == [np.ndarray] * 2 and got["i"].tolist() == [2**40]
    template = {"f": jax.ShapeDtypeStruct((1,), np.float64), "i": jax.ShapeDtypeStruct((1,), np.int64)}
    with pytest.warns(perdure.LossyCastWarning, match="f, i"):
        assert perdure.load(tmp_path / "c", template)["i"].dtype == np.int32


def test_where_jax_may_not_be_imported_its_arrays_are_numpys(tmp_path, monkeypatch):
    perdure.save(tmp_path / "c", {"w": jnp.arange(3.0)})
    monkeypatch.setitem(sys.modules, "jax", None)
    got = perdure.load(tmp_path / "c")
    assert type(got["w"]) is np.ndarray and got["w"].tolist() == [0, 1, 2]
    with pytest.raises(perdure.InputTypeError, match="cannot save a 'object' at 'a'"):
        perdure.save(tmp_path / "d", {"a": object()})


def test_weak_types_stay_weak(tmp_path):
    weak, strong = jnp.asarray(2.0), jnp.float32(2)
    assert weak.weak_type and not strong.weak_type
    got = round_trip(tmp_path, [weak, strong, jnp.asarray(3)])
    assert [array.weak_type for array in got] == [True, False, True]
    same_tree(got, [weak, strong, jnp.asarray(3)])
    assert [array.weak_type for array in perdure.load(tmp_path / "c", [strong, weak, weak])] == [False, True, True]


def test_an_array_is_as_free_to_move_as_its_template(tmp_path):
    """An optimizer's counter on one device meets weights on eight in one computation: only if no device was chosen for it."""
    perdure.save(tmp_path / "c", {"w": np.ones((8, 2), np.float32), "step": np.int32(3)})
    got = perdure.load(tmp_path / "c", {"w": sharded(jnp.ones((8, 2)), ("x",)), "step": jnp.int32(0)})
    assert got["w"].committed and not got["step"].committed
    assert jnp.add(got["w"], got["step"]).sum() == 64
    chosen = jax.device_put(jnp.int32(0), jax.devices()[5])
    with jax.default_device(jax.devices()[2]):
        got = [perdure.load(tmp_path / "c", {"w": jnp.ones((8, 2)), "step": leaf})["step"] for leaf in (jnp.int32(0), chosen)]
    assert [(array.committed, array.devices()) for array in got] == [(False, {jax.devices()[2]}), (True, {jax.devices()[5]})]


@pytest.mark.parametrize("kind", [memory.kind for memory in jax.devices()[0].addressable_memories()])
def test_every_kind_of_memory(tmp_path, kind):
    array = jax.device_put(jnp.arange(6.0), SingleDeviceSharding(jax.devices()[1], memory_kind=kind))
    same_array(round_trip(tmp_path, [array])[0], array)
    (got,) = perdure.load(tmp_path / "c", [array])
    same_array(got, array)
    assert got.sharding == array.sharding


def test_arrays_whose_memory_has_another_order(tmp_path):
    layouts = pytest.importorskip("jax.experimental.layout")
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
    values = np.arange(64, dtype=np.float32).reshape(8, 8)
    for sharding in (SingleDeviceSharding(jax.devices()[0]), NamedSharding(mesh, PartitionSpec("y", "x"))):
        array = jax.device_put(values, layouts.Format(layouts.Layout((1, 0)), sharding))
        assert np.asarray(array.addressable_shards[0].data).strides[0] == 4
        same_array(round_trip(tmp_path, [array])[0], array)


def test_arrays_of_a_parallel_map(tmp_path):
    array = jax.pmap(lambda x: x * 2)(jnp.arange(32.0).reshape(8, 4))
    same_array(round_trip(tmp_path, [array])[0], array)
    same_array(perdure.load(tmp_path / "c", [array])[0], array)


@pytest.mark.parametrize("is_known", [True, False])
def test_the_ways_to_a_device_agree(is_known, monkeypatch):
    """Under jax.device_put lies a function without a public name; a JAX without it must give the same arrays."""
    from perdure._src.adapters import jax_put

    assert jax_put._batched_device_put() is not None
    if not is_known:
        monkeypatch.setattr(jax_put, "_batched_device_put", lambda: None)
    host = np.arange(6, dtype=np.float32).reshape(2, 3)
    for sharding in (None, SingleDeviceSharding(jax.devices()[0]), SingleDeviceSharding(jax.devices()[3])):
        got, want = jax_put.put(host, sharding), jax.device_put(host, sharding)
        same_array(got, want)
        assert (got.aval, got.sharding, got.committed, got.format) == (want.aval, want.sharding, want.committed, want.format)
        double = jax.jit(lambda x: x * 2)
        double(got), double(want)
        assert double._cache_size() == 1


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_memory_that_is_being_saved_is_not_donated(tmp_path, dtype):
    from perdure._src.tree_io import tree_writer

    array = jax.jit(lambda: jnp.full(1000, 3, dtype))()
    writer = tree_writer([array])
    jax.jit(lambda x: x * 2, donate_argnums=0)(array).block_until_ready()
    (tmp_path / "c").mkdir()
    writer.write_to(bytes(tmp_path / "c"), direct_io=False)
    assert (perdure.load(tmp_path / "c")[0] == 3).all()


def test_what_has_no_data_is_refused_by_path(tmp_path):
    def save(x):
        with pytest.raises(perdure.InputTypeError, match=r"cannot save a '\w+': .* at 'a\.b'"):
            perdure.save(tmp_path / "c", {"w": np.ones(2), "a": {"b": x}})
        return jnp.sum(jnp.ones(2))

    jax.jit(save)(jnp.ones(2))
    jax.vmap(save)(jnp.ones((3, 2)))
    jax.grad(save)(jnp.ones(2))
    deleted = jnp.ones(2)
    deleted.delete()
    donated = sharded(jnp.ones((8, 2)), ("x",))
    donated.delete()
    for value in (deleted, donated, jax.ShapeDtypeStruct((2,), np.float32), jnp.float32, jax.devices()[0], jax.jit(save)):
        save(value)
    assert not list(tmp_path.iterdir())


def test_memory_of_jax_is_never_shared_with_arrays_that_can_be_written(tmp_path):
    array = jnp.arange(100_000)
    got = round_trip(tmp_path, {"jax": array, "numpy": np.asarray(array)})
    got["numpy"][:] = 0
    same_array(got["jax"], array)


def optax_states():
    optax = pytest.importorskip("optax")
    adam = optax.chain(optax.clip(1.0), optax.adamw(optax.cosine_decay_schedule(0.1, 10)), optax.ema(0.9))
    parts = optax.multi_transform({"a": optax.adam(0.1), "b": optax.set_to_zero()}, {"w": "a", "v": "b"})
    return adam.init({"w": jnp.ones((2, 3)), "l": [jnp.ones(2)]}), parts.init({"w": jnp.ones(2), "v": jnp.ones(2)})


def test_optax_states_come_back_as_their_classes(tmp_path):
    for state in optax_states():
        same_tree(round_trip(tmp_path, state), state)
        for template in (state, jax.eval_shape(lambda: state)):
            same_tree(perdure.load(tmp_path / "c", template), state)


def test_optax_states_that_orbax_saved_fill_their_own_templates(tmp_path):
    ocp = pytest.importorskip("orbax.checkpoint.experimental.v1")
    for i, state in enumerate(optax_states()):
        ocp.save(tmp_path / str(i), state)
        for template in (state, jax.eval_shape(lambda: state)):
            same_tree(perdure.load(tmp_path / str(i), template), state)


def test_flax_nnx_states_and_modules(tmp_path):
    nnx = pytest.importorskip("flax.nnx")

    def make(seed):
        return nnx.Sequential(nnx.Linear(3, 4, rngs=nnx.Rngs(seed)), nnx.BatchNorm(4, rngs=nnx.Rngs(0)), nnx.Dropout(0.5, rngs=nnx.Rngs(seed)))

    state = nnx.state(make(1))
    same_array(round_trip(tmp_path, state)["layers"][0]["kernel"]["value"], state["layers"][0]["kernel"][...])
    abstract = nnx.state(nnx.eval_shape(lambda: make(2)))
    for template in (nnx.state(make(2)), abstract):
        same_tree(perdure.load(tmp_path / "c", template), state)
    model = make(2)
    nnx.update(model, perdure.load(tmp_path / "c", nnx.state(model)))
    same_tree(nnx.state(model), state)
    placed = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=leaf.sharding), state)
    same_tree(perdure.load(tmp_path / "c", placed), state)
    pure = nnx.to_pure_dict(state)
    same_tree(round_trip(tmp_path, pure), pure)


def test_flax_linen_train_state_and_frozen_dict(tmp_path):
    linen, train_state = pytest.importorskip("flax.linen"), pytest.importorskip("flax.training.train_state")
    optax, core = pytest.importorskip("optax"), pytest.importorskip("flax.core")
    model = linen.Dense(3)
    make = lambda seed: train_state.TrainState.create(  # noqa: E731
        apply_fn=model.apply, params=core.freeze(model.init(jax.random.key(seed), jnp.ones((1, 2)))), tx=optax.adam(0.1))
    state, other = make(0), make(1)
    got = round_trip(tmp_path, state, other)
    assert type(got) is type(state) and got.tx is other.tx
    jax.tree.map(same_array, (got.params, got.opt_state), (state.params, state.opt_state))
    assert set(perdure.load(tmp_path / "c")) == {"step", "params", "opt_state"}


def test_metadata_as_a_template_gives_the_kind_that_was_saved(tmp_path):
    state = {"w": jnp.arange(3.0), "key": jax.random.key(1), "l": [jnp.ones(2, jnp.bfloat16)]}
    round_trip(tmp_path, state | {"n": np.arange(3), "s": np.float32(2), "step": 4})
    got = perdure.load(tmp_path / "c", perdure.metadata(tmp_path / "c"))
    assert (type(got.pop("n")), type(got.pop("s")), type(got.pop("step"))) == (np.ndarray, np.float32, int)
    same_tree(got, state)
    context = perdure.Context()
    context.array.loading.as_numpy = True
    with context:
        assert type(perdure.load(tmp_path / "c", perdure.metadata(tmp_path / "c"))["w"]) is np.ndarray
