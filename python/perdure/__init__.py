"""Saves and restores machine-learning training state: durable, checked, readable by Orbax."""

from perdure._core import __version__
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

__all__ = [
    "AlreadyExistsError",
    "CancelledError",
    "CheckpointError",
    "CorruptError",
    "Error",
    "InputTypeError",
    "InvalidError",
    "IoError",
    "LossyCastWarning",
    "MismatchError",
    "NoHandlerError",
    "NotFoundError",
    "RecipeError",
    "RecipeTypeError",
    "UnusedKeysWarning",
    "__version__",
]
