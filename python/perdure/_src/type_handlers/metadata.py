"""What handlers say of stored leaves."""

from __future__ import annotations

import dataclasses
import pathlib

import numpy as np


@dataclasses.dataclass(frozen=True)
class StorageMetadata:
    """How an array lies in a checkpoint."""

    chunk_shape: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class LeafMetadata:
    """A stored leaf: its storage name and the directory of its item."""

    name: str
    directory: pathlib.Path


@dataclasses.dataclass(frozen=True)
class ArrayLeafMetadata(LeafMetadata):
    """An array; ``dtype`` is NumPy's or ml_dtypes'."""

    shape: tuple[int, ...]
    dtype: np.dtype
    storage: StorageMetadata
