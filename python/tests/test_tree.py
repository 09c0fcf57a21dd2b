"""perdure.tree: what it promises beyond the conformance suite."""

import collections
import collections.abc
import dataclasses
import enum
import functools
import subprocess
import sys
import threading
import time
import typing
import warnings

import numpy as np
import perdure
import pytest
from perdure import tree
from perdure.errors import CheckpointError, InputTypeError, MismatchError, UnusedKeysWarning

torch = pytest.importorskip("torch")


class Inner(collections.abc.MutableMapping):
    """Keeps its items in a dict that copy.copy would share."""

    def __init__(self):
        self.items_ = {}

    def __getitem__(self, key):
        return self.items_[key]

    def __setitem__(self, key, value):
        self.items_[key] = value

    def __delitem__(self, key):
        del self.items_[key]

    def __iter__(self):
        return iter(self.items_)

    def __len__(self):
        return len(self.items_)


def fresh_class(**attributes):
    return type("Fresh", (), attributes)


# ------------------------------------------------------------------------------------------------------------- unused keys
def warnings_of(template, sd):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        tree.from_state_dict(template, sd)
    return seen


def test_unused_keys_and_unfilled_arrays_are_told_once_with_every_name():
    template = {"a": torch.zeros(1), "b": torch.zeros(1), "opt": {}, "n": 0}
    (warning,) = warnings_of(template, {"a": torch.ones(1), "opt.0.exp_avg": torch.ones(1), "opt.0.step": 3, "gone": 1})
    assert warning.category is UnusedKeysWarning and warning.filename == __file__
    assert all(f"'{key}'" in str(warning.message) for key in ("opt.0.exp_avg", "opt.0.step", "gone", "b"))
    assert "'a'" not in str(warning.message) and "'n'" not in str(warning.message)


def test_a_complete_restore_warns_of_nothing():
    state = {"a": torch.ones(1), "b": [1, {"c": None}], "e": []}
    assert warnings_of(state, tree.state_dict(state)) == []


def test_a_serializer_has_asked_for_all_of_its_slice():
    cls = fresh_class()
    tree.register_serializer(cls, lambda o: {}, lambda t, sd: t)
    assert warnings_of({"k": cls()}, {"k": 1, "k.a": 2, "k[0]": 3}) == []


def test_the_warning_can_be_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnusedKeysWarning)
        with pytest.raises(UnusedKeysWarning):
            tree.from_state_dict({}, {"a": 1})


# ----------------------------------------------------------------------------------------------------------------- aliasing
@pytest.mark.parametrize("template", [torch.zeros(2), torch.nn.Parameter(torch.zeros(2)), np.zeros(2, np.float32), None, 5],
                         ids=["tensor", "parameter", "ndarray", "none", "int"])
def test_restored_values_never_alias_the_flat_dict(template):
    value = np.ones(2, np.float32) if isinstance(template, np.ndarray) else torch.ones(2)
    out = tree.from_state_dict({"x": template}, {"x": value})["x"]
    with torch.no_grad():
        out[:] = 7
    assert value.tolist() == [1.0, 1.0]


def test_a_plain_slot_copies_containers():
    value = {"l": [1, {"deep": [2]}], "t": (3, [4])}
    out = tree.from_state_dict({"x": None}, {"x": value})["x"]
    assert out == value
    out["l"][1]["deep"].append(9)
    out["t"][1].append(9)
    assert value == {"l": [1, {"deep": [2]}], "t": (3, [4])}


def test_what_a_serializer_gets_is_its_own():
    cls = fresh_class()
    tree.register_serializer(cls, lambda o: {}, lambda t, sd: dict(sd))
    flat = {"k.v": torch.ones(2), "k.d": {"x": [1]}}
    out = tree.from_state_dict({"k": cls()}, flat)["k"]
    out["v"].fill_(5)
    out["d"]["x"].append(2)
    assert flat["k.v"].tolist() == [1.0, 1.0] and flat["k.d"] == {"x": [1]}


def test_with_copy_false_what_fits_is_shared():
    flat = {"t": torch.ones(2), "n": np.ones(2), "c": [1]}
    out = tree.from_state_dict({"t": torch.zeros(2), "n": np.zeros(2), "c": None}, flat, copy=False)
    assert out["t"].data_ptr() == flat["t"].data_ptr() and np.shares_memory(out["n"], flat["n"]) and out["c"] is flat["c"]
    cast = tree.from_state_dict({"t": torch.zeros(2, dtype=torch.float64)}, {"t": flat["t"]}, copy=False)["t"]
    assert cast.dtype == torch.float64


# ------------------------------------------------------------------------------------------------------ the template is safe
def test_a_failing_restore_leaves_the_template_untouched():
    class Bad:
        pass

    def fail(template, sd):
        raise ValueError("no")

    tree.register_serializer(Bad, lambda o: {}, fail)
    inner = Inner()
    inner["w"] = 1
    template = {"a": [1, inner], "d": collections.OrderedDict(x=1), "bad": Bad()}
    with pytest.raises(ValueError):
        tree.from_state_dict(template, {"a[0]": 9, "a[1].w": 9, "d.x": 9})
    assert template["a"] == [1, inner] and inner.items_ == {"w": 1} and template["d"]["x"] == 1


def test_a_mapping_with_a_dict_of_its_own_is_not_shared():
    inner = Inner()
    inner["w"], inner["kept"] = 1, object.__new__(fresh_class())
    del inner["kept"]
    out = tree.from_state_dict(inner, {"w": 2})
    assert type(out) is Inner and out["w"] == 2 and inner["w"] == 1 and out.items_ is not inner.items_


# --------------------------------------------------------------------------------------------------------------- containers
class Moments(typing.NamedTuple):
    mu: typing.Any
    nu: typing.Any


class MyDict(dict):
    pass


class MyList(list):
    pass


def with_attribute(container, **attributes):
    for name, value in attributes.items():
        setattr(container, name, value)
    return container


CONTAINERS = {
    "OrderedDict": collections.OrderedDict(a=1),
    "defaultdict": collections.defaultdict(list, a=1),
    "Counter": collections.Counter(a=1),
    "MyDict": with_attribute(MyDict(a=1), tag="kept"),
    "MyList": with_attribute(MyList([1]), tag="kept"),
    "Moments": Moments(1, 2),
    "torch.Size": torch.Size([2, 3]),
    "UserDict": collections.UserDict(a=1),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_keep_their_class_and_what_it_adds(name):
    template = CONTAINERS[name]
    flat = {key: 10 + i for i, key in enumerate(tree.state_dict(template))}
    out = tree.from_state_dict(template, flat)
    assert type(out) is type(template) and tree.state_dict(out) == flat
    assert getattr(out, "default_factory", None) is getattr(template, "default_factory", None)
    assert getattr(out, "tag", None) == getattr(template, "tag", None)


def test_any_mapping_key_is_spelled_by_str():
    class Color(enum.Enum):
        RED = 1

    state = {Color.RED: 1, frozenset([1]): 2, 1j: 3, b"x": 4, (Color.RED,): 5}
    flat = tree.state_dict(state)
    assert list(flat) == [str(key) for key in state]
    assert tree.from_state_dict(state, flat) == state


def test_lone_surrogates_survive():
    state = {"\ud800": 1, "l": {"\udfff": [2]}}
    flat = tree.state_dict(state)
    assert flat == {"\ud800": 1, "l.\udfff[0]": 2}
    assert tree.from_state_dict(state, {"\ud800": 3, "l.\udfff[0]": 4}) == {"\ud800": 3, "l": {"\udfff": [4]}}


# -------------------------------------------------------------------------------------------------------------- dataclasses
@dataclasses.dataclass(frozen=True, slots=True)
class FrozenMoments:
    mu: typing.Any
    count: int = dataclasses.field(init=False, default=0)


@dataclasses.dataclass
class Scaled:
    a: int
    scale: dataclasses.InitVar[int]
    scaled: int = dataclasses.field(init=False)

    def __post_init__(self, scale):
        self.scaled = self.a * scale


@dataclasses.dataclass(init=False)
class OwnInit:
    a: int

    def __init__(self, path):
        self.a = len(path)


@dataclasses.dataclass
class Cached:
    a: int

    @functools.cached_property
    def double(self):
        return 2 * self.a


def test_frozen_slotted_with_a_field_that_init_does_not_take():
    template = FrozenMoments([1])
    out = tree.from_state_dict(template, {"mu[0]": 5, "count": 9})
    assert type(out) is FrozenMoments and (out.mu, out.count) == ([5], 9) and template.mu == [1] and template.count == 0


def test_an_init_var_without_default_does_not_stop_a_restore():
    out = tree.from_state_dict(Scaled(1, 2), tree.state_dict(Scaled(5, 3)))
    assert (out.a, out.scaled) == (5, 15)


def test_a_constructor_of_its_own_is_not_called():
    assert tree.from_state_dict(OwnInit("abc"), {"a": 8}).a == 8


def test_a_cached_property_of_the_template_does_not_survive():
    template = Cached(1)
    assert template.double == 2
    assert tree.from_state_dict(template, {"a": 10}).double == 20


def test_a_type_error_of_post_init_reaches_the_caller():
    @dataclasses.dataclass
    class Strict:
        a: int

        def __post_init__(self):
            if self.a > 1:
                raise TypeError("a is too large")

    with pytest.raises(TypeError, match="too large") as error:
        tree.from_state_dict({"s": Strict(1)}, {"s.a": 2})
    assert "'s'" in "".join(error.value.__notes__)


# ------------------------------------------------------------------------------------------------------------------- arrays
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


# --------------------------------------------------------------------------------------------------------------- serializers
def test_bases_count_in_c3_order_through_several():
    top, left, right = (fresh_class() for _ in range(3))
    a, b = type("A", (left, top), {}), type("B", (right, top), {})
    c = type("C", (a, b), {})
    order = [cls for cls in c.__mro__ if cls in (left, right, top)]
    for cls in reversed(order):  # the nearest one last
        tree.register_serializer(cls, lambda o, tag=order.index(cls): {"": tag}, lambda t, sd: t)
        assert tree.state_dict(c()) == {"": order.index(cls)}
    assert tree.resolve_serializer(c) == tree.lookup_serializer(order[0])


def test_an_error_of_perdure_raised_by_a_serializer_keeps_its_object():
    cls = fresh_class()
    boom = CheckpointError("budget does not match")

    def fail(*_):
        raise boom

    tree.register_serializer(cls, fail, fail)
    for call in (lambda: tree.state_dict({"l": [cls()]}), lambda: tree.from_state_dict({"l": [cls()]}, {})):
        with pytest.raises(CheckpointError) as error:
            call()
        assert error.value is boom
    assert boom.__notes__ == ["while saving 'l[0]'", "while restoring 'l[0]'"]


def test_notes_add_up_where_serializers_nest():
    outer = fresh_class()

    def fail(template, sd):
        return tree.from_state_dict({"x": [torch.zeros(1)]}, sd)

    tree.register_serializer(outer, lambda o: {}, fail)
    with pytest.raises(MismatchError) as error:
        tree.from_state_dict({"k": outer()}, {"k.x[0]": torch.zeros(2)})
    assert error.value.__notes__ == ["while restoring 'x[0]'", "while restoring 'k'"]


def test_a_serializer_must_give_a_mapping_with_str_keys():
    cls = fresh_class()
    for gives, why in (([1], "'Fresh' gave a 'list'"), ({1: 2}, "keys are str, found 'int'")):
        tree.register_serializer(cls, lambda o, gives=gives: gives, lambda t, sd: t)
        with pytest.raises(InputTypeError, match=why) as error:
            tree.state_dict({"k": cls()})
        assert "'k'" in "".join(error.value.__notes__)


def test_keys_of_a_serializer_that_meet_others_are_refused():
    cls = fresh_class()
    tree.register_serializer(cls, lambda o: {"a": 1}, lambda t, sd: t)
    with pytest.raises(InputTypeError, match="one key 'k.a'"):
        tree.state_dict({"k": cls(), "k.a": 2})


def test_a_user_may_replace_what_perdure_registers():
    code = """
import numpy as np
from perdure import tree
tree.register_serializer(np.ndarray, lambda a: {"shape": str(a.shape)}, lambda t, sd: sd["shape"])
assert tree.state_dict({"a": np.zeros(2)}) == {"a.shape": "(2,)"}
import torch
tree.register_serializer(torch.Tensor, lambda t: {"mine": 1}, lambda t, sd: t)
assert tree.state_dict({"a": torch.zeros(2)}) == {"a.mine": 1}
assert list(tree.state_dict({"a": torch.nn.Parameter(torch.zeros(2))})) == ["a"]
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_importing_it_imports_no_framework():
    code = "import sys, perdure.tree as t; t.state_dict({'a': [1]}); sys.exit(any(m in sys.modules for m in ('torch', 'jax', 'optree')))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("call", [lambda: tree.register_serializer("x", len, len), lambda: tree.register_serializer(fresh_class(), 1, len),
                                  lambda: tree.lookup_serializer(3), lambda: tree.from_state_dict({}, [1]),
                                  lambda: tree.from_state_dict({}, {1: 2}), lambda: tree.from_state_dict({}, {}, copy=1)])
def test_wrong_arguments_are_named(call):
    with pytest.raises(InputTypeError):
        call()


# --------------------------------------------------------------------------------------------------------------------- depth
@pytest.mark.parametrize("wrap", [lambda o: [o], lambda o: {"k": o}, lambda o: (o,), lambda o: Moments(o, 0)],
                         ids=["list", "dict", "tuple", "namedtuple"])
def test_a_hundred_thousand_levels_work_both_ways(wrap):
    state = 1
    for _ in range(100_000):
        state = wrap(state)
    if isinstance(state, tuple) and hasattr(state, "mu"):
        state = functools.reduce(lambda o, _: wrap(o), range(2_000), 1)  # every level has a leaf: the keys grow quadratically
    flat = tree.state_dict(state)
    marked = {key: 5 for key in flat}
    assert tree.state_dict(tree.from_state_dict(state, marked)) == marked


@pytest.mark.parametrize("op", [lambda o: tree.state_dict(o), lambda o: tree.from_state_dict(o, {})], ids=["save", "restore"])
def test_a_cycle_is_refused_with_its_key(op):
    cycle = {"a": [1]}
    cycle["a"].append({"b": cycle})
    with pytest.raises(InputTypeError, match=r"contains itself at 'a\[1\].b'"):
        op(cycle)


# --------------------------------------------------------------------------------------------------------------------- costs
def seconds(function, repeat=3):
    times = []
    for _ in range(repeat):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.slow
def test_time_grows_with_the_number_of_leaves_and_not_faster():
    def both(n):
        state = {f"layer{i // 100}": {f"p{j}": j for j in range(i, i + 100)} for i in range(0, n, 100)}
        flat = tree.state_dict(state)
        return seconds(lambda: tree.state_dict(state)) + seconds(lambda: tree.from_state_dict(state, flat))

    assert both(800_000) < 16 * both(100_000)


@pytest.mark.slow
def test_many_serializers_restore_in_linear_time():
    cls = fresh_class()
    tree.register_serializer(cls, lambda o: {"a": 1, "b": 2}, lambda t, sd: t)

    def restore(n):
        state = {f"k{i}": cls() for i in range(n)}
        flat = tree.state_dict(state)
        return seconds(lambda: tree.from_state_dict(state, flat))

    assert restore(80_000) < 20 * restore(8_000)


def test_threads_do_not_disturb_each_other():
    state = {"w": torch.ones(4), "l": list(range(1000))}
    results = []

    def work():
        for _ in range(20):
            results.append(len(tree.state_dict(tree.from_state_dict(state, tree.state_dict(state)))))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [1001] * 80


def test_the_flat_dict_of_tensors_passes_torch_load_of_weights_only(tmp_path):
    state = {"w": torch.ones(2), "opt": [torch.zeros(3, dtype=torch.bfloat16)]}
    torch.save(tree.state_dict(state), tmp_path / "f.pt")
    back = tree.from_state_dict(state, torch.load(tmp_path / "f.pt", weights_only=True))
    assert torch.equal(back["opt"][0], state["opt"][0])


def test_a_flat_dict_travels_through_a_checkpoint(tmp_path):
    net = torch.nn.Linear(3, 2)
    opt = torch.optim.Adam(net.parameters())
    net(torch.ones(1, 3)).sum().backward()
    opt.step()
    state = {"net": net.state_dict(), "opt": opt.state_dict(), "history": [1.5, None, "x"]}
    perdure.save(tmp_path / "c", tree.state_dict(state))
    code = """
import sys, torch, perdure
from perdure import tree
net = torch.nn.Linear(3, 2)
opt = torch.optim.Adam(net.parameters())
net(torch.zeros(1, 3)).sum().backward()
opt.step()
back = tree.from_state_dict({"net": net.state_dict(), "opt": opt.state_dict(), "history": [0.0, 1, ""]}, perdure.load(sys.argv[1]))
print([float(back["net"]["weight"].sum()), float(back["opt"]["state"][0]["exp_avg"].sum()), back["history"]])
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code, str(tmp_path / "c")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    want = [float(net.weight.detach().sum()), float(opt.state_dict()["state"][0]["exp_avg"].sum()), [1.5, None, "x"]]
    assert done.stdout.strip() == repr(want)
