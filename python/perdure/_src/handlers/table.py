"""Every built-in handler, in the order of registration: later ones go before earlier ones. To add one: its file here, its row."""

from __future__ import annotations

from perdure._src.handler_registry import global_registry
from perdure._src.handlers.object_states import IteratorHandler, StateDictHandler
from perdure._src.handlers.random_keys import (
    JaxRandomKeyHandler,
    NumpyRandomHandler,
    PythonRandomHandler,
    TorchGeneratorHandler,
)
from perdure._src.handlers.stateful import StatefulHandler
from perdure._src.handlers.text import BytesHandler, JsonHandler, MetricsHandler, ProtoHandler, TextHandler
from perdure._src.handlers.tree import ArrayHandler, TreeHandler

HANDLERS: tuple[tuple[type, str | None], ...] = (  # handler, and the one name that it is for
    (JsonHandler, None),
    (TextHandler, None),
    (BytesHandler, None),
    (ArrayHandler, None),
    (StatefulHandler, None),
    (StateDictHandler, None),
    (IteratorHandler, None),
    (JaxRandomKeyHandler, None),
    (NumpyRandomHandler, None),
    (PythonRandomHandler, None),
    (TorchGeneratorHandler, None),
    (MetricsHandler, "metrics"),
    (TreeHandler, None),
    (ProtoHandler, None),  # some messages are mappings
)


def register_built_in() -> None:
    for handler, name in HANDLERS:
        global_registry().add(handler, checkpointable_name=name)
