"""The C++ engine of perdure. Private: use the package's public modules."""
