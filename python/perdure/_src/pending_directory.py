"""Directories that are named before they exist."""

from __future__ import annotations

import os
import pathlib

from perdure import _core
from perdure.errors import InvalidError


class PendingDirectory:
    """The directory of a checkpointable that is being saved, or one below it. ``await_creation`` never blocks a thread."""

    def __init__(self, part: _core.ForeignPart, path: pathlib.Path):
        self._part = part
        self._path = path

    def __truediv__(self, other: str | os.PathLike[str]) -> PendingDirectory:
        below = pathlib.PurePath(other)
        if below.is_absolute() or ".." in below.parts:
            raise InvalidError(f"'{below}' is not below the directory of the checkpointable")
        return PendingDirectory(self._part, self._path / below)

    @property
    def path(self) -> pathlib.Path:
        return self._path

    @property
    def name(self) -> str:
        return self._path.name

    async def await_creation(self) -> pathlib.Path:
        """Returns the path of the directory, which exists then. Raises CancelledError once the save has ended."""
        self._part.make_directory(os.fsencode(self._path))
        return self._path

    def __repr__(self) -> str:
        return f"PendingDirectory({str(self._path)!r})"
