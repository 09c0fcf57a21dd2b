"""The examples run, and the README's blocks do what they say."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("script, needs", [("digits_numpy", "sklearn"), ("digits_torch", "torch"), ("digits_flax", "flax")])
def test_a_killed_training_run_resumes_bit_identical(script, needs, tmp_path):
    pytest.importorskip("sklearn")
    pytest.importorskip(needs)
    command = [sys.executable, ROOT / "examples" / "python" / f"{script}.py", "--steps", "120", "--folder", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bit-identical weights" in done.stdout


def test_the_python_of_the_readme_runs(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, block + done.stdout + done.stderr
