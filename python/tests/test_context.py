"""Options: where they hold, when they cannot be set, what they take; and wrong arguments of the calls themselves."""

import contextvars
import threading

import numpy as np
import pytest
from exact import same

import perdure
from perdure._src.context import current_context

TREE = {"w": np.arange(12.0).reshape(3, 4), "n": 1}


def set_option(context, path, value):
    *owners, name = path.split(".")
    for owner in owners:
        context = getattr(context, owner)
    setattr(context, name, value)


def test_options_are_copied_from_the_given_context_and_each_context_has_its_own():
    outer = perdure.Context()
    outer.array.loading.as_numpy = True
    with outer:
        assert not perdure.Context().array.loading.as_numpy
        inner = perdure.Context(outer)
        inner.pytree.loading.partial_load = True
        assert inner.array.loading.as_numpy and not outer.pytree.loading.partial_load
    assert perdure.Context(inner).pytree.loading.partial_load


def test_an_active_context_is_frozen():
    context = perdure.Context()
    with context, context:
        for path, value in [("array.loading.verify", False), ("array.saving.storage_options.dtype", "int8"), ("array", context.array)]:
            with pytest.raises(RuntimeError, match="active"):
                set_option(context, path, value)
    context.array.loading.verify = False


def test_a_context_holds_in_its_own_thread_only(tmp_path):
    seen = []
    context = perdure.Context()
    context.pytree.loading.missing = "keep"
    with context:
        for run in (lambda call: call(), contextvars.copy_context().run):
            thread = threading.Thread(target=run, args=(lambda: seen.append(current_context().pytree.loading.missing),))
            thread.start()
            thread.join()
    assert seen == ["error", "keep"]


@pytest.mark.parametrize("path, value", [
    ("array.saving.use_ocdbt", False), ("array.saving.use_zarr3", False), ("array.saving.use_compression", True),
    ("array.saving.storage_options.chunk_byte_size", 8), ("array.saving.storage_options.shard_axes", (1,)), ("file.direct_io", False),
    ("array.saving.scoped_storage_options_creator", lambda path, leaf: None),
])  # fmt: skip
def test_however_it_is_stored_it_comes_back(tmp_path, path, value):
    context = perdure.Context()
    set_option(context, path, value)
    with context:
        perdure.save(tmp_path / "c", TREE)
    same(perdure.load(tmp_path / "c"), TREE)


def test_a_creator_sees_every_leaf_and_overrides_the_default(tmp_path):
    seen = {}

    def creator(path, leaf):
        seen[path] = leaf
        return perdure.options.ArrayOptions.Saving.StorageOptions(dtype="float32", chunk_byte_size=16) if path == ("w",) else None

    context = perdure.Context()
    context.array.saving.scoped_storage_options_creator = creator
    with context:
        perdure.save(tmp_path / "c", TREE)
    assert seen == {("w",): TREE["w"], ("n",): 1}
    stored = perdure.metadata(tmp_path / "c").metadata["w"]
    assert stored.dtype == np.float32 and np.prod(stored.storage_metadata.chunk_shape) <= 4


def test_a_leaf_s_own_axes_must_be_its_own(tmp_path):
    context = perdure.Context()
    own = perdure.options.ArrayOptions.Saving.StorageOptions(shard_axes=(2,))
    context.array.saving.scoped_storage_options_creator = lambda path, leaf: own
    with context, pytest.raises(perdure.InvalidError, match=r"shard axis 2 of an array of shape \(3, 4\)"):
        perdure.save(tmp_path / "c", {"w": TREE["w"]})


def test_a_dtype_for_all_arrays_leaves_alone_what_holds_no_numbers(tmp_path):
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    bits = torch.arange(4, dtype=torch.uint8).view(torch.bits8)
    context = perdure.Context()
    context.array.saving.storage_options.dtype = "bfloat16"
    with context:
        perdure.save(tmp_path / "c", {"w": np.ones(2), "key": jax.random.key(7), "bits": bits})
    got = perdure.load(tmp_path / "c")
    assert got["w"].dtype.name == "bfloat16" and got["bits"].dtype == torch.bits8
    assert np.array_equal(jax.random.key_data(got["key"]), jax.random.key_data(jax.random.key(7)))
    assert got["bits"].view(torch.uint8).tolist() == [0, 1, 2, 3]


def save_as_int8(path, tree, save):
    context = perdure.Context()
    context.array.saving.storage_options.dtype = "int8"
    with context:
        return save(path, tree)


@pytest.mark.parametrize("save", [perdure.save, lambda path, tree: perdure.save_async(path, tree).result()], ids=["now", "async"])
def test_a_stored_dtype_that_changes_values_is_told_once_with_every_key(tmp_path, save):
    tree = {"step": np.array(300), "opt": {"rate": np.array([0.5])}, "fine": np.array([3.0]), "n": 1000}
    with pytest.warns(perdure.LossyCastWarning) as caught:
        save_as_int8(tmp_path / "c", tree, save)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert set(str(caught[0].message).rpartition(": ")[2].split(", ")) == {"step", "opt.rate"}


def test_a_dtype_for_a_leaf_that_holds_no_numbers_is_refused(tmp_path):
    jax = pytest.importorskip("jax")
    context = perdure.Context()
    own = perdure.options.ArrayOptions.Saving.StorageOptions(dtype="bfloat16")
    context.array.saving.scoped_storage_options_creator = lambda path, leaf: own
    with context, pytest.raises(perdure.InvalidError, match="no numbers that can be stored as bfloat16") as caught:
        perdure.save(tmp_path / "c", {"key": jax.random.key(7)})
    assert "leaf key" in caught.value.__notes__ and not list(tmp_path.iterdir())


def test_a_stored_dtype_that_torch_lacks_comes_back_as_numpy(tmp_path):
    torch = pytest.importorskip("torch")
    context = perdure.Context()
    context.array.saving.storage_options.dtype = "float8_e3m4"
    tree = {"w": torch.tensor([0.5, 2.0])}
    with context:
        perdure.save(tmp_path / "c", tree)
    got = perdure.load(tmp_path / "c")["w"]
    assert isinstance(got, np.ndarray) and got.dtype.name == "float8_e3m4" and got.astype(float).tolist() == [0.5, 2.0]
    assert torch.equal(perdure.load(tmp_path / "c", tree)["w"], tree["w"])


def test_a_creator_that_fails_or_answers_nonsense_writes_nothing(tmp_path):
    for creator, error in [(lambda path, leaf: 1 / 0, ZeroDivisionError), (lambda path, leaf: 1, perdure.InputTypeError)]:
        context = perdure.Context()
        context.array.saving.scoped_storage_options_creator = creator
        with context, pytest.raises(error):
            perdure.save(tmp_path / "c", TREE)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path, values", [
    ("array.saving.use_ocdbt", [None, 1, "x"]), ("array.saving.storage_options", [None, 1]),
    ("array.saving.storage_options.dtype", ["nope", 1.5]), ("array.saving.storage_options.chunk_byte_size", [0, -1, 1.5, "x", True, 2**70]),
    ("array.saving.storage_options.shard_axes", [1, (-1,), ("x",), None]), ("array.saving.scoped_storage_options_creator", [1]),
    ("array.loading.bytes_max", [-1, "x", 2**70]), ("array.loading.verify", [None, 0]), ("pytree.loading.missing", ["nope", None]),
    ("file.follow_links", ["x"]),
])  # fmt: skip
def test_an_option_takes_only_what_it_can_be(path, values):
    for value in values:
        with pytest.raises(perdure.InvalidError, match=path.rpartition(".")[2] + ".*expected"):
            set_option(perdure.Context(), path, value)


def test_unknown_options_are_refused():
    with pytest.raises(AttributeError, match="no option 'x'"):
        perdure.Context().array.x = 1
    with pytest.raises(AttributeError, match="no option 'x'"):
        perdure.Context().x = 1
    for call in (lambda: perdure.Context(1), lambda: setattr(perdure.Context(), "array", 1)):
        with pytest.raises(perdure.InputTypeError, match="found 'int'"):
            call()


@pytest.mark.parametrize("path", [None, 1, 1.5, object(), ["x"], {}], ids=lambda path: type(path).__name__)
def test_a_path_that_is_none_is_refused_by_every_call(path):
    calls = [lambda: perdure.save(path, 1), lambda: perdure.load(path), lambda: perdure.metadata(path), lambda: perdure.verify(path),
             lambda: perdure.save_checkpointables(path, {"a": 1}), lambda: perdure.load_checkpointables(path),
             lambda: perdure.checkpointables_metadata(path)]
    for call in calls:
        with pytest.raises(perdure.InputTypeError, match="path: expected a str or os.PathLike, found"):
            call()


@pytest.mark.parametrize("path", ["", "\ud800", "a\0b", b"a\0b", "/dev/null/x", "x" * 5000], ids=lambda path: repr(path)[:12])
def test_a_path_that_cannot_be_is_a_clean_error(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    for call in (lambda: perdure.save(path, 1), lambda: perdure.load(path), lambda: perdure.verify(path)):
        with pytest.raises(perdure.Error):
            call()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [None, 1, b"x", "", "a/b", ".", "..", "metrics", "AUTO", "descriptor", "_METADATA", "_CHECKPOINT_METADATA",
                                  "a\0b", "\ud800", "x" * 300, "a.orbax-checkpoint-tmp"], ids=lambda name: repr(name)[:20])
def test_a_name_that_cannot_be_is_refused_and_nothing_is_written(tmp_path, name):
    for call in (lambda: perdure.save(tmp_path / "c", 1, checkpointable_name=name), lambda: perdure.save_checkpointables(tmp_path / "c", {name: 1})):
        with pytest.raises(perdure.Error, match="cannot be|expected a str"):
            call()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["é", "a b", ".hidden", "manifest.ocdbt", "zarr.json", "_sharding", "d", "default", "ocdbt.process_0"])
def test_other_names_are_good(tmp_path, name):
    perdure.save(tmp_path / "c", TREE, checkpointable_name=name)
    same(perdure.load(tmp_path / "c"), TREE)
    same(perdure.load_checkpointables(tmp_path / "c"), {name: TREE})
    assert perdure.verify(tmp_path / "c").ok


def cyclic():
    value = []
    value.append(value)
    return {"a": value}


def deep():
    value = {}
    for _ in range(100_000):
        value = {"a": value}
    return value


@pytest.mark.parametrize("custom", [1, "x", [1], {"a": object()}, {(1,): 1}, {"a": {1, 2}}, {"a": np.float32(1)}, {"a": 10**5000}, cyclic(), deep()],
                         ids=["int", "text", "list", "object", "tuple key", "set", "numpy", "huge", "cyclic", "deep"])
def test_custom_metadata_that_is_no_json_object_is_refused(tmp_path, custom):
    with pytest.raises(perdure.Error, match="custom_metadata"):
        perdure.save(tmp_path / "c", 1, custom_metadata=custom)
    assert not list(tmp_path.iterdir())


def test_custom_metadata_travels_along(tmp_path):
    custom = {"a": [1, None, {"b": 2.5}], "big": 10**400, "inf": float("inf"), "\ud800": "\ud800", "": {}}
    perdure.save(tmp_path / "c", 1, custom_metadata=custom)
    assert perdure.metadata(tmp_path / "c").custom_metadata == custom


@pytest.mark.parametrize("call", [
    lambda path: perdure.save(path, 1, overwrite="yes"), lambda path: perdure.save(path, 1, base=3), lambda path: perdure.save_checkpointables(path, None),
    lambda path: perdure.save_checkpointables(path, [("a", 1)]), lambda path: perdure.load_checkpointables(path, 1),
    lambda path: perdure.load_checkpointables(path, ["state"]), lambda path: perdure.load_checkpointables(path, {1: None}),
    lambda path: perdure.load(path, checkpointable_name=1), lambda path: perdure.metadata(path, 1),
])  # fmt: skip
def test_arguments_of_other_types_are_named(tmp_path, call):
    perdure.save(tmp_path / "c", 1)
    with pytest.raises(perdure.InputTypeError, match=r"^\w+: expected a .*, found '\w+'$"):
        call(tmp_path / "c")
