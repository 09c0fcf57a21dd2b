"""The error classes: what they derive from, what they say, how C++ errors become them."""

import copy
import errno
import pickle

import pytest

import perdure
from perdure import _core, errors

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


def thrown(name, message=b"expected 1, found 2", notes=(), errno_value=0):
    with pytest.raises(perdure.Error) as caught:
        _core._raise_for_test(name, message, list(notes), errno_value)
    return caught.value


@pytest.mark.parametrize("name", BASES)
def test_a_cpp_error_has_its_class_message_and_notes(name):
    error = thrown(name, notes=["chunk c/0", "leaf w"])
    assert type(error) is getattr(perdure, name)
    assert all(isinstance(error, base) for base in BASES[name])
    assert str(error) == "expected 1, found 2"
    assert error.__notes__ == ["chunk c/0", "leaf w"]


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("clone", [copy.copy, lambda e: pickle.loads(pickle.dumps(e))], ids=["copy", "pickle"])
def test_a_clone_says_the_same(name, clone):
    error = thrown(name, notes=["leaf w"], errno_value=errno.ENOSPC)
    twin = clone(error)
    assert (type(twin), str(twin), twin.__notes__) == (type(error), str(error), error.__notes__)
    assert getattr(twin, "errno", None) == getattr(error, "errno", None)


@pytest.mark.parametrize("name", BASES)
def test_every_class_can_be_raised_from_python(name):
    assert str(getattr(errors, name)("message")) == "message"
    assert str(getattr(errors, name)()) == ""


def test_errno_says_what_the_system_said():
    assert thrown("IoError", errno_value=errno.ENOSPC).errno == errno.ENOSPC
    assert thrown("NotFoundError").errno == errno.ENOENT
    assert thrown("AlreadyExistsError").errno == errno.EEXIST


def test_a_message_that_is_not_utf8_is_shown():
    assert str(thrown("CorruptError", b"key '\xff\xed\xa0\x80'")) == r"key '\xff\xed\xa0\x80'"


@pytest.mark.parametrize("name", ["UnusedKeysWarning", "LossyCastWarning"])
def test_warnings_are_user_warnings(name):
    assert issubclass(getattr(perdure, name), UserWarning)
