"""load, load_checkpointables, their asynchronous forms, metadata, verify and delete."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from perdure import _core
from perdure._src.arguments import PathLike, absolute_path, checked, path_bytes
from perdure._src.context import current_context
from perdure._src.handler_registry import Resolver
from perdure._src.load_items import describe_item, prepare_load
from perdure._src.response import LoadResponse
from perdure._src.tree_io import CheckpointMetadata, describe_tree, load_tree
from perdure.errors import InvalidError

T = TypeVar("T")


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
        CheckpointError: Again and again, another save has overwritten the checkpoint before it was read. (After one, the load begins
            again: what it gives is of one save.)
    """
    return _finish(_load_tree(path, abstract_state, checkpointable_name, only))


def load_async(
    path: PathLike,
    abstract_state: Any = None,
    *,
    checkpointable_name: str = "AUTO",
    only: Sequence[str] | None = None,
) -> LoadResponse[Any]:
    """As ``load``, in the background; a path where nothing is committed is refused at once. ``abstract_state`` must stay as it is."""
    return _finish_in_background(_load_tree(path, abstract_state, checkpointable_name, only))


def load_checkpointables(path: PathLike, abstract_checkpointables: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Reads the named objects of a checkpoint.

    Args:
        path: A committed checkpoint, as for ``load``.
        abstract_checkpointables: What to read, by name, and for each what its handler needs to know (``None``: as saved), or what
            ``checkpointables_metadata`` gives. Nothing else is read. ``None`` or empty: everything, as saved.

    Raises:
        NotFoundError: Nothing is committed at ``path``, or a name is not there; the message has the names that are.
        NoHandlerError: No handler takes a checkpointable.
        KeyError: The second half of a handler failed; ``__cause__`` is what it raised. What the first half raises comes as it is, and
            what perdure raises too, with a note that names the checkpointable.
    """
    return _finish(_load_items(path, abstract_checkpointables))


def load_checkpointables_async(
    path: PathLike, abstract_checkpointables: Mapping[str, Any] | None = None
) -> LoadResponse[dict[str, Any]]:
    """As ``load_checkpointables``, in the background once the first half of every handler has run. Where it begins again, first
    halves run there too. ``abstract_checkpointables`` must stay as it is."""
    return _finish_in_background(_load_items(path, abstract_checkpointables))


def metadata(path: PathLike, checkpointable_name: str = "AUTO") -> CheckpointMetadata:
    """What the tree at ``path`` looks like, without reading an array. Errors as of ``load``."""
    return _describe(path, lambda checkpoint: describe_tree(checkpoint, checkpointable_name))


def checkpointables_metadata(path: PathLike) -> CheckpointMetadata:
    """What every item at ``path`` looks like, as its handler says; ``None`` where no handler knows. Errors as of ``load_checkpointables``."""
    resolver = Resolver(current_context().checkpointables.registry)
    return _describe(path, lambda checkpoint: {name: describe_item(checkpoint, name, resolver) for name in checkpoint.item_names})


def verify(path: PathLike) -> _core.VerifyReport:
    """Checks every byte, reference and private file of a checkpoint.

    Returns:
        A report with ``ok``, ``bytes_checked`` and ``faults``; each fault has ``leaf``, ``chunk``, ``file``, ``offset`` and ``what``.

    Raises:
        NotFoundError: There is no checkpoint at ``path``.
        CheckpointError: As of ``load``.
    """
    return _core.verify(path_bytes(path), follow_links=current_context().file.follow_links)


def delete(path: PathLike) -> None:
    """Deletes a checkpoint. It disappears in one step: no reader ever finds a part of it. Also removes what a deletion or a save that was
    cut short has left of one.

    Raises:
        NotFoundError: Nothing is at ``path``.
        InvalidError: It is no checkpoint, a link, or a part of a checkpoint. Nothing was deleted.
        AlreadyExistsError: Somebody is saving to ``path``.
    """
    _core.delete_checkpoint(path_bytes(path))


def open_checkpoint(path: PathLike) -> _core.Checkpoint:
    return _core.Checkpoint(path_bytes(path), follow_links=current_context().file.follow_links)


Halves = Generator[None, None, T]  # what the caller's thread does, and what any thread may do then; returns what was read


def _read_steadily(path: PathLike, begin: Callable[[_core.Checkpoint], Callable[[], T]]) -> Halves[T]:
    """Opens the checkpoint and begins to read; then finishes. All again after a failure if another save has overwritten it."""
    path = absolute_path(path)
    for attempt in itertools.count(1):
        checkpoint = open_checkpoint(path)
        try:
            finish = begin(checkpoint)
            yield
            return finish()
        except Exception:
            if attempt == _core.READ_ATTEMPTS_MAX or not checkpoint.was_replaced:
                raise


def _finish(load: Halves[T]) -> T:
    while True:
        try:
            next(load)
        except StopIteration as finished:
            return finished.value


def _finish_in_background(load: Halves[T]) -> LoadResponse[T]:
    next(load)
    return LoadResponse(lambda: _finish(load))


def _load_tree(path: PathLike, abstract: Any, name: str, only: Sequence[str] | None) -> Halves[Any]:
    def load(checkpoint: _core.Checkpoint) -> Any:
        return load_tree(checkpoint, name, abstract, None if only is None else _key_paths(only))

    return _read_steadily(path, lambda checkpoint: lambda: load(checkpoint))


def _load_items(path: PathLike, abstract: Mapping[str, Any] | None) -> Halves[dict[str, Any]]:
    return _read_steadily(path, lambda checkpoint: prepare_load(checkpoint, path, abstract))


def _key_paths(only: Sequence[str]) -> list[bytes]:
    if isinstance(only, (str, bytes)):
        raise InvalidError(f"only: a sequence of key paths, not a {type(only).__name__}")
    return [checked(path, str, "only").encode(errors="surrogatepass") for path in checked(only, Iterable, "only")]


def _describe(path: PathLike, describe: Callable[[_core.Checkpoint], Any]) -> CheckpointMetadata:
    return _finish(_read_steadily(path, lambda checkpoint: lambda: _metadata(checkpoint, describe(checkpoint))))


def _metadata(checkpoint: _core.Checkpoint, described: Any) -> CheckpointMetadata:
    custom = json.loads(checkpoint.custom_metadata)
    metrics = checkpoint.metrics
    checkpoint.check_not_replaced()  # handlers that described something were given a path
    return CheckpointMetadata(
        described,
        custom,
        checkpoint.init_timestamp_nsecs,
        checkpoint.commit_timestamp_nsecs,
        None if metrics is None else json.loads(metrics),
    )
