"""The C++ engine of perdure. Private: use the package's public modules."""



def cast(array_bytes: bytes, from_name: str, to_name: str) -> tuple[bytes, tuple[bool, bool, bool]]:
    """
    The elements in another dtype, and whether the cast (changed kind and value, overflowed an integer, overflowed a float).
    """
