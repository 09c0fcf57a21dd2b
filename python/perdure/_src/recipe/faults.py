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
