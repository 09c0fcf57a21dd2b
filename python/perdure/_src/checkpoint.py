"""save, load, metadata, verify: arguments made plain for the engine."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from perdure import _core
from perdure._src.arguments import PathLike, checked, checked_name, path_bytes
from perdure._src.context import Context, current_context
from perdure._src.options import StorageOptions
from perdure.errors import InvalidError, LossyCastWarning, MismatchError


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
        metadata: For a tree: the tree with an ArrayMetadata for each array and the values themselves. For a whole checkpoint:
            that for each item.
        custom_metadata: The JSON object that was given to ``save``.
        init_timestamp_nsecs: When the save began (ns since 1970), if recorded.
        commit_timestamp_nsecs: When it was committed (ns since 1970), if recorded.
    """

    metadata: Any
    custom_metadata: dict[str, Any]
    init_timestamp_nsecs: int | None
    commit_timestamp_nsecs: int | None


def typestr(cls: type) -> str:
    """``module.qualname``: how a class is named in a checkpoint."""
    return f"{cls.__module__}.{cls.__qualname__}"


def save(
    path: PathLike,
    state: Any,
    *,
    overwrite: bool = False,
    base: PathLike | None = None,
    custom_metadata: Mapping[str, Any] | None = None,
    checkpointable_name: str = "state",
) -> None:
    """Saves a tree as one checkpoint directory. It is durable when this returns.

    Args:
        path: Where the checkpoint shall be. Missing parent directories are made.
        state: Containers (dict, list, tuple, NamedTuple, dataclass) of arrays (NumPy, torch, jax) and plain values (None, bool,
            int, float, complex, str, bytes).
        overwrite: Replace the checkpoint at ``path``, which stays whole until the new one is. What is no checkpoint is never replaced.
        base: An earlier checkpoint with which unchanged data may be shared. A hint: data that is not shared is written afresh.
        custom_metadata: A JSON object that travels along.
        checkpointable_name: Name of the tree's item in the checkpoint.

    Raises:
        InputTypeError: A leaf cannot be saved; the message has its key path. Nothing was written.
        InvalidError: Two key paths have one storage name, or an argument makes no sense.
        AlreadyExistsError: ``path`` exists, or is being saved to.
        IoError: The operating system refused. What was at ``path`` is untouched.
    """
    _save(path, {checkpointable_name: state}, overwrite, base, custom_metadata)


def save_checkpointables(
    path: PathLike,
    checkpointables: Mapping[str, Any],
    *,
    overwrite: bool = False,
    custom_metadata: Mapping[str, Any] | None = None,
) -> None:
    """Saves several named trees as one checkpoint, in one commit. Arguments and errors as in ``save``."""
    _save(path, dict(checked(checkpointables, Mapping, "checkpointables")), overwrite, None, custom_metadata)


def load(
    path: PathLike,
    abstract_state: Any = None,
    *,
    checkpointable_name: str = "AUTO",
    only: Sequence[str] | None = None,
) -> Any:
    """Reads the tree saved at ``path``.

    Args:
        path: A committed checkpoint: the directory, one of its items, a flat v0 checkpoint or a manager's step.
        abstract_state: Tree whose leaves give shape, dtype and placement, or what ``metadata`` gives. Shapes must be equal; values
            are cast to its dtypes. Without it: containers as saved; arrays in the kind that was saved, if that package is imported, else NumPy.
        checkpointable_name: Which item. ``"AUTO"``: ``state``, else the first tree.
        only: Key paths (``"params.dense"``, with all below) or patterns (``"params.*.bias"``); nothing else is read.

    Returns:
        A tree of ``abstract_state``'s structure, or of the saved one.

    Raises:
        NotFoundError: Nothing is committed at ``path``.
        MismatchError: A shape differs, a leaf is missing or unused; the message has every key path.
        CorruptError: A checksum differs; ``__notes__`` has leaf, chunk, file and offset.
    """
    checkpoint = _open(path)
    return _load_item(checkpoint, checkpointable_name, abstract_state, only)


def load_checkpointables(path: PathLike, abstract_checkpointables: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Reads the named trees of a checkpoint: all, or those that ``abstract_checkpointables`` names (``None``: as saved)."""
    checkpoint = _open(path)
    if abstract_checkpointables is None:
        return {name: _load_item(checkpoint, name, None, None) for name in checkpoint.item_names}
    items = checked(abstract_checkpointables, Mapping, "abstract_checkpointables").items()
    return {name: _load_item(checkpoint, name, abstract, None) for name, abstract in items}


def metadata(path: PathLike, checkpointable_name: str = "AUTO") -> CheckpointMetadata:
    """What the tree at ``path`` looks like, without reading an array. Errors as in ``load``."""
    checkpoint = _open(path)
    return _metadata(checkpoint, _item_metadata(checkpoint, checkpointable_name))


def checkpointables_metadata(path: PathLike) -> CheckpointMetadata:
    """What every item at ``path`` looks like, without reading an array."""
    checkpoint = _open(path)
    return _metadata(checkpoint, {name: _item_metadata(checkpoint, name) for name in checkpoint.item_names})


def verify(path: PathLike) -> _core.VerifyReport:
    """Checks every byte, reference and private file of a checkpoint.

    Returns:
        A report with ``ok``, ``bytes_checked`` and ``faults``; each fault has ``leaf``, ``chunk``, ``file``, ``offset`` and ``what``.

    Raises:
        NotFoundError: There is no checkpoint at ``path``.
    """
    return _core.verify(path_bytes(path), follow_links=current_context().file.follow_links)


def _save(
    path: PathLike,
    items: dict[str, Any],
    overwrite: bool,
    base: PathLike | None,
    custom_metadata: Mapping[str, Any] | None,
) -> None:
    if base is not None:
        _core.Checkpoint(path_bytes(base, "base"), follow_links=False)  # a wrong path shall not pass unnoticed
    context = current_context()
    saving = context.array.saving
    _core.save(
        path_bytes(path),
        {checked_name(name): item for name, item in items.items()},
        overwrite=checked(overwrite, bool, "overwrite"),
        custom_metadata=_json_object(custom_metadata),
        use_ocdbt=saving.use_ocdbt,
        use_zarr3=saving.use_zarr3,
        compress=saving.use_compression,
        storage_options=_plain_storage_options(saving.storage_options),
        leaf_storage_options=_leaf_storage_options(context),
        direct_io=context.file.direct_io,
    )


def _open(path: PathLike) -> _core.Checkpoint:
    return _core.Checkpoint(path_bytes(path), follow_links=current_context().file.follow_links)


def _load_item(checkpoint: _core.Checkpoint, name: str, abstract: Any, only: Sequence[str] | None) -> Any:
    context = current_context()
    loading, pytree = context.array.loading, context.pytree.loading
    tree, lossy = checkpoint.load(
        checked_name(name),
        abstract,
        only=None if only is None else _key_paths(only),
        placeholder=PLACEHOLDER,
        leaf_types=(ArrayMetadata,),
        partial_load=pytree.partial_load,
        keep_missing=pytree.missing == "keep",
        pad_and_truncate=loading.enable_padding_and_truncation,
        verify=loading.verify,
        mapped=loading.mapped,
        as_numpy=loading.as_numpy,
        bytes_max=loading.bytes_max,
    )
    if lossy:
        message = "the cast to the template's dtype changes the values of: " + ", ".join(lossy)
        if loading.raise_on_lossy_cast:
            raise MismatchError(message)
        warnings.warn(LossyCastWarning(message), stacklevel=3)
    return tree


def _key_paths(only: Sequence[str]) -> list[bytes]:
    if isinstance(only, (str, bytes)):
        raise InvalidError(f"only: a sequence of key paths, not a {type(only).__name__}")
    return [checked(path, str, "only").encode(errors="surrogatepass") for path in checked(only, Iterable, "only")]


def _item_metadata(checkpoint: _core.Checkpoint, name: str) -> Any:
    def array(shape: tuple, dtype: np.dtype, chunk_shape: tuple) -> ArrayMetadata:
        return ArrayMetadata(shape, dtype, StorageMetadata(chunk_shape))

    return checkpoint.describe(checked_name(name), array)


def _metadata(checkpoint: _core.Checkpoint, tree: Any) -> CheckpointMetadata:
    custom = json.loads(checkpoint.custom_metadata)
    return CheckpointMetadata(tree, custom, checkpoint.init_timestamp_nsecs, checkpoint.commit_timestamp_nsecs)


def _json_object(custom_metadata: Mapping[str, Any] | None) -> str:
    plain = {} if custom_metadata is None else dict(checked(custom_metadata, Mapping, "custom_metadata"))
    try:
        return json.dumps(plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidError(f"custom_metadata is not a JSON object: {error}") from error


def _plain_storage_options(options: StorageOptions) -> tuple[str | None, int | None, tuple[int, ...]]:
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
