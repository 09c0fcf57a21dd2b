"""One warning for all values that the casts of a call have changed."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

from perdure.errors import LossyCastWarning


def lossy_message(dtype: str, keys: Sequence[str]) -> str:
    return f"the cast to {dtype} changes the values of: " + ", ".join(keys)


def warn_of_casts(dtype: str, keys: Sequence[str]) -> None:
    """Warns the caller of the package, if there are any."""
    if keys:
        warnings.warn(LossyCastWarning(lossy_message(dtype, keys)), stacklevel=_frames_of_ours())


def _frames_of_ours() -> int:
    """How far the caller of the package is above the caller of this."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("perdure."):
        depth, frame = depth + 1, frame.f_back
    return depth
