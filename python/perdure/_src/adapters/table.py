"""What perdure knows of which framework: one row each.

To add a framework: a module with the functions of ``protocol.Adapter``, so that its arrays are saved and loaded; a module with
``register_classes()``, so that ``perdure.tree`` knows its classes; one with those of ``protocol.Nodes``, if it has containers that
nobody else can take apart; a row here. These modules import their framework: they are imported when the first of its classes is met, so
that nobody pays for a framework that the program does not use.
"""

from __future__ import annotations

import importlib
import operator
import sys
import threading
from typing import Any, NamedTuple

import numpy as np

from perdure._src.adapters.protocol import Abstract, Adapter, Nodes
from perdure.errors import InputTypeError


class Row(NamedTuple):
    package: str  # the framework; the first word of its origins
    class_packages: tuple[str, ...]  # where its classes are defined
    arrays: str | None  # the module for its arrays; None: the engine knows them, or there are none
    tree: str | None  # the module that registers its classes with perdure.tree
    array_class: str | None = None  # what the package calls the class of its arrays
    nodes: str | None = None  # the module for its containers


TABLE = (
    Row("numpy", ("numpy",), None, "perdure._src.adapters.numpy_tree", "ndarray"),
    Row("torch", ("torch",), "perdure._src.adapters.torch", "perdure._src.adapters.torch_tree", "Tensor"),
    Row("jax", ("jax", "jaxlib"), "perdure._src.adapters.jax", "perdure._src.adapters.jax_tree", "Array", "perdure._src.adapters.jax_nodes"),
    Row("optree", ("optree",), None, "perdure._src.adapters.optree_tree"),
)
_unmet = {package: row for row in TABLE for package in row.class_packages}
_meeting = threading.RLock()


def adapter_of_class(cls: type) -> Adapter | None:
    """The adapter for a class or one of its bases; None if no framework knows it."""
    for base in cls.__mro__:
        package = _package_of(base)
        for row in TABLE:
            if row.arrays is not None and package in row.class_packages:
                return importlib.import_module(row.arrays)
    return None


def adapter_of_origin(origin: str) -> Adapter | None:
    """The adapter whose ``describe`` gave this origin, if its framework is imported."""
    package = origin.partition(".")[0].partition("|")[0]
    for row in TABLE:
        if row.arrays is not None and row.package == package and _is_imported(row):
            return importlib.import_module(row.arrays)
    return None


def nodes_of(leaf: Any) -> Nodes | None:
    """What takes ``leaf`` apart; None if it is an array, or no framework that is imported knows it as a container."""
    if adapter_of_class(type(leaf)) is not None:
        return None
    modules = (importlib.import_module(row.nodes) for row in TABLE if row.nodes is not None and _is_imported(row))
    return next((nodes for nodes in modules if nodes.is_node(leaf)), None)


def is_array(value: Any) -> bool:
    """Whether it is an array of a framework that is imported."""
    classes = (getattr(sys.modules.get(row.package), row.array_class, ()) for row in TABLE if row.array_class is not None)
    return any(isinstance(value, cls) for cls in classes)


def array_class_of(package: str) -> str:
    """Of a package that has arrays, or a module of one: what its arrays are called."""
    return next(row.array_class for row in TABLE if row.array_class and row.package == package.partition(".")[0])


def meet(cls: type) -> None:
    """Registers with ``perdure.tree`` the classes of the frameworks that ``cls`` and its bases come from, those of each once."""
    for base in cls.__mro__:
        row = _unmet.get(_package_of(base))
        if row is not None:
            _register_classes(row)


def _register_classes(row: Row) -> None:
    with _meeting:  # nobody goes on before all classes of the framework are known
        if row.class_packages[0] not in _unmet:
            return
        if row.tree is not None:
            importlib.import_module(row.tree).register_classes()
        for package in row.class_packages:
            del _unmet[package]


def _is_imported(row: Row) -> bool:
    return sys.modules.get(row.package) is not None  # None there forbids the import


def _package_of(cls: type) -> str:
    module = cls.__module__
    return module.partition(".")[0] if isinstance(module, str) else ""


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
