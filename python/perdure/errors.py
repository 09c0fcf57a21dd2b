"""What perdure raises and warns about.

Every error is an :class:`Error`. Each class also derives from the builtins that users of Orbax and PyTorch already catch.
``str()`` is the plain message; where it happened (leaf, chunk, file) stands in ``__notes__``, innermost first.
"""

from __future__ import annotations

import errno as _errno


class Error(Exception):
    """Whatever perdure refuses or cannot do."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:  # KeyError would quote it, OSError would look for an errno
        return self.message

    def __reduce__(self):
        return type(self), (self.message,), self.__dict__


class InputTypeError(Error, TypeError, ValueError):
    """A value of a type that cannot be saved or restored; the message names its key path."""


class InvalidError(Error, ValueError):
    """An argument that makes no sense."""


class CheckpointError(Error, RuntimeError):
    """A checkpoint that cannot be used in this way."""


class MismatchError(CheckpointError, ValueError):
    """Template and checkpoint differ: shapes, structure, missing or unused leaves."""


class CorruptError(CheckpointError, ValueError):
    """Bytes are not what was written."""


class NotFoundError(Error, KeyError, ValueError, FileNotFoundError):
    """Nothing is there: no checkpoint at the path, or no checkpointable of that name."""

    errno = _errno.ENOENT


class NoHandlerError(Error, KeyError):
    """No handler takes this checkpointable or leaf."""


class AlreadyExistsError(Error, ValueError, FileExistsError):
    """The destination exists, or is being saved to."""

    errno = _errno.EEXIST


class RecipeError(Error, ValueError):
    """A recipe that cannot be made or read. ``json_path`` says where the fault is, ``rule`` which rule of a policy refused; or None."""

    json_path: str | None = None
    rule: str | None = None


class RecipeTypeError(RecipeError, TypeError):
    """A recipe whose target or arguments do not fit."""


class IoError(Error, OSError):
    """The operating system refused; ``errno`` says why."""

    def __init__(self, message: str = "", errno: int | None = None) -> None:
        super().__init__(message)
        self.errno = errno

    def __reduce__(self):
        return type(self), (self.message, self.errno), self.__dict__


class CancelledError(Error):
    """Asked to stop."""


class UnusedKeysWarning(UserWarning):
    """Parts of the checkpoint or of the template were not used; lists every key path, once a call."""


class LossyCastWarning(UserWarning):
    """A cast asked for by a template changed values; lists every key path, once a call."""
