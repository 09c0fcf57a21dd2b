"""Objects that save and load themselves."""

from __future__ import annotations

import pathlib
from collections.abc import Awaitable
from typing import Any

from perdure import _core
from perdure._src.checkpointable_types import StatefulCheckpointable
from perdure._src.handler_registry import is_stateful
from perdure._src.type_handlers.param_info import PathAwaitingCreation
from perdure.errors import InvalidError


class StatefulHandler:
    """Hands save and load to the object. It is loaded in place: an instance must be given."""

    recorded_as, secondary_typestrs, _ = _core.handler_names("StatefulHandler")

    async def save(self, directory: PathAwaitingCreation, checkpointable: StatefulCheckpointable) -> Awaitable[None]:
        return await checkpointable.save(directory)

    async def load(self, directory: pathlib.Path, abstract_checkpointable: Any = None) -> Awaitable[Any]:
        if abstract_checkpointable is None:
            raise InvalidError("a stateful checkpointable is loaded in place: an instance of it must be given")
        background = await abstract_checkpointable.load(directory)

        async def load() -> Any:
            if background is not None:
                await background
            return abstract_checkpointable

        return load()

    def is_handleable(self, checkpointable: Any) -> bool:
        return is_stateful(checkpointable)

    def is_abstract_handleable(self, abstract_checkpointable: Any) -> bool:
        return is_stateful(abstract_checkpointable)
