"""The checked-in stub of the C++ module says what the module has. After a change: tools/update."""

import pathlib
import subprocess
import sys

import pytest

STUB = pathlib.Path(__file__).resolve().parents[1] / "perdure" / "_core.pyi"


def test_the_stub_is_up_to_date(tmp_path):
    pytest.importorskip("nanobind")
    made = tmp_path / "_core.pyi"
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "perdure._core", "-o", made], check=True)
    assert made.read_text() == STUB.read_text()
