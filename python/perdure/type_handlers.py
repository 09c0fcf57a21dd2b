"""Handlers of leaves. Those of arrays and plain values are built in."""

from perdure._src.checkpoint import is_supported_type

__all__ = ["is_supported_type"]
