import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))


@pytest.fixture
def unloaded_module(tmp_path, monkeypatch):
    """A module recipe_unloaded with a class X; importing it leaves a file, and its name in sys.modules."""
    (tmp_path / "recipe_unloaded.py").write_text(
        f"open({str(tmp_path / 'imported')!r}, 'w').close()\nclass X:\n    def __init__(self, a=None):\n        self.a = a\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "imported"
    sys.modules.pop("recipe_unloaded", None)
