"""Where the leaves of one call are."""

from __future__ import annotations

import os
from collections.abc import Sequence

from perdure._src.arguments import path_bytes
from perdure._src.type_handlers.param_info import ParamInfo, PathAwaitingCreation
from perdure._src.type_handlers.status import KeyPath
from perdure.errors import InvalidError


def file_name(storage_name: str) -> str:
    """What a handler of a user names its files after: a tree that is a leaf has no key."""
    return storage_name or "__root__"


def name_bytes(info: ParamInfo) -> bytes:
    """The storage name as the engine takes it."""
    return info.name.encode(errors="surrogatepass")


def key_path(info: ParamInfo) -> KeyPath:
    return (info.name,) if info.keypath is None else info.keypath


def check_one_directory(infos: Sequence[ParamInfo]) -> None:
    """Raises InvalidError unless all leaves of a call are in one directory."""
    directories = {os.fspath(_place(info._parent_dir)) for info in infos}
    if len(directories) > 1:
        raise InvalidError(f"a handler was called for leaves of several directories: {', '.join(sorted(directories))}")


def check_different_names(infos: Sequence[ParamInfo]) -> None:
    """Raises InvalidError if two leaves of a call would be written to one place."""
    seen: set[str] = set()
    for info in infos:
        if info.name in seen:
            raise InvalidError(f"a handler was called for two leaves of the name '{info.name}'")
        seen.add(info.name)


def _place(directory: object) -> os.PathLike[str]:
    return directory.path if isinstance(directory, PathAwaitingCreation) else directory


async def created_directory(infos: Sequence[ParamInfo]) -> bytes:
    """Waits for the directory of the infos, all of which know it then."""
    for info in infos:
        await info.await_path_creation()
    return path_bytes(infos[0].parent_dir)
