"""Handlers of leaves: the native ones, and the interface for others."""

from perdure._src.type_handlers import limits
from perdure._src.type_handlers.arguments import RestoreArgs, SaveArgs, check_input_arguments, is_supported_type
from perdure._src.type_handlers.param_info import ParamInfo, PathAwaitingCreation
from perdure._src.type_handlers.registry import TypeHandlerRegistry
from perdure._src.type_handlers.status import (
    DefaultSerializationStatusCallback,
    IoDirection,
    IsPrioritizedKeyFn,
    SerializationStatusCallback,
    TransferPriority,
)
from perdure._src.type_handlers.type_handler import TypeHandler

__all__ = [
    "ByteLimiter",
    "DefaultSerializationStatusCallback",
    "IoDirection",
    "IsPrioritizedKeyFn",
    "ParamInfo",
    "PathAwaitingCreation",
    "RestoreArgs",
    "SaveArgs",
    "SerializationStatusCallback",
    "TransferPriority",
    "TypeHandler",
    "TypeHandlerRegistry",
    "check_input_arguments",
    "is_supported_type",
    "limits",
]

ByteLimiter = limits.ByteLimiter
