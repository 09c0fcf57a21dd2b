"""Handlers of checkpointables. One is built in: trees of arrays and values."""

from perdure._src.checkpoint import typestr

__all__ = ["typestr"]
