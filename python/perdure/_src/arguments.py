"""Checks of what callers hand in, so that a wrong argument is named and not an inner function's."""

from __future__ import annotations

import os
from typing import Any

from perdure.errors import InputTypeError, InvalidError

PathLike = str | os.PathLike[str]


def path_bytes(path: PathLike, what: str = "path") -> bytes:
    """The path as the operating system takes it."""
    try:
        return os.fsencode(path)
    except TypeError:
        raise InputTypeError(f"{what}: expected a str or os.PathLike, found '{type(path).__name__}'") from None
    except UnicodeEncodeError:
        raise InvalidError(f"{what}: {path!r} cannot be the name of a file") from None


def absolute_path(path: PathLike) -> str:
    """The path so that it means the same when the working directory has changed."""
    given = os.fsdecode(path_bytes(path))
    return given if not given or os.path.isabs(given) else os.path.join(os.getcwd(), given)


def checked(value: Any, kind: type, what: str) -> Any:
    """``value``, if it is a ``kind``."""
    if not isinstance(value, kind):
        raise InputTypeError(f"{what}: expected a {kind.__name__}, found '{type(value).__name__}'")
    return value


def checked_name(name: Any) -> str:
    """The name of a checkpointable, which becomes the name of a directory."""
    try:
        checked(name, str, "checkpointable_name").encode()
    except UnicodeEncodeError:
        raise InvalidError(f"checkpointable_name: {name!r} cannot be the name of a file") from None
    return name
