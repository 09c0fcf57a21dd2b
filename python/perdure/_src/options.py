"""Option objects of a Context. Plain dataclasses that refuse changes while their context is active."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from perdure._src.handler_registry import Registry, default_registry
from perdure.errors import InvalidError


def _is_count(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**63


def _is_dtype(value: Any) -> bool:
    try:
        return value is None or bool(np.dtype(value).name)
    except TypeError:
        return False


# What an option takes, by its annotation. Other annotations are the classes of nested options.
_ACCEPTS: dict[str, Callable[[Any], bool]] = {
    "bool": lambda value: isinstance(value, bool),
    "int | None": lambda value: value is None or _is_count(value, 1),
    "Registry": lambda value: isinstance(value, Registry),
    "Any | None": lambda value: True,
    "Callable[[tuple], Any] | None": lambda value: value is None or callable(value),
    "tuple[int, ...]": lambda value: isinstance(value, (tuple, list)) and all(_is_count(axis, 0) for axis in value),
    "Any": _is_dtype,
    "Literal['error', 'keep']": lambda value: value in ("error", "keep"),
    "Callable[[tuple, Any], StorageOptions | None] | None": lambda value: value is None or callable(value),
}


class Freezable:
    """Attributes can be set until freeze(); afterwards setting one raises RuntimeError. Nested options freeze along."""

    def freeze(self, frozen: bool = True) -> None:
        object.__setattr__(self, "_frozen", frozen)
        for value in vars(self).values():
            if isinstance(value, Freezable):
                value.freeze(frozen)

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_frozen", False):
            raise RuntimeError(f"{type(self).__name__}.{name} cannot be set while its context is active")
        field = type(self).__dataclass_fields__.get(name)
        if field is None:
            raise AttributeError(f"{type(self).__name__} has no option '{name}'")
        accepts = _ACCEPTS.get(field.type, lambda nested: type(nested).__name__ == field.type)
        if not accepts(value):
            raise InvalidError(f"{type(self).__name__}.{name}: {value!r}, expected {field.type.replace('Any', 'a dtype')}")
        object.__setattr__(self, name, value)

    def copy(self) -> Any:
        """The same options, not frozen."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return type(self)(**{k: v.copy() if isinstance(v, Freezable) else v for k, v in values.items()})


@dataclasses.dataclass
class StorageOptions(Freezable):
    """How one array is stored.

    Attributes:
        dtype: Cast the array to this dtype before it is written; ``None``: as it is. The default of all arrays leaves typed random
            keys, and types that only torch has, as they are.
        chunk_byte_size: No chunk is larger (bytes); chunk shapes then divide the array's shape, unless that would make dust of them (primes).
            ``None``: 64 MiB along axis 0.
        shard_axes: Axes that are split first to reach ``chunk_byte_size``; empty: the longest axis first. The default of all arrays
            may name axes that some of them have not.
    """

    dtype: Any = None
    chunk_byte_size: int | None = None
    shard_axes: tuple[int, ...] = ()


@dataclasses.dataclass
class ArraySavingOptions(Freezable):
    """How arrays are stored.

    Attributes:
        use_ocdbt: One database for all arrays (few files); ``False``: a directory for each array.
        use_zarr3: Zarr v3; ``False``: Zarr v2.
        use_compression: zstd for every array. Weights hardly shrink; off unless asked for.
        storage_options: Default for every array.
        scoped_storage_options_creator: ``(key path, leaf) -> StorageOptions | None``, which overrides the default for that leaf.
    """

    StorageOptions = StorageOptions

    use_ocdbt: bool = True
    use_zarr3: bool = True
    use_compression: bool = False
    storage_options: StorageOptions = dataclasses.field(default_factory=StorageOptions)
    scoped_storage_options_creator: Callable[[tuple, Any], StorageOptions | None] | None = None


@dataclasses.dataclass
class ArrayLoadingOptions(Freezable):
    """How arrays are read.

    Attributes:
        enable_padding_and_truncation: A template of another shape gets what fits, zeros where nothing is stored.
        verify: Check the checksums of all that is read.
        mapped: Give private mappings of the files where the layout allows it, instead of copies. Nobody may change the files
            while the arrays live.
        as_numpy: Without a template: always NumPy arrays, whatever was saved.
        raise_on_lossy_cast: Raise MismatchError where a cast changes a value, instead of warning.
        bytes_max: Refuse to load more than this (bytes); ``None``: no bound.
    """

    enable_padding_and_truncation: bool = False
    verify: bool = True
    mapped: bool = False
    as_numpy: bool = False
    raise_on_lossy_cast: bool = False
    bytes_max: int | None = None


@dataclasses.dataclass
class ArrayOptions(Freezable):
    Saving = ArraySavingOptions
    Loading = ArrayLoadingOptions

    saving: ArraySavingOptions = dataclasses.field(default_factory=ArraySavingOptions)
    loading: ArrayLoadingOptions = dataclasses.field(default_factory=ArrayLoadingOptions)


@dataclasses.dataclass
class PyTreeLoadingOptions(Freezable):
    """How a tree is matched with its template.

    Attributes:
        partial_load: Leaves of the checkpoint that the template does not ask for are ignored.
        missing: ``"error"``: a template leaf that is not stored raises MismatchError; ``"keep"``: it keeps the template's value.
    """

    partial_load: bool = False
    missing: Literal["error", "keep"] = "error"


@dataclasses.dataclass
class PyTreeOptions(Freezable):
    Loading = PyTreeLoadingOptions

    loading: PyTreeLoadingOptions = dataclasses.field(default_factory=PyTreeLoadingOptions)


@dataclasses.dataclass
class FileOptions(Freezable):
    """How files are opened and written.

    Attributes:
        follow_links: Follow links inside a checkpoint. The checkpoint path itself may always be one.
        direct_io: Write around the page cache where the machine allows it.
    """

    follow_links: bool = False
    direct_io: bool = True


@dataclasses.dataclass
class MemoryOptions(Freezable):
    """What saves and loads may hold in memory.

    Attributes:
        staging_bytes_max: Copies of the arrays that asynchronous saves hold at once (bytes). While earlier saves hold too much a
            new one waits; a state that is larger by itself is written before the call returns. ``None``: no bound.
        deepcopy_host_arrays: Copy arrays that may change before an asynchronous save returns. ``False``: you promise to leave them
            alone until the save is done.
        write_concurrent_bytes: Bytes of arrays that a save writes at once; an array that is larger is refused. ``None``: no limit.
        read_concurrent_bytes: The same for arrays that a load reads at once.
        transfer_concurrent_bytes: Bytes of arrays that are transferred in the background and not yet written; an array that is larger
            passes alone. ``None``: no limit.
        serialization_status_callback: Chooses when each array is transferred, and is told how far it is.
        is_prioritized_key_fn: ``key path -> TransferPriority``; a status callback's ``key_priority`` goes before it. Without either, all
            arrays are synchronous.
    """

    staging_bytes_max: int | None = None
    deepcopy_host_arrays: bool = True
    write_concurrent_bytes: int | None = None
    read_concurrent_bytes: int | None = None
    transfer_concurrent_bytes: int | None = None
    serialization_status_callback: Any | None = None
    is_prioritized_key_fn: Callable[[tuple], Any] | None = None


@dataclasses.dataclass
class CheckpointablesOptions(Freezable):
    """Which handlers save and load the named objects of a checkpoint.

    Attributes:
        registry: As ``perdure.handlers.local_registry`` makes it. Default: the handlers that are registered for all.
    """

    registry: Registry = dataclasses.field(default_factory=default_registry)
