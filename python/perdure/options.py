"""Options that a Context carries."""

from perdure._src.options import ArrayOptions, CheckpointablesOptions, FileOptions, MemoryOptions, PyTreeOptions

__all__ = ["ArrayOptions", "CheckpointablesOptions", "FileOptions", "MemoryOptions", "PyTreeOptions"]
