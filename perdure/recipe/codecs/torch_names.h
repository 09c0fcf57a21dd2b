#pragma once
// The names that PyTorch has for dtypes and devices: what a recipe may say where it expects one. A fixed table, so that no text of a file
// ever becomes an attribute of a module.
#include <optional>
#include <string_view>

#include "perdure/base/dtype.h"

namespace perdure::recipe {

/// "float32" of "torch.float32", "float32", "torch.float" or "float"; nullopt if torch has no such dtype.
std::optional<std::string_view> find_torch_dtype(std::string_view name);

/// Whether torch has tensors of it: it names types of less than a byte, but none of its tensors hold them.
bool is_dtype_of_tensors(DType dtype);

/// "cpu", "cuda:1": a type that torch has, and an index from 0 to 127 if there is one.
bool is_torch_device(std::string_view name);

}  // namespace perdure::recipe
