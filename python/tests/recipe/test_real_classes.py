"""Which classes that nobody here wrote round-trip, and why the others are refused: the tables of docs/concepts/recipes_of_real_classes.md."""

import pathlib
import re

import pytest

pytest.importorskip("torch")
import real_classes  # noqa: E402

from perdure import RecipeError  # noqa: E402

PAGE = pathlib.Path(__file__).parents[3] / "docs/concepts/recipes_of_real_classes.md"


@pytest.mark.parametrize("name", real_classes.ROUND_TRIP)
def test_round_trips(name):
    real_classes.ROUND_TRIP[name]()


@pytest.mark.parametrize("name", real_classes.REFUSED)
def test_is_refused_with_the_reason(name):
    make, why = real_classes.REFUSED[name]
    with pytest.raises(RecipeError, match=why):
        make()


@pytest.mark.parametrize(("heading", "cases"), [("Round-trip", real_classes.ROUND_TRIP), ("Refused", real_classes.REFUSED)])
def test_the_page_names_exactly_what_was_tried(heading, cases):
    section = PAGE.read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    first_cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert sorted(name for cell in first_cells for name in re.findall("`([^`]+)`", cell)) == sorted(cases)
