"""Trees to and from the engine, with the options of the active context made plain for it."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from perdure import _core
from perdure._src.arguments import checked, checked_name
from perdure._src.cast_warnings import lossy_message, warn_of_casts
from perdure._src.context import Context, current_context
from perdure._src.options import StorageOptions
from perdure._src.type_handlers.metadata import LeafMetadata
from perdure._src.type_handlers.own_handlers import (
    Leaf,
    asked_for_leaves,
    describe_leaf,
    load_leaves,
    own_typestrs,
    registered_callbacks,
)
from perdure.errors import MismatchError


class _Placeholder:
    """The type of PLACEHOLDER."""

    def __repr__(self) -> str:
        return "PLACEHOLDER"

    def __reduce__(self) -> str:  # copies are the same object
        return "PLACEHOLDER"


PLACEHOLDER = _Placeholder()
"""In a template: leave this leaf alone. It is not read, and the result has PLACEHOLDER in its place."""


@dataclasses.dataclass(frozen=True)
class StorageMetadata:
    """How an array lies in a checkpoint."""

    chunk_shape: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class ArrayMetadata:
    """Shape, dtype (NumPy's or ml_dtypes') and storage of an array that has not been read."""

    shape: tuple[int, ...]
    dtype: np.dtype
    storage_metadata: StorageMetadata


@dataclasses.dataclass(frozen=True)
class CheckpointMetadata:
    """What a checkpoint says about itself.

    Attributes:
        metadata: For a tree: the tree with an ArrayMetadata for each array and the values themselves. For a whole checkpoint: by
            name what each item's handler says; None where it says nothing.
        custom_metadata: The JSON object that was given to ``save``.
        init_timestamp_nsecs: When the save began (ns since 1970), if recorded.
        commit_timestamp_nsecs: When it was committed (ns since 1970), if recorded.
        metrics: The JSON value of the metrics that were saved along, if any.
    """

    metadata: Any
    custom_metadata: dict[str, Any]
    init_timestamp_nsecs: int | None
    commit_timestamp_nsecs: int | None
    metrics: Any = None


def abstract_of(template: Any) -> Any:
    """The template itself, also where it is what ``metadata`` gave."""
    return template.metadata if isinstance(template, CheckpointMetadata) else template


def tree_writer(tree: Any, *, use_ocdbt: bool | None = None) -> _core.ItemWriter:
    """Plans a tree; errors as of ``perdure.save``."""
    context = current_context()
    saving = context.array.saving
    return _core.tree_writer(
        tree,
        use_ocdbt=saving.use_ocdbt if use_ocdbt is None else use_ocdbt,
        use_zarr3=saving.use_zarr3,
        compress=saving.use_compression,
        storage_options=_plain_storage_options(saving.storage_options),
        leaf_storage_options=_leaf_storage_options(context),
        copies=context.memory.deepcopy_host_arrays,
        type_handlers=asked_for_leaves(),
        status_of=_status_of_leaves(context),
        key_priority=context.memory.is_prioritized_key_fn,
        transfer_bytes_max=context.memory.transfer_concurrent_bytes,
        write_bytes_max=context.memory.write_concurrent_bytes,
    )


def load_tree(
    checkpoint: _core.Checkpoint, name: str, abstract: Any, only: list[bytes] | None = None, as_numpy: bool | None = None
) -> Any:
    """Reads a tree; warnings and errors as of ``perdure.load``. ``as_numpy``: instead of what the context says."""
    context = current_context()
    loading, pytree = context.array.loading, context.pytree.loading

    def load_handled(leaves: Sequence[Leaf]) -> list[Any]:
        values = load_leaves(_tree_directory(checkpoint, name), leaves)
        checkpoint.check_not_replaced()  # the handlers were given a path
        return values

    tree, lossy = checkpoint.load(
        checked_name(name),
        abstract_of(abstract),
        only=only,
        placeholder=PLACEHOLDER,
        leaf_types=(ArrayMetadata, LeafMetadata),
        type_handlers=asked_for_leaves(),
        load_handled=load_handled,
        handled_typestrs=own_typestrs(),
        partial_load=pytree.partial_load,
        keep_missing=pytree.missing == "keep",
        pad_and_truncate=loading.enable_padding_and_truncation,
        verify=loading.verify,
        mapped=loading.mapped,
        as_numpy=loading.as_numpy if as_numpy is None else as_numpy,
        bytes_max=loading.bytes_max,
        bytes_at_once_max=context.memory.read_concurrent_bytes,
    )
    if lossy and loading.raise_on_lossy_cast:
        raise MismatchError(lossy_message("the template's dtype", lossy))
    warn_of_casts("the template's dtype", lossy)
    return tree


def describe_tree(checkpoint: _core.Checkpoint, name: str) -> Any:
    """The tree with an ArrayMetadata for each array."""

    def array(shape: tuple, dtype: np.dtype, chunk_shape: tuple) -> ArrayMetadata:
        return ArrayMetadata(shape, dtype, StorageMetadata(chunk_shape))

    def handled(leaf_name: str, typestr: str) -> Any:
        return describe_leaf(_tree_directory(checkpoint, name), leaf_name, typestr)

    return checkpoint.describe(checked_name(name), array, handled)


def _tree_directory(checkpoint: _core.Checkpoint, name: str) -> pathlib.Path:
    return pathlib.Path(os.fsdecode(checkpoint.tree_path(checked_name(name))))


def _status_of_leaves(context: Context) -> Callable[[type], Any] | None:
    """Who is told of the leaves of a class: the context's callback, or that of the array handler that is registered for them."""
    status = context.memory.serialization_status_callback
    return registered_callbacks() if status is None else lambda cls: status


def has_worker_calls() -> bool:
    """Whether somebody was promised that a save calls him, or looks at his arrays, in a worker thread."""
    context = current_context()
    return context.memory.is_prioritized_key_fn is not None or _status_of_leaves(context) is not None


def _plain_storage_options(options: StorageOptions) -> tuple[str | None, int | None, Sequence[int]]:
    dtype = None if checked(options, StorageOptions, "storage options").dtype is None else np.dtype(options.dtype).name
    return dtype, options.chunk_byte_size, tuple(options.shard_axes)


def _leaf_storage_options(context: Context) -> Any:
    """A function ``(key path, leaf) -> plain options | None`` for the engine to ask; None if there are no own options."""
    creator = context.array.saving.scoped_storage_options_creator
    if creator is None:
        return None

    def plain(key_path: tuple, leaf: Any) -> Any:
        options = creator(key_path, leaf)
        return None if options is None else _plain_storage_options(options)

    return plain
