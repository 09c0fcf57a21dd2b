"""The slow reference reader agrees with every golden directory: it is the judge of the other tests."""

import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = sorted(path.parent for path in ROOT.glob("tests/fixtures/*/expected.json"))


@pytest.fixture(scope="module")
def reference():
    path = ROOT / "tools" / "ocdbt_ref.py"
    spec = importlib.util.spec_from_file_location("ocdbt_ref", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.name)
def test_the_reference_reader_reads_the_golden(reference, fixture):
    assert reference.check(str(fixture)) == []


def test_there_are_goldens():
    assert len(FIXTURES) >= 26
