"""Differentially private training state: tests/cases/dp_*.py, and the same states through a checkpoint and another process."""

import functools
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "cases"
NEEDS = {
    "dp_accountants": "import dp_accounting",
    "dp_optimizer_states": "import opake.optimizers",
    "dp_sgd_state": "import opake.accounting",  # its dataclasses need Python 3.12
}

STATES = """
import importlib, sys, warnings
import numpy as np
import perdure
from perdure import tree

sys.path.insert(0, sys.argv[1])
case = importlib.import_module(sys.argv[2])
case.register(tree)
warnings.simplefilter("error", perdure.UnusedKeysWarning)


def template():
    return {name: case.template(name) for name in case.MAKE} if hasattr(case, "MAKE") else case.template()


def state():
    if not hasattr(case, "MAKE"):
        return case.state()
    return {name: tree.from_state_dict(case.template(name), case.bump(tree.state_dict(case.template(name)))) for name in case.MAKE}


def same(a, b):
    return np.array_equal(a, b) and a.dtype == b.dtype if hasattr(a, "dtype") else a == b and type(a) is type(b)
"""
SAVE = STATES + "perdure.save(sys.argv[3], tree.state_dict(state()))\n"
LOAD = STATES + """
flat = perdure.load(sys.argv[3])
again = tree.state_dict(tree.from_state_dict(template(), flat))
assert list(again) == list(flat), (list(again), list(flat))
assert [key for key in flat if not same(again[key], flat[key])] == []
assert len(flat) > 2
"""


@functools.cache
def skip_without(case):
    done = subprocess.run([sys.executable, "-c", NEEDS[case]], capture_output=True, text=True, timeout=120)
    return done.stderr.strip().splitlines()[-1] if done.returncode else None


def run(case, *command):
    if reason := skip_without(case):
        pytest.skip(f"{NEEDS[case]}: {reason}")
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("case", NEEDS)
def test_the_case_runs(case):
    run(case, CASES / f"{case}.py")


@pytest.mark.parametrize("case", NEEDS)
def test_the_state_travels_through_a_checkpoint_to_another_process(case, tmp_path):
    run(case, "-c", SAVE, CASES, case, tmp_path / "c")
    run(case, "-c", LOAD, CASES, case, tmp_path / "c")


@pytest.mark.parametrize("example, case", [("dp_accounting_state", "dp_accountants"), ("opake_state", "dp_sgd_state")])
def test_the_example_runs(example, case, tmp_path):
    run(case, ROOT / "examples" / "python" / f"{example}.py", tmp_path)
