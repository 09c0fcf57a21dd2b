"""The error classes: what they derive from, what they say, how C++ errors become them."""

import copy
import errno
import pickle
import sys
import types

import pytest

import perdure
from perdure import errors
from perdure._src.adapters import table

BASES = {
    "InputTypeError": (TypeError, ValueError),
    "InvalidError": (ValueError,),
    "CheckpointError": (RuntimeError,),
    "MismatchError": (errors.CheckpointError, RuntimeError, ValueError),
    "CorruptError": (errors.CheckpointError, RuntimeError, ValueError),
    "NotFoundError": (KeyError, ValueError, FileNotFoundError),
    "NoHandlerError": (KeyError,),
    "AlreadyExistsError": (ValueError, FileExistsError),
    "RecipeError": (ValueError,),
    "RecipeTypeError": (errors.RecipeError, TypeError),
    "IoError": (OSError,),
    "CancelledError": (),
}


class Leaf:
    """Its framework refuses to save it, with the error that it holds."""

    def __init__(self, error):
        self.error = error


def describe(leaf):
    raise leaf.error


@pytest.fixture
def thrown(tmp_path, monkeypatch):
    """The Python form of a C++ error: what an adapter raises passes through the engine."""
    monkeypatch.setitem(sys.modules, "framework", types.SimpleNamespace(describe=describe, abstract=None, restore=None))
    monkeypatch.setattr(table, "TABLE", (*table.TABLE, table.Row("framework", (__name__,), "framework", None)))

    def throw(name, message="expected 1, found 2", notes=(), **arguments):
        error = getattr(errors, name)(message, **arguments)
        for note in notes:
            error.add_note(note)
        with pytest.raises(perdure.Error) as caught:
            perdure.save(tmp_path / "c", Leaf(error))
        assert caught.value is not error
        return caught.value

    return throw


@pytest.mark.parametrize("name", BASES)
def test_a_cpp_error_has_its_class_message_and_notes(name, thrown):
    error = thrown(name, notes=["chunk c/0", "leaf w"])
    assert type(error) is getattr(perdure, name)
    assert all(isinstance(error, base) for base in BASES[name])
    assert str(error) == "expected 1, found 2"
    assert error.__notes__ == ["chunk c/0", "leaf w"]


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("clone", [copy.copy, lambda e: pickle.loads(pickle.dumps(e))], ids=["copy", "pickle"])
def test_a_clone_says_the_same(name, clone, thrown):
    error = thrown(name, notes=["leaf w"], **({"errno": errno.ENOSPC} if name == "IoError" else {}))
    twin = clone(error)
    assert (type(twin), str(twin), twin.__notes__) == (type(error), str(error), error.__notes__)
    assert getattr(twin, "errno", None) == getattr(error, "errno", None)


@pytest.mark.parametrize("name", BASES)
def test_every_class_can_be_raised_from_python(name):
    assert str(getattr(errors, name)("message")) == "message"
    assert str(getattr(errors, name)()) == ""


def test_errno_says_what_the_system_said(tmp_path, thrown):
    assert thrown("IoError", errno=errno.ENOSPC).errno == errno.ENOSPC
    assert thrown("NotFoundError").errno == errno.ENOENT
    assert thrown("AlreadyExistsError").errno == errno.EEXIST
    with pytest.raises(perdure.IoError) as caught:
        perdure.save(tmp_path / ("x" * 300), {})
    assert caught.value.errno == errno.ENAMETOOLONG


def test_a_message_that_is_not_utf8_is_shown(tmp_path):
    with pytest.raises(perdure.NotFoundError) as caught:
        perdure.load(bytes(tmp_path) + b"/\xff\xed\xa0\x80")
    assert r"/\xff\xed\xa0\x80" in str(caught.value)


@pytest.mark.parametrize("name", ["UnusedKeysWarning", "LossyCastWarning"])
def test_warnings_are_user_warnings(name):
    assert issubclass(getattr(perdure, name), UserWarning)
