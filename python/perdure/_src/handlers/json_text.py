"""JSON as the built-in handlers store it."""

from __future__ import annotations

import json
from typing import Any

from perdure._src.handlers.native import Item
from perdure.errors import CorruptError, InputTypeError


def json_bytes(value: Any) -> bytes:
    """Raises InputTypeError for what JSON cannot hold."""
    try:
        return json.dumps(value).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputTypeError(f"JSON cannot hold it: {error}") from error


def parse_json(item: Item, content: bytes) -> Any:
    """Raises CorruptError naming the item."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise CorruptError(f"no JSON in '{item.path}': {error}") from error
