"""What perdure writes is read equal by Orbax v1 and v0, TensorStore, zarr-python and the independent reference reader."""

import os
import pathlib
import subprocess
import sys
import zlib

import ml_dtypes
import numpy as np
import pytest
from dtypes import BITS, DTYPES, OF_NUMPY, OF_ZARR, OURS, is_below_a_byte

import perdure

os.environ.setdefault("JAX_PLATFORMS", "cpu")

SHAPES = [(), (1,), (7,), (3, 5), (2, 3, 4), (1, 1, 1, 1), (513, 3), (0,), (3, 0, 2), (2,) * 8]


def values(dtype_name: str, shape: tuple) -> np.ndarray:
    dtype = DTYPES[dtype_name]
    rng = np.random.default_rng(zlib.crc32(f"{dtype_name}{shape}".encode()))
    small = np.asarray(rng.integers(0, 2, shape))
    return np.asarray(small.astype(np.float32).astype(dtype) if dtype_name not in OF_NUMPY else (small * 3 - 1).astype(dtype))


def layouts() -> dict:
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    return {
        "transposed": base.T,
        "strided": base[::2, 1::3],
        "reversed": base[::-1],
        "fortran": np.asfortranarray(base),
        "broadcast": np.broadcast_to(np.float32(3), (4, 4)),
    }


def slices() -> dict:
    """Parts and transposes of one array."""
    base = np.arange(30_000, dtype=np.int32).reshape(100, 20, 15)
    return {"base": base, "rows": base[7:50], "turned": base.T, "permuted": base[3:9].transpose(2, 0, 1), "flat": base.reshape(-1)[33:29_000]}


def state() -> dict:
    """Every dtype, several ranks and layouts, nested."""
    arrays = {name: {str(i): values(name, shape) for i, shape in enumerate(SHAPES)} for name in OF_ZARR}
    return {"arrays": arrays, "layouts": layouts(), "slices": slices(), "list": [np.ones(3), [np.zeros(2, np.int8)]], "n": 7, "f": 0.5, "t": True, "s": "text"}


def flat(tree, prefix="") -> dict:
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    out = {}
    for key, value in items:
        out.update(flat(value, f"{prefix}{key}.") if isinstance(value, (dict, list)) else {f"{prefix}{key}": value})
    return out


def assert_same(got, want, where):
    if not isinstance(want, np.ndarray):
        assert type(got) is type(want) and got == want, where
        return
    got = np.asarray(got)
    assert got.dtype == want.dtype and got.shape == want.shape, where
    assert got.tobytes() == want.tobytes(), where


def assert_same_trees(got, want):
    got, want = flat(got), flat(want)
    assert got.keys() == want.keys()
    for key in want:
        assert_same(got[key], want[key], key)


def save(path, tree, **saving):
    context = perdure.Context()
    for name, value in saving.items():
        setattr(context.array.saving, name, value)
    with context:
        perdure.save(path, tree)


WAYS = [
    pytest.param({}, id="default"),
    pytest.param({"use_compression": True}, id="zstd"),
    pytest.param({"use_zarr3": False}, id="zarr2"),
    pytest.param({"use_zarr3": False, "use_compression": True}, id="zarr2-zstd"),
    pytest.param({"use_ocdbt": False}, id="directories"),
]


@pytest.mark.parametrize("saving", WAYS)
def test_orbax_v1_reads_it(tmp_path, saving):
    ocp = pytest.importorskip("orbax.checkpoint.experimental.v1")
    save(tmp_path / "c", state(), **saving)
    assert_same_trees(ocp.load(tmp_path / "c"), state())


@pytest.mark.parametrize("saving", WAYS)
def test_orbax_v0_reads_the_item(tmp_path, saving):
    ocp = pytest.importorskip("orbax.checkpoint")
    save(tmp_path / "c", state(), **saving)
    assert_same_trees(ocp.PyTreeCheckpointer().restore(tmp_path / "c" / "state"), state())


def test_orbax_sees_all_checkpointables(tmp_path):
    ocp = pytest.importorskip("orbax.checkpoint.experimental.v1")
    trees = {"model": {"w": np.arange(5.0)}, "optimizer": {"mu": np.ones((2, 3), np.float32), "step": 3}}
    perdure.save_checkpointables(tmp_path / "c", trees, custom_metadata={"git": "abc"})
    got = ocp.load_checkpointables(tmp_path / "c")
    assert set(got) == set(trees)
    for name, tree in trees.items():
        assert_same_trees(got[name], tree)
    assert ocp.checkpointables_metadata(tmp_path / "c").custom_metadata == {"git": "abc"}


def test_orbax_restores_jax_arrays_and_random_keys(tmp_path):
    ocp = pytest.importorskip("orbax.checkpoint.experimental.v1")
    jax = pytest.importorskip("jax")
    tree = {"w": jax.numpy.arange(12.0).reshape(3, 4), "key": jax.random.key(7)}
    perdure.save(tmp_path / "c", tree)
    got = ocp.load(tmp_path / "c", tree)
    assert isinstance(got["w"], jax.Array) and np.array_equal(got["w"], tree["w"])
    assert np.array_equal(jax.random.key_data(got["key"]), jax.random.key_data(tree["key"]))


def jax_arrays_everywhere(jax):
    from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
    values = jax.numpy.arange(128.0).reshape(16, 8)
    specs = [("x", "y"), ("y",), (None, "x"), (("y", "x"),), ()]
    named = {"_".join(map(str, spec)) or "replicated": jax.device_put(values, NamedSharding(mesh, PartitionSpec(*spec))) for spec in specs}
    keys = jax.device_put(jax.random.split(jax.random.key(1), (4, 2)), NamedSharding(mesh, PartitionSpec("x", "y")))
    return {"named": named, "single": jax.device_put(values, SingleDeviceSharding(jax.devices()[5])), "free": values, "keys": keys,
            "int4": jax.device_put(values.astype("int4"), named["x_y"].sharding), "scalar": jax.device_put(values[0, 0], named["replicated"].sharding)}


@pytest.mark.filterwarnings("ignore:Sharding info not provided")
def test_orbax_puts_jax_arrays_where_they_were(tmp_path):
    v1, v0 = pytest.importorskip("orbax.checkpoint.experimental.v1"), pytest.importorskip("orbax.checkpoint")
    jax = pytest.importorskip("jax")
    tree = jax_arrays_everywhere(jax)
    perdure.save(tmp_path / "c", tree)
    for got in (v1.load(tmp_path / "c"), v0.PyTreeCheckpointer().restore(tmp_path / "c" / "state"), v0.StandardCheckpointer().restore(tmp_path / "c" / "state")):
        for key, want in flat(tree).items():
            array = flat(got)[key]
            assert array.sharding == want.sharding and array.dtype == want.dtype, key
            if key == "keys":
                array, want = jax.random.key_data(array), jax.random.key_data(want)
            assert_same(array, np.asarray(want), key)


@pytest.mark.filterwarnings("ignore:Sharding info not provided")
def test_a_parallel_map_of_which_orbax_has_no_words_is_read_on_one_device(tmp_path):
    v1, jax = pytest.importorskip("orbax.checkpoint.experimental.v1"), pytest.importorskip("jax")
    array = jax.pmap(lambda x: x + 1)(jax.numpy.arange(16.0).reshape(8, 2))
    perdure.save(tmp_path / "c", {"a": array})
    assert_same(v1.load(tmp_path / "c")["a"], np.asarray(array), "a")


def test_what_orbax_cannot_hold_does_not_hide_the_rest(tmp_path):
    ocp = pytest.importorskip("orbax.checkpoint.experimental.v1")
    tree = {"w": np.arange(3.0), "raw": b"\x00\xff", "big": 10**40, "z": 1 + 2j, "t": (1, 2), "by_int": {3: np.ones(2)}, "none": None}
    perdure.save(tmp_path / "c", tree)
    got = ocp.load(tmp_path / "c")
    assert np.array_equal(got["w"], tree["w"]) and np.array_equal(got["by_int"]["3"], tree["by_int"][3])
    assert list(got["t"]) == [1, 2] and got["none"] is None
    assert perdure.load(tmp_path / "c")["z"] == 1 + 2j


@pytest.mark.parametrize("saving", WAYS)
def test_tensorstore_reads_every_array(tmp_path, saving):
    ts = pytest.importorskip("tensorstore")
    save(tmp_path / "c", state(), **saving)
    directory = str(tmp_path / "c" / "state")
    kvstore = {"driver": "file", "path": directory + "/"}
    if saving.get("use_ocdbt", True):
        kvstore = {"driver": "ocdbt", "base": f"file://{directory}/"}
    for name, want in flat(state()).items():
        if isinstance(want, np.ndarray):
            spec = {"driver": "zarr3" if saving.get("use_zarr3", True) else "zarr", "kvstore": {**kvstore, "path": kvstore.get("path", "") + name + "/"}}
            assert_same(ts.open(spec, read=True).result().read().result(), want, name)


@pytest.mark.parametrize("use_compression", [False, True])
def test_zarr_python_reads_arrays_in_plain_directories(tmp_path, use_compression):
    zarr = pytest.importorskip("zarr")
    tree = {name: values(name, (5, 3)) for name in OF_NUMPY}
    for version in (3, 2):
        path = tmp_path / f"v{version}"
        save(path, tree, use_ocdbt=False, use_zarr3=version == 3, use_compression=use_compression)
        for name, want in tree.items():
            assert_same(zarr.open_array(path / "state" / name, mode="r")[...], want, name)


def test_the_reference_reader_agrees(tmp_path):
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
    import ocdbt_ref

    tree = {name: values(name, (5, 3)) for name in OF_ZARR}
    perdure.save(tmp_path / "c", tree)
    store = ocdbt_ref.open_store(str(tmp_path / "c" / "state"))
    assert sorted(ocdbt_ref.array_names(store)) == sorted(tree)
    for name, want in tree.items():
        got = ocdbt_ref.read_array(store, name)[0]
        assert got.tobytes() == _stored(want).tobytes(), name


def _stored(array: np.ndarray) -> np.ndarray:
    """Bytes as they lie in a chunk: of types below a byte only the low bits."""
    if not is_below_a_byte(array.dtype.name):
        return array
    return array.view(np.uint8) & np.uint8(2 ** BITS[array.dtype.name] - 1)


@pytest.mark.parametrize("dtype", OURS)
def test_types_that_no_peer_stores_are_marked_bytes_for_others(tmp_path, dtype):
    ts = pytest.importorskip("tensorstore")
    want = np.array([0, 1, 1, 0], np.float32).astype(getattr(ml_dtypes, dtype))
    perdure.save(tmp_path / "c", {"x": want})
    assert_same(perdure.load(tmp_path / "c")["x"], want, dtype)
    kvstore = {"driver": "ocdbt", "base": f"file://{tmp_path}/c/state/", "path": "x/"}
    array = ts.open({"driver": "zarr3", "kvstore": kvstore}, read=True).result()
    assert array.dtype.name == "uint8"
    assert dtype in str(array.spec().to_json()) or dtype in perdure.storage.open_kvstore(tmp_path / "c" / "state").read(b"x/zarr.json").decode()


def test_one_save_is_one_generation_and_few_files(tmp_path):
    ts = pytest.importorskip("tensorstore")
    perdure.save(tmp_path / "c", {f"layer{i}": {"w": np.full(100, i, np.float32)} for i in range(500)})
    files = [p for p in (tmp_path / "c").rglob("*") if p.is_file()]
    assert len(files) <= 10, files
    manifest = ts.ocdbt.dump(ts.KvStore.open(f"file://{tmp_path}/c/state/").result()).result()
    assert [version["generation_number"] for version in manifest["versions"]] == [1]
    assert manifest["version_tree_nodes"] == []


def test_import_needs_numpy_only():
    done = subprocess.run(
        [sys.executable, "-c", "import sys, perdure; print(sorted({m.partition('.')[0] for m in sys.modules} & {'torch', 'jax', 'tensorstore', 'orbax', 'zarr'}))"],
        capture_output=True, text=True, check=True,
    )
    assert done.stdout.strip() == "[]"
