"""Dicts of the classes that an object's own state has: a checkpoint that is read without a template has plain ones."""

from __future__ import annotations

import copy
from typing import Any


def with_dict_classes_of(live: Any, saved: Any) -> Any:
    """``saved`` with the dict classes of ``live``: a scheduler may count on its Counter."""
    if isinstance(saved, dict):
        items = {key: with_dict_classes_of(live.get(key) if isinstance(live, dict) else None, item) for key, item in saved.items()}
        if not isinstance(live, dict) or type(live) is dict:
            return items
        made = copy.copy(live)
        made.clear()
        made.update(items)
        return made
    if type(saved) is list and type(live) is list and len(saved) == len(live):
        return [with_dict_classes_of(one, item) for one, item in zip(live, saved, strict=True)]
    return saved
