"""Which module knows the arrays of which framework.

To add a framework: a module with the functions of ``protocol.Adapter``, and a row here. A row's module imports its framework; it
is imported when such an array is met, so that nobody pays for a framework that the program does not use.
"""

from __future__ import annotations

import importlib
import operator
import sys
from typing import Any, NamedTuple

import numpy as np

from perdure._src.adapters.protocol import Abstract, Adapter
from perdure.errors import InputTypeError


class Row(NamedTuple):
    package: str  # the framework; the first word of its origins
    class_packages: tuple[str, ...]  # where its classes are defined
    module: str


TABLE = (
    Row("torch", ("torch",), "perdure._src.adapters.torch"),
    Row("jax", ("jax", "jaxlib"), "perdure._src.adapters.jax"),
)


def adapter_of_class(cls: type) -> Adapter | None:
    """The adapter for a class or one of its bases; None if no framework knows it."""
    for base in cls.__mro__:
        package = base.__module__.partition(".")[0]
        for row in TABLE:
            if package in row.class_packages:
                return importlib.import_module(row.module)
    return None


def adapter_of_origin(origin: str) -> Adapter | None:
    """The adapter whose ``describe`` gave this origin, if its framework is imported."""
    package = origin.partition(".")[0].partition("|")[0]
    for row in TABLE:
        if row.package == package and package in sys.modules:
            return importlib.import_module(row.module)
    return None


def abstract(leaf: Any) -> Abstract | None:
    """What a template leaf of no framework asks for; None if it is not array-like."""
    if not (hasattr(leaf, "dtype") and hasattr(leaf, "shape")):
        return None
    try:
        shape = tuple(operator.index(n) for n in leaf.shape)
        dtype = np.dtype(leaf.dtype).name
    except TypeError as error:
        raise InputTypeError(f"a template cannot hold a '{type(leaf).__name__}': {error}") from None
    if any(n < 0 for n in shape):
        raise InputTypeError(f"a template cannot hold a '{type(leaf).__name__}' of shape {shape}")
    return Abstract(dtype, shape)
