"""The dtypes that tests run over: every row of the engine's table, as NumPy and ml_dtypes know it."""

import ml_dtypes
import numpy as np

from perdure import _core

NAMES = [name for name, _, _, _ in _core.dtypes()]
DTYPES = {name: np.dtype(getattr(ml_dtypes, name, None) or name) for name in NAMES}
BITS = {name: bits for name, _, bits, _ in _core.dtypes()}
OF_NUMPY = [name for name in NAMES if not hasattr(ml_dtypes, name)]
OF_ZARR = [name for name, _, _, has_zarr_name in _core.dtypes() if has_zarr_name]
OURS = [name for name in NAMES if name not in OF_ZARR]


def is_below_a_byte(name):
    """Whether an element has bits to spare: one element still takes one byte."""
    return BITS[name] < 8 and name != "bool"
