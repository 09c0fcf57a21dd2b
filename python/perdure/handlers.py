"""Handlers of checkpointables: registries, and the built-in ones that can be registered for a name."""

from perdure._src.checkpointable_types import CheckpointableHandler, StatefulCheckpointable, typestr
from perdure._src.handler_registry import Registry, local_registry, register_handler
from perdure._src.handlers.object_states import IteratorHandler, StateDictHandler
from perdure._src.handlers.random_keys import (
    JaxRandomKeyHandler,
    NumpyRandomHandler,
    PythonRandomHandler,
    TorchGeneratorHandler,
)
from perdure._src.handlers.text import BytesHandler, JsonHandler, ProtoHandler, TextHandler
from perdure._src.handlers.tree import ArrayHandler, TreeHandler
from perdure._src.type_handlers.param_info import PathAwaitingCreation

__all__ = [
    "ArrayHandler",
    "BytesHandler",
    "CheckpointableHandler",
    "IteratorHandler",
    "JaxRandomKeyHandler",
    "JsonHandler",
    "NumpyRandomHandler",
    "PathAwaitingCreation",
    "ProtoHandler",
    "PythonRandomHandler",
    "Registry",
    "StateDictHandler",
    "StatefulCheckpointable",
    "TextHandler",
    "TorchGeneratorHandler",
    "TreeHandler",
    "local_registry",
    "register_handler",
    "typestr",
]
