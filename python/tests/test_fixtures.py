"""Every directory that the real systems wrote reads back equal: raw keys, arrays, trees."""

import hashlib
import json
import os
import pathlib
from typing import NamedTuple

import numpy as np
import pytest

import perdure

os.environ.setdefault("JAX_PLATFORMS", "cpu")

FIXTURES = pathlib.Path(__file__).parents[2] / "tests" / "fixtures"


def rows(part: str) -> list:
    """(directory, name, expected) of every fixture that has this part."""
    return [
        pytest.param(path.parent / "data", name, expected, id=f"{path.parent.name}-{name}")
        for path in sorted(FIXTURES.glob("*/expected.json"))
        for name, expected in json.loads(path.read_text()).get(part, {}).items()
    ]


def sha256(data) -> str:
    return hashlib.sha256(data).hexdigest()


def array_digest(array) -> str:
    array = np.asarray(array)
    assert array.dtype.byteorder in "=|<" or array.dtype.isnative
    return sha256(np.ascontiguousarray(array).reshape(-1).view(np.uint8).tobytes())


@pytest.mark.parametrize("data, name, expected", rows("raw"))
def test_every_key_of_every_generation(data, name, expected):
    database, _, generation = name.partition("@")
    store = perdure.storage.open_kvstore(data / database, generation=int(generation) if generation else None)
    keys = store.list()
    assert keys == sorted(keys)
    assert {key.decode("latin-1"): sha256(store.read(key)) for key in keys} == expected


@pytest.mark.parametrize("data, name, expected", rows("arrays"))
def test_every_array(data, name, expected):
    for array_name, want in expected.items():
        array = perdure.storage.open_array(data / name, array_name)
        assert (array.dtype.name, list(array.shape)) == (want["dtype"], want["shape"]), array_name
        assert array_digest(array[...]) == want["sha256"], array_name


@pytest.mark.parametrize("data, name, expected", rows("arrays"))
def test_slices_equal_slices_of_the_whole(data, name, expected):
    for array_name in expected:
        array = perdure.storage.open_array(data / name, array_name)
        whole = array[...]
        for axis, size in enumerate(array.shape):
            index = (slice(None),) * axis + (slice(size // 3, size, 2),)
            assert array_digest(array[index]) == array_digest(whole[index]), array_name


def leaf_at(tree, path):
    for _, key in path:
        tree = tree[key] if not isinstance(tree, tuple) or isinstance(key, int) else getattr(tree, key)
    return tree


EMPTY = {"None": type(None), "Dict": dict, "List": list, "Tuple": tuple, "NamedTuple": tuple}


@pytest.mark.parametrize("data, name, expected", rows("trees"))
def test_every_leaf_of_every_tree(data, name, expected):
    tree = perdure.load(data / name)
    for leaf in expected:
        got = leaf_at(tree, leaf["path"])
        if leaf["kind"] in EMPTY:
            assert not got and (isinstance(got, EMPTY[leaf["kind"]]) or isinstance(got, list)), leaf
        elif leaf["kind"] in ("scalar", "string"):
            assert got == leaf["value"] and type(got) is type(leaf["value"]), leaf
        else:
            assert list(np.shape(got)) == leaf["shape"] and np.asarray(got).dtype.name == leaf["dtype"], leaf
            assert array_digest(got) == leaf["sha256"], leaf


@pytest.mark.parametrize("data, name, expected", rows("trees"))
def test_metadata_tells_shapes_and_dtypes(data, name, expected):
    tree = perdure.metadata(data / name).metadata
    for leaf in expected:
        if leaf["kind"] in ("jax.Array", "np.ndarray"):
            got = leaf_at(tree, leaf["path"])
            assert (list(got.shape), got.dtype.name) == (leaf["shape"], leaf["dtype"]), leaf


@pytest.mark.parametrize("data, name, expected", rows("trees"))
def test_verify_finds_no_fault(data, name, expected):
    report = perdure.verify(data / name)
    assert report.ok and report.bytes_checked > 0, report.faults


def test_a_step_of_a_manager_and_a_v1_directory_load_by_themselves():
    step = perdure.load(FIXTURES / "orbax_v0_manager" / "data" / "root" / "10")
    assert set(step) == {"n", "w"}
    assert "params" in perdure.load(FIXTURES / "orbax_v1_save" / "data" / "ckpt")
    assert "params" in perdure.load(FIXTURES / "orbax_v1_checkpointables" / "data" / "ckpt", checkpointable_name="pytree")


class Empty(NamedTuple):
    pass


def test_what_orbax_wrote_as_none_may_be_a_named_tuple_without_fields():
    path = FIXTURES / "orbax_v0_empty_values" / "data" / "ckpt"
    stored = perdure.load(path)
    got = perdure.load(path, stored | {"none": Empty()})
    assert type(got["none"]) is Empty and got["nest"][0]["a"][1] is None
    with pytest.raises(perdure.MismatchError, match="'x'"):
        perdure.load(path, stored | {"x": Empty()})
