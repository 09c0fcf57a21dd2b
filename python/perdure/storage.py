"""The low-level door: keys, values and arrays of any OCDBT database, Zarr directory or checkpoint item."""

from perdure._src.storage import Array, KvStore, open_array, open_kvstore

__all__ = ["Array", "KvStore", "open_array", "open_kvstore"]
