"""The examples run, and the Python of the README and of docs/ does what it says."""

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


def test_a_strategy_that_is_started_again_ends_with_the_same_weights(tmp_path):
    pytest.importorskip("torch")

    def run(folder, steps):
        command = [sys.executable, ROOT / "examples" / "python" / "strategy.py", "--folder", tmp_path / folder, "--until", str(steps)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout

    at_once = run("a", 60)
    run("b", 33)
    resumed = run("b", 60)
    assert resumed == "resumes after step 20\n" + at_once


def python_of(page):
    """The blocks of a page, as one program: later ones go on from earlier ones."""
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))


PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if python_of(page)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_python_of_a_page_runs(page, tmp_path):
    for package in ("torch", "jax", "flax", "optax"):
        if re.search(rf"^\s*(import|from) {package}\b", python_of(page), re.MULTILINE):
            pytest.importorskip(package)
    (tmp_path / "tests").symlink_to(ROOT / "tests")  # pages read the fixtures
    done = subprocess.run([sys.executable, "-c", python_of(page)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, python_of(page) + done.stdout + done.stderr


def test_the_cpp_of_the_pages_stands_in_examples_which_are_built_and_run():
    sources = [source.read_text() for source in (ROOT / "examples" / "cpp").glob("*.cc")]
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    blocks = [block for page in pages for block in re.findall(r"```cpp\n(.*?)```", page.read_text(), re.DOTALL)]
    assert len(blocks) >= 13
    assert [block for block in blocks if not any(block in source for source in sources)] == []


def test_every_cpp_example_is_run():
    lists = (ROOT / "examples" / "cpp" / "CMakeLists.txt").read_text()
    names = [source.stem for source in (ROOT / "examples" / "cpp").glob("*.cc")]
    assert [name for name in names if f"example_{name}" not in lists.partition("PERDURE_BUILD_TESTS")[2]] == []


def test_the_links_of_the_documentation_lead_somewhere():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = {page: re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL) for page in pages}
    links = [(page, link) for page in pages for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text[page])]
    assert links
    assert [f"{page}: {link}" for page, link in links if not (page.parent / link).exists()] == []


def test_the_readme_the_tutorial_and_the_tasks_have_python():
    assert {page.parent.name for page in PAGES} >= {ROOT.name, "tutorial", "concepts", "how-to"}
