"""Options that a Context carries."""

from perdure._src.options import ArrayOptions, CheckpointablesOptions, FileOptions, PyTreeOptions

__all__ = ["ArrayOptions", "CheckpointablesOptions", "FileOptions", "PyTreeOptions"]
