"""Which leaf a handler writes or reads, and where."""

from __future__ import annotations

import copy
import pathlib
from typing import Any, Protocol, runtime_checkable

from perdure._src.type_handlers.limits import ByteLimiter
from perdure._src.type_handlers.status import IsPrioritizedKeyFn, KeyPath
from perdure.errors import InvalidError


@runtime_checkable
class PathAwaitingCreation(Protocol):
    """A directory that somebody else creates. Recognised by its shape: no need to inherit."""

    def __truediv__(self, other: Any) -> PathAwaitingCreation: ...

    @property
    def path(self) -> pathlib.Path:
        """Where it will be. Nothing may be done there before ``await_creation``."""
        ...

    async def await_creation(self) -> pathlib.Path:
        """Returns the path once the directory exists."""
        ...


class ParamInfo:
    """What perdure knows about one leaf; callers choose none of it. Attributes are those of the constructor's arguments."""

    def __init__(
        self,
        *,
        name: str,
        parent_dir: pathlib.Path | PathAwaitingCreation,
        path: pathlib.Path | PathAwaitingCreation | None = None,
        keypath: KeyPath | None = None,
        skip_deserialize: bool | None = None,
        byte_limiter: ByteLimiter | None = None,
        device_host_byte_limiter: ByteLimiter | None = None,
        is_ocdbt_checkpoint: bool | None = None,
        use_compression: bool | None = True,
        use_zarr3: bool | None = False,
        ocdbt_target_data_file_size: int | None = None,
        ts_context: Any = None,
        value_typestr: str | None = None,
        enable_pinned_host_transfer: bool = False,
        raise_array_data_missing_error: bool = True,
        write_shape: tuple[int, ...] | None = None,
        is_prioritized_key_fn: IsPrioritizedKeyFn | None = None,
    ):
        """
        Args:
            name: Storage name of the leaf: its key names joined with dots.
            parent_dir: Directory of the item; all leaves of one call have the same.
            path: Place of the leaf; ``None``: ``parent_dir / name``.
            keypath: Where the leaf is in the tree.
            skip_deserialize: The leaf is not read; its place in the result holds ``None``.
            byte_limiter: Bounds the bytes that are written or read at once.
            device_host_byte_limiter: Bounds the bytes that are copied from devices and not yet written.
            is_ocdbt_checkpoint: The directory is one OCDBT database, complete after ``finalize``. Otherwise each array has a
                directory of its own. ``None``: what is found when reading, directories when writing.
            use_compression: Compress with zstd.
            use_zarr3: Zarr v3; otherwise v2.
            ocdbt_target_data_file_size: A data file of the database that has reached this size (bytes) is followed by another one.
            ts_context: Accepted and ignored: the engine shares its caches by itself.
            value_typestr: ``typestr()`` of the handler that wrote the leaf.
            enable_pinned_host_transfer: Accepted and ignored: frameworks choose how they copy from devices.
            raise_array_data_missing_error: A chunk that is not stored raises CorruptError; otherwise it reads as the fill value.
            write_shape: Shape of the largest box that is written at once; chunks are no larger.
            is_prioritized_key_fn: When the leaf is transferred.
        """
        self.name = name
        self._parent_dir = pathlib.Path(parent_dir) if isinstance(parent_dir, str) else parent_dir
        self._path = self._parent_dir / name if path is None else path
        self.keypath = keypath
        self.skip_deserialize = skip_deserialize
        self.byte_limiter = byte_limiter
        self.device_host_byte_limiter = device_host_byte_limiter
        self.is_ocdbt_checkpoint = is_ocdbt_checkpoint
        self.use_compression = use_compression
        self.use_zarr3 = use_zarr3
        self.ocdbt_target_data_file_size = ocdbt_target_data_file_size
        self.ts_context = ts_context
        self.value_typestr = value_typestr
        self.enable_pinned_host_transfer = enable_pinned_host_transfer
        self.raise_array_data_missing_error = raise_array_data_missing_error
        self.write_shape = write_shape
        self.is_prioritized_key_fn = is_prioritized_key_fn

    @property
    def parent_dir(self) -> pathlib.Path:
        """Raises InvalidError while the directory awaits its creation."""
        return _created(self._parent_dir, "parent_dir")

    @parent_dir.setter
    def parent_dir(self, value: pathlib.Path | PathAwaitingCreation) -> None:
        self._parent_dir = value

    @property
    def path(self) -> pathlib.Path:
        """Raises InvalidError if it is ``None``, or while the directory awaits its creation."""
        if self._path is None:
            raise InvalidError(f"path of '{self.name}' is None")
        return _created(self._path, "path")

    @path.setter
    def path(self, value: pathlib.Path | PathAwaitingCreation | None) -> None:
        self._path = value

    def replace(self, **changes: Any) -> ParamInfo:
        """A shallow copy with some attributes changed; ``path`` stays unless it is given."""
        other = copy.copy(self)
        for name, value in changes.items():
            setattr(other, name, value)
        return other

    async def await_path_creation(self) -> None:
        """Returns once the directory exists; ``parent_dir`` and ``path`` are then ordinary paths."""
        if isinstance(self._parent_dir, PathAwaitingCreation):
            self._parent_dir = await self._parent_dir.await_creation()
            self._path = self._parent_dir / self.name

    def __repr__(self) -> str:
        return f"ParamInfo(name={self.name!r}, parent_dir={self._parent_dir!r})"


def _created(path: Any, attribute: str) -> pathlib.Path:
    if isinstance(path, PathAwaitingCreation):
        raise InvalidError(f"{attribute} awaits its creation: call 'await info.await_path_creation()' first")
    return path
