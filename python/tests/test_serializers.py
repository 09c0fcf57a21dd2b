"""Types registered with perdure.tree.register_serializer, in perdure.save and perdure.load."""

import collections
import dataclasses

import numpy as np
import perdure
import pytest
from perdure import tree


class Ledger:
    """State that no walk can see: a list of entries and an optional budget."""

    def __init__(self, entries=(), budget=None):
        self.entries, self.budget = list(entries), budget


def nested(depth):
    value = {"end": 2**200}
    for _ in range(depth):
        value = {"next": value}
    return value


@pytest.fixture(autouse=True)
def registered():
    def save(ledger):
        out = {"entries": ledger.entries}
        if ledger.budget is not None:
            out["budget"] = {"epsilon": ledger.budget}
        return out

    def load(template, sd):
        return Ledger(sd.get("entries", template.entries), sd["budget"]["epsilon"] if "budget" in sd else template.budget)

    tree.register_serializer(Ledger, save, load)


def test_without_a_template_it_is_a_plain_dict(tmp_path):
    perdure.save(tmp_path / "c", {"acct": Ledger([("gauss", 2)], 3.0), "step": 4})
    assert perdure.load(tmp_path / "c") == {"acct": {"entries": [("gauss", 2)], "budget": {"epsilon": 3.0}}, "step": 4}


def test_a_template_rebuilds_it_from_the_keys_that_were_saved(tmp_path):
    perdure.save(tmp_path / "c", {"acct": [Ledger([("gauss", 2)], 3.0)], "w": np.arange(3.0)})
    back = perdure.load(tmp_path / "c", {"acct": [Ledger()], "w": np.zeros(3)})
    (ledger,) = back["acct"]
    assert type(ledger) is Ledger and ledger.entries == [("gauss", 2)] and ledger.budget == 3.0
    assert back["w"].tolist() == [0.0, 1.0, 2.0]


def test_the_template_fills_what_the_checkpoint_lacks(tmp_path):
    perdure.save(tmp_path / "c", Ledger(["a"]))
    assert perdure.load(tmp_path / "c", Ledger(budget=2.0)).budget == 2.0


def test_subclasses_use_the_nearest_base(tmp_path):
    class Audited(Ledger):
        pass

    perdure.save(tmp_path / "c", {"acct": Audited(["a"])})
    assert perdure.load(tmp_path / "c", {"acct": Audited()})["acct"].entries == ["a"]


def test_arrays_in_the_relative_dict_are_stored_as_arrays(tmp_path):
    class Box:
        def __init__(self, w):
            self.w = w

    tree.register_serializer(Box, lambda b: {"w": b.w, "more": {"m": b.w * 2}}, lambda t, sd: Box(sd["w"] + sd["more"]["m"]))
    w = np.arange(1000, dtype=np.float32)
    perdure.save(tmp_path / "c", {"box": Box(w), "w": w})
    assert perdure.metadata(tmp_path / "c").metadata["box"]["w"].shape == (1000,)
    back = perdure.load(tmp_path / "c", {"box": Box(None), "w": np.zeros(1000, np.float32)})
    assert np.array_equal(back["box"].w, w * 3) and np.array_equal(back["w"], w)


def test_a_registered_container_is_no_container(tmp_path):
    @dataclasses.dataclass
    class Hidden:
        a: int
        secret: object = None

    tree.register_serializer(Hidden, lambda h: {"": h.a}, lambda t, sd: Hidden(sd[""], t.secret))
    perdure.save(tmp_path / "c", {"h": Hidden(5, object())})
    assert perdure.load(tmp_path / "c") == {"h": {"": 5}}
    assert perdure.load(tmp_path / "c", {"h": Hidden(0, "kept")})["h"] == Hidden(5, "kept")


def test_an_inert_type_comes_from_the_template(tmp_path):
    class Spec:
        pass

    tree.register_template_restored(Spec)
    perdure.save(tmp_path / "c", {"spec": Spec(), "n": 1})
    spec = Spec()
    assert perdure.load(tmp_path / "c", {"spec": spec, "n": 0}) == {"spec": spec, "n": 1}
    assert perdure.load(tmp_path / "c") == {"spec": {}, "n": 1}


def test_a_checkpoint_without_the_slot_gives_the_serializer_nothing(tmp_path):
    perdure.save(tmp_path / "c", {"n": 1})
    assert perdure.load(tmp_path / "c", {"n": 0, "acct": Ledger(["kept"])})["acct"].entries == ["kept"]


def test_an_error_of_the_serializer_keeps_its_object_and_names_the_key(tmp_path):
    class Bad(Ledger):
        pass

    boom = KeyError("boom")

    def fail(*_):
        raise boom

    perdure.save(tmp_path / "c", {"deep": [{"acct": Ledger()}]})
    tree.register_serializer(Bad, fail, fail)
    with pytest.raises(KeyError) as error:
        perdure.load(tmp_path / "c", {"deep": [{"acct": Bad()}]})
    assert error.value is boom and any("deep.0.acct" in note for note in boom.__notes__)
    with pytest.raises(KeyError) as error:
        perdure.save(tmp_path / "d", {"deep": [{"acct": Bad()}]})
    assert error.value is boom and any("deep.0.acct" in note for note in boom.__notes__)


def test_what_a_serializer_gives_must_be_a_mapping_that_can_be_saved(tmp_path):
    class Odd:
        gives = [1]

    tree.register_serializer(Odd, lambda o: o.gives, lambda t, sd: t)
    with pytest.raises(perdure.InputTypeError, match="'Odd' gave a 'list'.* at 'a.b'"):
        perdure.save(tmp_path / "c", {"a": {"b": Odd()}})
    Odd.gives = {"x": {1, 2}}
    with pytest.raises(perdure.InputTypeError, match="'set' at 'a.b.x'"):
        perdure.save(tmp_path / "c", {"a": {"b": Odd()}})


@pytest.mark.parametrize("depth", [1, 600])
def test_a_flat_dict_is_storable_as_it_is(tmp_path, depth):
    class Process:
        def __init__(self, process=None):
            self.process = process

    tree.register_serializer(Process, lambda p: {"process": p.process}, lambda t, sd: Process(sd["process"]))
    state = {"acct": Process(nested(depth)), "w": np.arange(4), "big": 2**64, "n": None}
    flat = tree.state_dict(state)
    perdure.save(tmp_path / "c", flat)
    stored = perdure.load(tmp_path / "c")
    assert list(stored) == ["acct.process", "w", "big", "n"] and stored["big"] == 2**64
    back = tree.from_state_dict({"acct": Process(), "w": np.zeros(4, int), "big": 0, "n": 1}, stored)
    value = back["acct"].process
    for _ in range(depth):
        value = value["next"]
    assert value == {"end": 2**200} and back["w"].tolist() == [0, 1, 2, 3] and back["n"] is None


@pytest.mark.parametrize("array", [np.array([None, "x"], dtype=object), np.array(["aa"]), np.array(["2020-01-01"], "M8[D]"),
                                   np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])], ids=["object", "str", "datetime", "struct"])
def test_arrays_that_have_no_stored_form_are_refused_by_name(tmp_path, array):
    with pytest.raises(perdure.InputTypeError, match=r"dtype .* at 'opt\[0\]'"):
        perdure.save(tmp_path / "c", tree.state_dict({"opt": [array]}))


def test_defaultdicts_of_serialized_objects_keep_their_class(tmp_path):
    state = collections.defaultdict(list, a=Ledger(["x"]))
    perdure.save(tmp_path / "c", state)
    back = perdure.load(tmp_path / "c", collections.defaultdict(list, a=Ledger()))
    assert type(back) is collections.defaultdict and back["a"].entries == ["x"] and back["new"] == []
