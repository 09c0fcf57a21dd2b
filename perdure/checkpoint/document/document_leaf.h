#pragma once
// A leaf as the item document holds it: a plain value itself, of an array where it is stored.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "perdure/base/leaf.h"

namespace perdure::checkpoint {

/// An array leaf: stored under `name` in the item's store. dtype, shape and chunks are in its Zarr metadata.
struct StoredArrayRef {
  std::string name;                         // storage name: "params.layers.0.w"
  std::string origin;                       // ArrayLeaf::origin
  std::optional<std::uint32_t> tied_to;     // leaf index of an earlier array that is the same object; parse_item_document checks it
  std::vector<std::uint32_t> chunk_crc32c;  // of each stored chunk in C order, where the codecs have no crc32c; else empty
  bool operator==(const StoredArrayRef&) const = default;
};
using DocumentLeaf = std::variant<Scalar, StoredArrayRef>;

}  // namespace perdure::checkpoint
