"""What a template, ``only`` and the loading options make of a checkpoint."""

import copy
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest
from exact import random_array, same

import perdure

TREE = {"a": np.arange(6.0).reshape(2, 3), "b": {"c": [1, 2.5, "x", None, b"y"], "d": np.arange(4)}}


@pytest.fixture
def saved(tmp_path):
    perdure.save(tmp_path / "c", TREE)
    return tmp_path / "c"


def options(**loading):
    context = perdure.Context()
    for name, value in loading.items():
        setattr(context.pytree.loading if hasattr(context.pytree.loading, name) else context.array.loading, name, value)
    return context


def test_every_missing_and_unused_leaf_is_named_at_once(saved):
    with pytest.raises(perdure.MismatchError) as caught:
        perdure.load(saved, {"a": TREE["a"], "b": {"c": [1, 2.5, "x", None], "e": 1, "f": {"g": 2}}})
    assert str(caught.value).endswith("not in the checkpoint: 'b.e', 'b.f.g'; not in the template: 'b.c.4', 'b.d'")


def test_every_leaf_that_does_not_fit_is_named_at_once(saved):
    with pytest.raises(perdure.MismatchError) as caught:
        perdure.load(saved, {"a": np.zeros((3, 2)), "b": {"c": [1, 2.5, 0, None, b""], "d": np.zeros(5, int)}})
    assert str(caught.value) == (
        "shape of 'a' is (2, 3) in the checkpoint, (3, 2) in the template; 'b.c.2' is str in the checkpoint, int in the template; "
        "shape of 'b.d' is (4,) in the checkpoint, (5,) in the template")


def test_a_partial_load_reads_what_the_template_has(saved):
    with options(partial_load=True):
        same(perdure.load(saved, {"b": {"d": np.zeros(4, int)}}), {"b": {"d": TREE["b"]["d"]}})
        with pytest.raises(perdure.MismatchError, match="not in the checkpoint: 'new'$"):
            perdure.load(saved, {"new": 1})


def test_missing_leaves_are_kept_if_asked(saved):
    with options(missing="keep"):
        extra = np.ones(2)
        got = perdure.load(saved, {**TREE, "new": [extra, 7]})
        assert got["new"][0] is extra and got["new"][1] == 7
        same(got["a"], TREE["a"])
        with pytest.raises(perdure.MismatchError, match="not in the template: 'a'"):
            perdure.load(saved, {"b": TREE["b"], "new": 1})


@pytest.mark.parametrize("only, want", [
    (["a"], {"a": TREE["a"]}),
    (["b.c"], {"b": {"c": TREE["b"]["c"]}}),
    (["b.c.1", "b.c.3"], {"b": {"c": [2.5, None]}}),
    (["*.d", "a"], {"a": TREE["a"], "b": {"d": TREE["b"]["d"]}}),
    (("b.*.0",), {"b": {"c": [1]}}),
    (["*"], TREE),
])  # fmt: skip
def test_only_reads_the_paths_and_patterns(saved, only, want):
    same(perdure.load(saved, only=only), want)


@pytest.mark.parametrize("only, error", [("a", perdure.InvalidError), (b"a", perdure.InvalidError), (1, perdure.InputTypeError),
                                         ([1], perdure.InputTypeError), ([None], perdure.InputTypeError), ([], perdure.InvalidError),
                                         ([""], perdure.NotFoundError), (["a", "zz"], perdure.NotFoundError), (["b.c.9"], perdure.NotFoundError),
                                         (["a."], perdure.NotFoundError), (["\ud800"], perdure.NotFoundError)])  # fmt: skip
def test_an_only_that_selects_nothing_is_an_error(saved, only, error):
    with pytest.raises(error):
        perdure.load(saved, only=only)


def test_only_and_a_template_agree(saved):
    same(perdure.load(saved, {"a": np.zeros((2, 3))}, only=["a"]), {"a": TREE["a"]})
    with pytest.raises(perdure.MismatchError, match="not in the checkpoint: 'b.d'$"):
        perdure.load(saved, {"a": TREE["a"], "b": {"d": TREE["b"]["d"]}}, only=["a"])


def test_only_does_not_touch_the_rest(tmp_path):
    tree = {"a": random_array("float64", (9000,)), "b": random_array("float64", (9000,), seed=1)}
    perdure.save(tmp_path / "c", tree)
    spoil(tmp_path / "c", tree["b"])
    same(perdure.load(tmp_path / "c", only=["a"]), {"a": tree["a"]})
    with pytest.raises(perdure.CorruptError):
        perdure.load(tmp_path / "c", only=["b"])


def test_a_cast_that_changes_values_warns_once_with_every_key(tmp_path):
    tree = {"over": np.array([300]), "frac": {"x": np.array([1.5])}, "inf": np.array([1e300]), "fine": np.array([3.0])}
    template = {"over": np.zeros(1, np.int8), "frac": {"x": np.zeros(1, int)}, "inf": np.zeros(1, np.float32), "fine": np.zeros(1, int)}
    perdure.save(tmp_path / "c", tree)
    with pytest.warns(perdure.LossyCastWarning) as caught:
        perdure.load(tmp_path / "c", template)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert set(str(caught[0].message).rpartition(": ")[2].split(", ")) == {"over", "frac.x", "inf"}
    with options(raise_on_lossy_cast=True), pytest.raises(perdure.MismatchError, match="frac.x"):
        perdure.load(tmp_path / "c", template)


def test_a_placeholder_is_not_read_and_stays(tmp_path):
    tree = {"a": random_array("float64", (9000,)), "b": np.arange(3)}
    perdure.save(tmp_path / "c", tree)
    spoil(tmp_path / "c", tree["a"])
    got = perdure.load(tmp_path / "c", {"a": perdure.PLACEHOLDER, "b": np.zeros(3, int)})
    assert got["a"] is perdure.PLACEHOLDER
    same(got["b"], tree["b"])


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_there_is_one_placeholder(clone):
    assert clone(perdure.PLACEHOLDER) is perdure.PLACEHOLDER


def test_padding_and_truncation(saved):
    with options(enable_padding_and_truncation=True):
        got = perdure.load(saved, {"a": np.ones((3, 2)), "b": {"c": TREE["b"]["c"], "d": np.ones(6, int)}})
        same(got["a"], np.array([[0.0, 1], [3, 4], [0, 0]]))
        same(got["b"]["d"], np.array([0, 1, 2, 3, 0, 0]))
        with pytest.raises(perdure.MismatchError, match="shape of 'a'"):
            perdure.load(saved, {"a": np.ones(6), "b": TREE["b"]})


def test_metadata_is_a_template(saved):
    same(perdure.load(saved, perdure.metadata(saved).metadata), TREE)
    with options(partial_load=True):
        same(perdure.load(saved, {"a": perdure.metadata(saved).metadata["a"]}), {"a": TREE["a"]})


class Shaped:
    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


def test_anything_with_shape_and_dtype_is_a_template(saved):
    same(perdure.load(saved, {**TREE, "a": Shaped((2, 3), "float32")})["a"], TREE["a"].astype(np.float32))


@pytest.mark.parametrize("leaf", [object(), {1}, int, Shaped((2, 3), object()), Shaped(("x",), "float32"), Shaped((-2, 3), "float32"),
                                  np.zeros((2, 3), "M8[s]"), np.zeros((2, 3), "O"), np.zeros((2, 3), "U3")], ids=lambda leaf: type(leaf).__name__)
def test_a_template_leaf_that_makes_no_sense_is_named(saved, leaf):
    with pytest.raises(perdure.Error, match="'a'"):
        perdure.load(saved, {**TREE, "a": leaf})


def test_the_template_stays_as_it_was(saved):
    template = {"a": np.zeros((2, 3)), "b": {"c": [0, 0.0, "", None, b""], "d": np.zeros(4, int)}}
    before = copy.deepcopy(template)
    same(perdure.load(saved, template), TREE)
    same(template, before)


def spoil(path, array):
    """Flips a bit of the stored array."""
    needle = array.tobytes()
    for file in path.rglob("*"):
        data = bytearray(file.read_bytes()) if file.is_file() else bytearray()
        if (at := data.find(needle)) >= 0:
            data[at + 100] ^= 1
            file.write_bytes(data)
            return
    raise AssertionError("not stored as it is")


@pytest.mark.parametrize("mapped", [False, True])
def test_a_flipped_bit_is_noticed_unless_told_not_to_look(tmp_path, mapped):
    tree = {"w": random_array("uint8", (90_000,))}
    perdure.save(tmp_path / "c", tree)
    spoil(tmp_path / "c", tree["w"])
    with options(mapped=mapped), pytest.raises(perdure.CorruptError, match="crc32c") as caught:
        perdure.load(tmp_path / "c")
    assert "leaf w" in caught.value.__notes__
    with options(mapped=mapped, verify=False):
        assert (perdure.load(tmp_path / "c")["w"] != tree["w"]).sum() == 1


def test_a_mapped_array_is_private_writable_and_outlives_the_directory(tmp_path):
    tree = {"w": random_array("float32", (100_000,)), "v": np.arange(70_000)}
    perdure.save(tmp_path / "c", tree)
    with options(mapped=True):
        first, second = perdure.load(tmp_path / "c"), perdure.load(tmp_path / "c")
    first["w"][:] = 0
    assert perdure.verify(tmp_path / "c").ok and first["w"].ctypes.data % 64 == 0
    shutil.rmtree(tmp_path / "c")
    same(second, tree)
    same(first["v"], tree["v"])


def test_a_bound_on_bytes_is_kept(saved):
    with options(bytes_max=79), pytest.raises(perdure.InvalidError, match="need 80 bytes, the limit is 79"):
        perdure.load(saved)
    with options(bytes_max=80):
        same(perdure.load(saved), TREE)
    with options(bytes_max=32):
        same(perdure.load(saved, only=["b"]), {"b": TREE["b"]})


SAVE_AND_LOAD = """
import sys, warnings, numpy, perdure
tree = perdure.load(sys.argv[1])
assert not {"torch", "jax"} & set(sys.modules)
print({key: (type(value).__module__, str(value.dtype), value.tolist()) for key, value in tree.items()})
"""


def test_without_its_package_an_array_is_numpy(tmp_path):
    torch, jnp = pytest.importorskip("torch"), pytest.importorskip("jax.numpy")
    tree = {"t": torch.ones(2), "p": torch.nn.Parameter(torch.ones(2, dtype=torch.bfloat16)), "j": jnp.ones(2, jnp.int4)}
    perdure.save(tmp_path / "c", tree)
    out = subprocess.run([sys.executable, "-c", SAVE_AND_LOAD, tmp_path / "c"], check=True, capture_output=True, text=True)
    assert out.stdout == ("{'t': ('numpy', 'float32', [1.0, 1.0]), 'p': ('numpy', 'bfloat16', [1.0, 1.0]), 'j': ('numpy', 'int4', [1, 1])}\n")
    with options(as_numpy=True):
        assert {type(value) for value in perdure.load(tmp_path / "c").values()} == {np.ndarray}
    assert {key: type(value) for key, value in perdure.load(tmp_path / "c").items()} == {key: type(value) for key, value in tree.items()}
