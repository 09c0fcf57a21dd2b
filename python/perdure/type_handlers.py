"""Handlers of leaves: the native ones, and the interface for others."""

from perdure._src.type_handlers import limits
from perdure._src.type_handlers.arguments import RestoreArgs, SaveArgs, check_input_arguments, is_supported_type
from perdure._src.type_handlers.global_registry import get_type_handler, has_type_handler, register_type_handler
from perdure._src.type_handlers.metadata import LeafMetadata
from perdure._src.type_handlers.native_handlers import ArrayHandler, NumpyHandler, ScalarHandler, StringHandler
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
    "ArrayHandler",
    "ByteLimiter",
    "DefaultSerializationStatusCallback",
    "IoDirection",
    "IsPrioritizedKeyFn",
    "LeafMetadata",
    "NumpyHandler",
    "ParamInfo",
    "PathAwaitingCreation",
    "RestoreArgs",
    "SaveArgs",
    "ScalarHandler",
    "SerializationStatusCallback",
    "StringHandler",
    "TransferPriority",
    "TypeHandler",
    "TypeHandlerRegistry",
    "check_input_arguments",
    "get_type_handler",
    "has_type_handler",
    "is_supported_type",
    "limits",
    "register_type_handler",
]

ByteLimiter = limits.ByteLimiter
