"""Random states through perdure.tree: what comes back is what went in, whatever the containers."""

import collections
import dataclasses
import random
import typing

import numpy as np
import perdure
import pytest
from perdure import tree
from perdure.errors import UnusedKeysWarning

torch = pytest.importorskip("torch")


class Pair(typing.NamedTuple):
    left: typing.Any
    right: typing.Any


@dataclasses.dataclass
class Record:
    a: typing.Any
    b: typing.Any = None


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    a: typing.Any


class Box:
    def __init__(self, inner):
        self.inner = inner

    def __eq__(self, other):
        return type(other) is Box and same(self.inner, other.inner)


@pytest.fixture(autouse=True)
def registered():
    tree.register_serializer(
        Box, lambda box: tree.state_dict(box.inner), lambda template, sd: Box(tree.from_state_dict(template.inner, sd))
    )


LEAVES = [
    lambda draw: None,
    lambda draw: draw.random() < 0.5,
    lambda draw: draw.randint(-(2**70), 2**70),
    lambda draw: draw.uniform(-1, 1),
    lambda draw: "".join(draw.choices("aé.[0]\ud800 ", k=draw.randint(0, 5))),
    lambda draw: np.array([draw.randint(0, 9) for _ in range(draw.randint(0, 3))], draw.choice(["i4", "f8", ">f4", "c8"])),
    lambda draw: torch.full((draw.randint(0, 2), 2), draw.random(), dtype=draw.choice([torch.float32, torch.bfloat16])),
    lambda draw: torch.nn.Parameter(torch.tensor(draw.random())),
]


def keys(draw, count):
    """No two spelled alike, none that a position or a field could spell."""
    return draw.sample(["w", "β", "two words", 7, ("p", 1), None, True, 0.5, "x" * 40], count)


def random_state(draw, depth):
    if depth == 0 or draw.random() < 0.2:
        return draw.choice(LEAVES)(draw)
    children = [random_state(draw, depth - 1) for _ in range(draw.randint(0, 4))]
    some = children + [0, 0]
    return draw.choice([
        lambda: children,
        lambda: tuple(children),
        lambda: dict(zip(keys(draw, len(children)), children)),
        lambda: collections.OrderedDict(zip(keys(draw, len(children)), children)),
        lambda: collections.defaultdict(list, zip(keys(draw, len(children)), children)),
        lambda: Pair(*some[:2]),
        lambda: Record(*some[:2]),
        lambda: Frozen(some[0]),
        lambda: Box(some[0]),
    ])()


def blank(state):
    """The same containers with other values in every leaf."""
    flat = {}
    for key, value in tree.state_dict(state).items():
        if isinstance(value, torch.Tensor):
            flat[key] = torch.zeros_like(value)
        else:
            flat[key] = np.zeros_like(value) if isinstance(value, np.ndarray) else "blank"
    return tree.from_state_dict(state, flat)


def same(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and torch.equal(a, b)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if dataclasses.is_dataclass(a):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    return a == b


@pytest.fixture(params=range(60))
def draw(request):
    return random.Random(request.param)


def test_a_random_state_comes_back(draw):
    state = random_state(draw, 5)
    flat = tree.state_dict(state)
    back = tree.from_state_dict(blank(state), flat)
    assert same(back, state)
    assert same(tree.state_dict(back), flat)


def test_the_order_of_the_flat_dict_does_not_matter(draw):
    state = random_state(draw, 4)
    items = list(tree.state_dict(state).items())
    draw.shuffle(items)
    assert same(tree.from_state_dict(blank(state), dict(items)), state)


@pytest.mark.filterwarnings("ignore::perdure.UnusedKeysWarning")
def test_missing_keys_keep_the_template_and_the_others_are_restored(draw):
    state = random_state(draw, 4)
    flat = tree.state_dict(state)
    template = blank(state)
    kept = {key: value for key, value in flat.items() if draw.random() < 0.5}
    out = tree.state_dict(tree.from_state_dict(template, kept))
    assert same(out, {key: kept.get(key, old) for key, old in tree.state_dict(template).items()})


def test_keys_that_the_template_lacks_are_all_told(draw):
    state = [draw.choice(LEAVES)(draw) for _ in range(5)]
    flat = tree.state_dict(state)
    extra = {f"gone.{i}": i for i in range(draw.randint(1, 4))}
    with pytest.warns(UnusedKeysWarning) as told:
        tree.from_state_dict(state, {**flat, **extra})
    assert all(repr(key) in str(told[0].message) for key in extra) and len(told) == 1


def test_the_flat_dict_survives_a_checkpoint(draw, tmp_path):
    state = {"state": random_state(draw, 4)}
    flat = tree.state_dict(state)
    perdure.save(tmp_path / "c", flat)
    assert same(tree.from_state_dict(blank(state), perdure.load(tmp_path / "c")), state)
