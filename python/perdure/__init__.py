"""Saves and restores machine-learning training state: durable, checked, readable by Orbax."""

from perdure import handlers, options, storage, tree
from perdure._core import __version__
from perdure._src.checkpointable_types import CheckpointableHandler, StatefulCheckpointable, typestr
from perdure._src.context import Context
from perdure._src.handler_registry import register_handler
from perdure._src.handlers.table import register_built_in
from perdure._src.load import (
    checkpointables_metadata,
    delete,
    load,
    load_async,
    load_checkpointables,
    load_checkpointables_async,
    metadata,
    verify,
)
from perdure._src.response import AsyncResponse
from perdure._src.save import save, save_async, save_checkpointables, save_checkpointables_async
from perdure._src.tree_io import PLACEHOLDER, ArrayMetadata, CheckpointMetadata
from perdure.errors import (
    AlreadyExistsError,
    CancelledError,
    CheckpointError,
    CorruptError,
    Error,
    InputTypeError,
    InvalidError,
    IoError,
    LossyCastWarning,
    MismatchError,
    NoHandlerError,
    NotFoundError,
    RecipeError,
    RecipeTypeError,
    UnusedKeysWarning,
)
from perdure.options import CheckpointablesOptions

register_built_in()

__all__ = [
    "AlreadyExistsError",
    "ArrayMetadata",
    "AsyncResponse",
    "CancelledError",
    "CheckpointError",
    "CheckpointMetadata",
    "CheckpointableHandler",
    "CheckpointablesOptions",
    "Context",
    "CorruptError",
    "Error",
    "InputTypeError",
    "InvalidError",
    "IoError",
    "LossyCastWarning",
    "MismatchError",
    "NoHandlerError",
    "NotFoundError",
    "PLACEHOLDER",
    "RecipeError",
    "RecipeTypeError",
    "StatefulCheckpointable",
    "UnusedKeysWarning",
    "__version__",
    "checkpointables_metadata",
    "delete",
    "handlers",
    "load",
    "load_async",
    "load_checkpointables",
    "load_checkpointables_async",
    "metadata",
    "options",
    "register_handler",
    "save",
    "save_async",
    "save_checkpointables",
    "save_checkpointables_async",
    "storage",
    "tree",
    "typestr",
    "verify",
]
