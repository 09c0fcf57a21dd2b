"""What a handler of leaves does."""

from __future__ import annotations

import abc
import pathlib
from collections.abc import Sequence
from typing import Any, Protocol

from perdure._src.type_handlers.arguments import RestoreArgs, SaveArgs
from perdure._src.type_handlers.param_info import ParamInfo


class Future(Protocol):
    """The rest of a save."""

    def result(self, timeout: float | None = None) -> Any:
        """Returns once it is done; raises what failed."""
        ...


class TypeHandler(abc.ABC):
    """Writes and reads the leaves of some type.

    ``serialize`` and ``deserialize`` get all leaves of the handler in one call. A handler keeps its leaves in files of its own below
    ``info.parent_dir``, named after ``info.name``, or hands what it made of them to a native handler.
    """

    @abc.abstractmethod
    def typestr(self) -> str:
        """Name of the kind of leaf, as it stands in the checkpoint. No two handlers of a registry have the same."""

    @abc.abstractmethod
    async def serialize(
        self, values: Sequence[Any], infos: Sequence[ParamInfo], args: Sequence[SaveArgs] | None = None
    ) -> Sequence[Future]:
        """Takes what it needs of ``values``, which the caller may change once this returns.

        Runs in the thread that saves, perhaps before the directory exists: only the returned futures may wait for it
        (``info.await_path_creation()``) and write.
        """

    @abc.abstractmethod
    async def deserialize(self, infos: Sequence[ParamInfo], args: Sequence[RestoreArgs] | None = None) -> Sequence[Any]:
        """The leaves, in the order of ``infos``."""

    async def metadata(self, infos: Sequence[ParamInfo]) -> Sequence[Any]:
        """What is known of the leaves without reading them; ``None`` for each by default.

        To serve as a template in ``load`` it must be no container: a plain value, or a dataclass derived from ``LeafMetadata``.
        """
        return [None] * len(infos)

    def finalize(self, directory: pathlib.Path) -> None:
        """Completes what was written below ``directory``: called once, after all futures, before the checkpoint is committed."""
