"""Serializers of perdure.tree: bases, errors and notes, what they may give."""

import subprocess
import sys
import threading
import types

import pytest
from perdure import _core, tree
from perdure._src.adapters import table
from perdure.errors import CheckpointError, InputTypeError, MismatchError

torch = pytest.importorskip("torch")


def fresh_class():
    return type("Fresh", (), {})


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


def test_a_thread_waits_until_another_has_met_a_library(monkeypatch):
    entered, go = threading.Event(), threading.Event()
    cls = type("Late", (), {"__module__": "slow_library.sub"})

    def register():
        entered.set()
        assert go.wait(10)
        _core._register_serializer(cls, lambda o: {"": "late"}, lambda t, sd: t)

    monkeypatch.setitem(sys.modules, "slow_tree", types.SimpleNamespace(register_classes=register))
    monkeypatch.setitem(table._unmet, "slow_library", table.Row("slow_library", ("slow_library",), None, "slow_tree"))
    flats = []
    threads = [threading.Thread(target=lambda: flats.append(tree.state_dict(cls()))) for _ in range(2)]
    threads[0].start()
    assert entered.wait(10)
    threads[1].start()
    threads[1].join(0.2)  # time to go wrong
    go.set()
    for thread in threads:
        thread.join()
    assert flats == [{"": "late"}] * 2
