"""The low-level door: keys and values of a store, and arrays read by index."""

import random

import numpy as np
import pytest
from exact import random_array, same

import perdure


@pytest.fixture
def item(tmp_path):
    perdure.save(tmp_path / "c", {"w": random_array("float32", (7, 5, 6)), "n": {"\ud800": np.arange(3)}, "zero": np.float64(4)})
    return tmp_path / "c" / "state"


def random_index(rng, shape):
    def part(size):
        kind = rng.randrange(4)
        if kind == 0:
            return rng.randrange(-size, size)
        bound = lambda: rng.choice([None, rng.randrange(-size - 2, size + 3)])  # noqa: E731
        return slice(bound(), bound(), rng.choice([None, 1, 2, 3, -1, -2, size + 1, -size]))

    parts = [part(size) for size in shape]
    cut = rng.randrange(len(parts) + 1)
    if rng.random() < 0.5:
        return (*parts[:cut], ..., *parts[len(parts) - rng.randrange(len(parts) - cut + 1):])
    return tuple(parts[:cut])


@pytest.mark.parametrize("ocdbt", [True, False])
@pytest.mark.parametrize("chunk_bytes", [None, 64])
def test_an_index_gives_what_numpy_gives(tmp_path, ocdbt, chunk_bytes):
    whole = random_array("int16", (7, 5, 6))
    context = perdure.Context()
    context.array.saving.use_ocdbt, context.array.saving.storage_options.chunk_byte_size = ocdbt, chunk_bytes
    with context:
        perdure.save(tmp_path / "c", {"w": whole})
    array = perdure.storage.open_array(tmp_path / "c" / "state", "w")
    assert (array.shape, array.dtype, array.ndim, len(array)) == (whole.shape, whole.dtype, 3, 7)
    assert np.prod(array.chunk_shape) * 2 <= (chunk_bytes or 1 << 20)
    rng = random.Random(1)
    for index in [(), ..., 3, -1, slice(None), (..., 0), (0, ...), (0, 0, 0), *(random_index(rng, whole.shape) for _ in range(300))]:
        got, want = array[index], whole[index]
        assert got.shape == want.shape and got.tobytes() == want.tobytes() and type(got) is type(want), index
    same(np.asarray(array), whole)


@pytest.mark.parametrize("index", ["x", None, 1.0, True, [0, 1], np.array([0]), slice("a"), (0, 0, 0, 0), (..., ...), 7, -8, 2**70, slice(None, None, 0)], ids=repr)
def test_other_indices_are_refused(item, index):
    with pytest.raises((IndexError, TypeError, ValueError)):
        perdure.storage.open_array(item, "w")[index]


def test_arrays_of_odd_names_and_ranks(item):
    same(perdure.storage.open_array(item, "n.\ud800")[:], np.arange(3))
    zero = perdure.storage.open_array(item, "zero")
    assert zero.shape == () and zero[...].tolist() == 4 and zero[()] == 4
    with pytest.raises(TypeError, match="without axes"):
        len(zero)


def test_keys_are_sorted_bytes_and_give_their_values(item):
    store = perdure.storage.open_kvstore(item)
    keys = store.list()
    assert keys == sorted(keys) and all(type(key) is bytes for key in keys)
    assert b"w/zarr.json" in keys and "n.\ud800/zarr.json".encode(errors="surrogatepass") in keys
    assert store.list(b"w/") == [key for key in keys if key.startswith(b"w/")]
    assert all(type(store.read(key)) is bytes for key in keys)
    files = perdure.storage.open_kvstore(item, format="file")
    assert files.read(b"manifest.ocdbt") == (item / "manifest.ocdbt").read_bytes()
    assert perdure.storage.open_kvstore(item, format="memory").list() == []


def test_a_store_is_not_left(item):
    with pytest.raises(perdure.InvalidError, match=r"'\.\.'"):
        perdure.storage.open_kvstore(item, format="file").read(b"../_CHECKPOINT_METADATA")


@pytest.mark.parametrize("call, error", [
    (lambda item: perdure.storage.open_kvstore(item).read(b"nope"), perdure.NotFoundError),
    (lambda item: perdure.storage.open_kvstore(item).read("w"), perdure.InputTypeError),
    (lambda item: perdure.storage.open_kvstore(item).list(None), perdure.InputTypeError),
    (lambda item: perdure.storage.open_kvstore(item, generation=99), perdure.NotFoundError),
    (lambda item: perdure.storage.open_kvstore(item, generation=-1), perdure.InvalidError),
    (lambda item: perdure.storage.open_kvstore(item, generation="1"), perdure.InputTypeError),
    (lambda item: perdure.storage.open_kvstore(item, format="zip"), perdure.InvalidError),
    (lambda item: perdure.storage.open_kvstore(item, format=1), perdure.InputTypeError),
    (lambda item: perdure.storage.open_kvstore(item / "nope"), perdure.NotFoundError),
    (lambda item: perdure.storage.open_kvstore(7), perdure.InputTypeError),
    (lambda item: perdure.storage.open_array(item, "nope"), perdure.NotFoundError),
    (lambda item: perdure.storage.open_array(item, 1), perdure.InputTypeError),
    (lambda item: perdure.storage.open_array(item / "nope"), perdure.NotFoundError),
])  # fmt: skip
def test_wrong_arguments_are_named(item, call, error):
    with pytest.raises(error) as caught:
        call(item)
    assert "incompatible function arguments" not in str(caught.value)
