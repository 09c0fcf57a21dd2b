"""What ParamInfo, SaveArgs and RestoreArgs ask of the native type handlers."""

import asyncio
import json
import logging
import pathlib
import shutil
import threading
import warnings

import numpy as np
import pytest

import perdure
from perdure.type_handlers import (
    ArrayHandler,
    NumpyHandler,
    ParamInfo,
    RestoreArgs,
    SaveArgs,
    ScalarHandler,
    StringHandler,
    TransferPriority,
    limits,
)


def info(directory, name="w", **settings):
    return ParamInfo(name=name, parent_dir=directory, **{"use_zarr3": True, **settings})


def write(handler, values, infos, args=None):
    for future in asyncio.run(handler.serialize(values, infos, args)):
        future.result()


def read(handler, infos, args=None):
    return list(asyncio.run(handler.deserialize(infos, args)))


def codecs(directory, name="w"):
    return [codec["name"] for codec in json.loads((directory / name / "zarr.json").read_text())["codecs"]]


@pytest.mark.parametrize("handler, value", [(NumpyHandler(), np.ones(3)), (ScalarHandler(), 1), (StringHandler(), "x")])
def test_skip_deserialize_reads_nothing(tmp_path, handler, value):
    write(handler, [value], [info(tmp_path, "there")])
    got = read(handler, [info(tmp_path, "missing", skip_deserialize=True), info(tmp_path, "there")])
    assert got[0] is None and np.all(got[1] == value)


def test_a_missing_chunk_is_an_error_unless_it_may_be_the_fill_value(tmp_path):
    write(NumpyHandler(), [np.arange(1, 5)], [info(tmp_path)], [SaveArgs(chunk_byte_size=16)])
    (tmp_path / "w/c/1").unlink()
    with pytest.raises(perdure.CorruptError, match="missing chunk"):
        read(NumpyHandler(), [info(tmp_path)])
    got = read(NumpyHandler(), [info(tmp_path, raise_array_data_missing_error=False)])
    assert got[0].tolist() == [1, 2, 0, 0]


def test_write_shape_bounds_the_chunks(tmp_path):
    write(NumpyHandler(), [np.arange(48).reshape(8, 6)], [info(tmp_path, write_shape=(2, 6))])
    stored = asyncio.run(NumpyHandler().metadata([info(tmp_path)]))[0]
    assert stored.storage.chunk_shape == (2, 6) and stored.shape == (8, 6)


@pytest.mark.parametrize("compress", [True, False])
def test_use_compression(tmp_path, compress):
    write(NumpyHandler(), [np.zeros(1000)], [info(tmp_path, use_compression=compress)])
    assert ("zstd" in codecs(tmp_path)) == compress


@pytest.mark.parametrize("zarr3, file", [(True, "zarr.json"), (False, ".zarray")])
def test_use_zarr3(tmp_path, zarr3, file):
    write(NumpyHandler(), [np.ones(3)], [info(tmp_path, use_zarr3=zarr3)])
    assert (tmp_path / "w" / file).exists()
    assert read(NumpyHandler(), [info(tmp_path, use_zarr3=not zarr3)])[0].tolist() == [1, 1, 1]


def test_ocdbt_target_data_file_size_starts_new_files(tmp_path):
    one = info(tmp_path, is_ocdbt_checkpoint=True, use_compression=False, ocdbt_target_data_file_size=4096)
    write(NumpyHandler(), [np.arange(4096)], [one], [SaveArgs(chunk_byte_size=4096)])
    NumpyHandler().finalize(tmp_path)
    assert len(list((tmp_path / "d").iterdir())) == 8 + 1
    assert np.array_equal(read(NumpyHandler(), [one])[0], np.arange(4096))


def test_one_finalize_completes_the_database_of_all_handlers(tmp_path):
    settings = {"is_ocdbt_checkpoint": True}
    write(NumpyHandler(), [np.arange(5)], [info(tmp_path, "a", **settings)])
    write(ScalarHandler(), [7], [info(tmp_path, "b", **settings)])
    assert not (tmp_path / "manifest.ocdbt").exists()
    ScalarHandler().finalize(tmp_path)
    assert read(NumpyHandler(), [info(tmp_path, "a", **settings)])[0].tolist() == [0, 1, 2, 3, 4]
    assert read(ScalarHandler(), [info(tmp_path, "b")]) == [7]
    before = (tmp_path / "manifest.ocdbt").read_bytes()
    NumpyHandler().finalize(tmp_path)
    assert (tmp_path / "manifest.ocdbt").read_bytes() == before


def test_what_was_removed_before_it_was_finalized_is_forgotten(tmp_path):
    directory = tmp_path / "d"
    write(NumpyHandler(), [np.arange(700), np.ones(2)], [info(directory, name, is_ocdbt_checkpoint=True) for name in ("old", "small")])
    shutil.rmtree(directory)
    write(NumpyHandler(), [np.arange(900)], [info(directory, "new", is_ocdbt_checkpoint=True)])
    NumpyHandler().finalize(directory)
    keys = {key.split(b"/")[0] for key in perdure.storage.open_kvstore(directory).list()}
    assert b"new" in keys and b"old" not in keys
    assert read(NumpyHandler(), [info(directory, "new", is_ocdbt_checkpoint=True)])[0].tolist() == list(range(900))


def test_all_leaves_of_a_call_are_in_one_directory(tmp_path):
    infos = [info(tmp_path / "one", "a"), info(tmp_path / "two", "b")]
    for handler, values in ((NumpyHandler(), [np.ones(1)] * 2), (StringHandler(), ["x", "y"])):
        with pytest.raises(perdure.InvalidError, match="several directories"):
            write(handler, values, infos)
        with pytest.raises(perdure.InvalidError, match="several directories"):
            read(handler, infos)


@pytest.mark.parametrize("ocdbt", [False, True])
def test_two_leaves_of_one_name_are_refused(tmp_path, ocdbt):
    infos = [info(tmp_path, "w", is_ocdbt_checkpoint=ocdbt)] * 2
    for handler, values in ((NumpyHandler(), [np.ones(1), np.zeros(1)]), (ScalarHandler(), [1, 2]), (StringHandler(), ["x", "y"])):
        with pytest.raises(perdure.InvalidError, match="'w'"):
            write(handler, values, infos)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("handler, values", [
    (ScalarHandler(), [b"x", "x", None, 2**64, -(2**63) - 1, np.arange(2), [1], np.datetime64("2020")]), (StringHandler(), [b"x", 5, None]),
    (NumpyHandler(), [5, [1], None, np.array(["x"]), np.array([None])]), (ArrayHandler(), [5, None, "x"]),
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_what_a_handler_cannot_store_is_refused_at_once_and_named(tmp_path, handler, values):
    for value in values:
        with pytest.raises(perdure.InputTypeError) as raised:
            write(handler, [value], [info(tmp_path, "odd")])
        assert "odd" in str(raised.value) + str(getattr(raised.value, "__notes__", ""))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what, value", [("chunk_byte_size", -1), ("shard_axes", (-1,)), ("shard_axes", ("x",)), ("write_shape", (-1,))])
def test_what_is_no_count_is_named(tmp_path, what, value):
    infos = {"write_shape": value} if what == "write_shape" else {}
    args = {} if infos else {what: value}
    with pytest.raises(perdure.InvalidError, match=f"{what} of 'w'"):
        write(NumpyHandler(), [np.ones(4)], [info(tmp_path, "w", **infos)], [SaveArgs(**args)])


def test_every_handler_makes_its_directory(tmp_path):
    for i, (handler, value) in enumerate([(NumpyHandler(), np.ones(2)), (ScalarHandler(), 1), (StringHandler(), "x")]):
        write(handler, [value], [info(tmp_path / str(i) / "deep", "w")])
        assert np.array_equal(read(handler, [info(tmp_path / str(i) / "deep", "w")])[0], value)


def test_names_do_not_leave_the_directory(tmp_path):
    (tmp_path / "inside").mkdir()
    with pytest.raises(perdure.InvalidError):
        write(NumpyHandler(), [np.ones(1)], [info(tmp_path / "inside", "../w")])
    assert [p.name for p in tmp_path.iterdir()] == ["inside"]


class Counting:
    """A limiter of a user."""

    def __init__(self):
        self.taken = []

    async def wait_for_bytes(self, requested_bytes):
        self.taken.append(requested_bytes)

    async def release_bytes(self, requested_bytes):
        self.taken.append(-requested_bytes)


def test_limiters_of_users_are_asked_for_each_array(tmp_path):
    limiter = Counting()
    infos = [info(tmp_path, name, byte_limiter=limiter) for name in "ab"]
    write(NumpyHandler(), [np.ones(2), np.ones(4)], infos)
    assert limiter.taken == [16, -16, 32, -32]
    limiter.taken.clear()
    read(NumpyHandler(), infos)
    assert limiter.taken == [16, -16, 32, -32]


def test_limits_given_through_param_info_hold(tmp_path):
    write(NumpyHandler(), [np.ones(4)], [info(tmp_path, byte_limiter=limits.get_byte_limiter(32))])
    small = info(tmp_path, byte_limiter=limits.get_byte_limiter(31))
    with pytest.raises(perdure.InvalidError, match="32.*31"):
        write(NumpyHandler(), [np.ones(4)], [small])
    with pytest.raises(perdure.InvalidError, match="32.*31"):
        read(NumpyHandler(), [small])


def test_a_limit_is_free_again_after_a_write(tmp_path):
    limiter = limits.LimitInFlightBytes(40)
    for i in range(3):
        write(NumpyHandler(), [np.ones(4)], [info(tmp_path, f"w{i}", byte_limiter=limiter)])
    asyncio.run(asyncio.wait_for(limiter.wait_for_bytes(40), 5))


def test_no_warning_without_a_ts_context(tmp_path, caplog):
    with warnings.catch_warnings(), caplog.at_level(logging.INFO):
        warnings.simplefilter("error")
        write(NumpyHandler(), [np.ones(1)], [info(tmp_path, ts_context=None)])
    assert not caplog.records


def test_aggregate_warns_and_does_nothing(tmp_path):
    with pytest.warns(DeprecationWarning, match="aggregate"):
        args = SaveArgs(aggregate=True)
    write(NumpyHandler(), [np.arange(2)], [info(tmp_path)], [args])
    assert read(NumpyHandler(), [info(tmp_path)])[0].tolist() == [0, 1]


def test_restore_type_of_arrays(tmp_path):
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    write(NumpyHandler(), [np.arange(3, dtype=np.float32)], [info(tmp_path)])
    for handler in (NumpyHandler(), ArrayHandler()):
        for kind in (np.ndarray, jax.Array, torch.Tensor):
            (got,) = read(handler, [info(tmp_path)], [RestoreArgs(restore_type=kind)])
            assert isinstance(got, kind) and got.tolist() == [0, 1, 2]
    with pytest.raises(perdure.InputTypeError, match="dict"):
        read(NumpyHandler(), [info(tmp_path)], [RestoreArgs(restore_type=dict)])


def test_a_cast_that_changes_values_warns_once_with_every_name(tmp_path):
    infos = [info(tmp_path, name) for name in "abc"]
    write(NumpyHandler(), [np.array([1.5]), np.array([2.0]), np.array([2.5])], infos)
    with pytest.warns(perdure.LossyCastWarning) as caught:
        read(NumpyHandler(), infos, [RestoreArgs(dtype=np.int32)] * 3)
    assert [str(w.message).rpartition(": ")[2] for w in caught] == ["a, c"]


def test_is_prioritized_key_fn_of_param_info(tmp_path):
    asked = []

    def choose(keypath):
        asked.append(keypath)
        return TransferPriority.UNKNOWN if keypath == ("b",) else TransferPriority.SYNCHRONOUS

    write(NumpyHandler(), [np.ones(1)], [info(tmp_path, "a", keypath=("a",), is_prioritized_key_fn=choose)])
    with pytest.raises(perdure.InvalidError, match="'b'"):
        write(NumpyHandler(), [np.ones(1)], [info(tmp_path, "b", keypath=("b",), is_prioritized_key_fn=choose)])
    assert asked == [("a",), ("b",)]


def test_a_background_failure_is_raised_by_every_result(tmp_path):
    (tmp_path / "a file").write_text("")
    futures = asyncio.run(NumpyHandler().serialize([np.ones(1)], [info(tmp_path / "a file", "w")]))
    errors = []
    for _ in range(2):
        with pytest.raises(perdure.Error) as caught:
            futures[0].result()
        errors.append(caught.value)
    assert errors[0] is errors[1]


def test_random_keys_are_refused_rather_than_stored_as_numbers(tmp_path):
    jax = pytest.importorskip("jax")
    with pytest.raises(perdure.InputTypeError, match="random key"):
        write(ArrayHandler(), [jax.random.key(0)], [info(tmp_path)])


# ---- the real Orbax


@pytest.fixture(scope="module")
def orbax():
    pytest.importorskip("orbax.checkpoint")
    import orbax.checkpoint as v0
    from orbax.checkpoint._src.serialization import tensorstore_utils, types

    def make(directory, name, ocdbt=False, zarr3=True):
        from etils import epath

        context = tensorstore_utils.get_ts_context(use_ocdbt=ocdbt)
        return types.ParamInfo(
            name=name, parent_dir=epath.Path(directory), ts_context=context, is_ocdbt_checkpoint=ocdbt, use_zarr3=zarr3
        )

    return v0.type_handlers, make


@pytest.mark.parametrize("ocdbt", [False, True])
@pytest.mark.parametrize("zarr3", [False, True])
def test_handlers_of_orbax_read_ours(tmp_path, orbax, ocdbt, zarr3):
    theirs, make = orbax
    value = np.arange(40, dtype=np.float32).reshape(5, 8)
    write(NumpyHandler(), [value], [info(tmp_path, "w", is_ocdbt_checkpoint=ocdbt, use_zarr3=zarr3)])
    write(ScalarHandler(), [2.5], [info(tmp_path, "s", is_ocdbt_checkpoint=ocdbt, use_zarr3=zarr3)])
    write(StringHandler(), ["text"], [info(tmp_path, "t")])
    NumpyHandler().finalize(tmp_path)
    assert np.array_equal(read(theirs.NumpyHandler(), [make(tmp_path, "w", ocdbt, zarr3)])[0], value)
    assert read(theirs.ScalarHandler(), [make(tmp_path, "s", ocdbt, zarr3)]) == [2.5]
    assert read(theirs.StringHandler(), [make(tmp_path, "t")]) == ["text"]


@pytest.mark.parametrize("zarr3", [False, True])
def test_ours_read_handlers_of_orbax(tmp_path, orbax, zarr3):
    import jax.numpy as jnp

    theirs, make = orbax
    value = np.arange(40, dtype=np.float32).reshape(5, 8)
    write(theirs.NumpyHandler(), [value], [make(tmp_path, "w", zarr3=zarr3)])
    write(theirs.ScalarHandler(), [2.5], [make(tmp_path, "s", zarr3=zarr3)])
    write(theirs.StringHandler(), ["text"], [make(tmp_path, "t")])
    write(theirs.ArrayHandler(), [jnp.asarray(value)], [make(tmp_path, "j", zarr3=zarr3)], [SaveArgs()])
    assert np.array_equal(read(NumpyHandler(), [info(tmp_path, "w")])[0], value)
    assert read(ScalarHandler(), [info(tmp_path, "s")]) == [2.5]
    assert read(StringHandler(), [info(tmp_path, "t")]) == ["text"]
    assert np.array_equal(read(ArrayHandler(), [info(tmp_path, "j")])[0], value)


def test_pending_directories_do_not_block_the_loop(tmp_path):
    """Directories that appear only while the loop goes on: whoever blocked it would wait for ever."""

    class Pending:
        def __init__(self, path, created):
            self.path, self._created = path, created

        def __truediv__(self, name):
            return Pending(self.path / name, self._created)

        async def await_creation(self):
            await asyncio.to_thread(self._created.wait)
            self.path.mkdir(exist_ok=True)
            return self.path

    async def main():
        created = threading.Event()
        futures = await NumpyHandler().serialize([np.arange(3)], [info(Pending(pathlib.Path(tmp_path / "d"), created))])
        assert not futures[0].done()
        created.set()
        await asyncio.to_thread(futures[0].result)

    asyncio.run(main())
    assert read(NumpyHandler(), [info(tmp_path / "d")])[0].tolist() == [0, 1, 2]
