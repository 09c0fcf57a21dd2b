"""Errors that say where in a recipe the fault is."""

from __future__ import annotations

from perdure.errors import RecipeError, RecipeTypeError


def fault(where: str, what: str, cause: BaseException | None = None) -> RecipeError:
    """A RecipeError for the JSON path ``where``, ready to be raised."""
    return _located(RecipeError(f"{what} (at {where})"), where, cause)


def type_fault(where: str, what: str, cause: BaseException | None = None) -> RecipeTypeError:
    return _located(RecipeTypeError(f"{what} (at {where})"), where, cause)


def _located(error, where, cause):
    error.json_path, error.__cause__ = where, cause
    return error


def relocated(error: RecipeError, where: str) -> RecipeError:
    """The fault of a recipe that stands at ``where`` in something larger; changed in place."""
    inner = error.json_path or "$"
    error.json_path = where + inner[1:]
    plain = error.message.removesuffix(f" (at {inner})")
    error.message = f"{plain} (at {error.json_path})"
    return error


def at_key(where: str, key: str) -> str:
    """The JSON path of a member: ``$.a.b``, ``$.a['two words']``. A long key is cut."""
    if key.isascii() and key.isidentifier():
        return f"{where}.{key[:_KEY_SHOWN]}"
    return f"{where}[{ascii(key[:_KEY_SHOWN])}]"


_KEY_SHOWN = 120
