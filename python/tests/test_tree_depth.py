"""Deep, wide and cyclic states in perdure.tree, and what they cost."""

import functools
import subprocess
import sys
import threading
import time
import typing

import perdure
import pytest
from perdure import tree
from perdure.errors import InputTypeError

torch = pytest.importorskip("torch")


class Moments(typing.NamedTuple):
    mu: typing.Any
    nu: typing.Any


def fresh_class():
    return type("Fresh", (), {})


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
