#pragma once
// _PERDURE_TREE: what perdure knows about a tree beyond what Orbax's files can say, so that everything comes back as it went in.
//
// Foreign readers ignore it. `_METADATA` names it under "perdure", so that its loss is an error and not a silent loss of types.
// Binary and columnar (docs/design/item_document.md), since a tree of 20,000 leaves must cost milliseconds:
//
//   magic "perdure tree\n", version, types, nodes in preorder (kinds, keys, child counts, type indices), origins, leaves, crc32c
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "perdure/base/leaf.h"
#include "perdure/tree/structure.h"

namespace perdure::checkpoint {

/// An array leaf: stored under `name` in the item's store. dtype, shape and chunks are in its Zarr metadata.
struct StoredArrayRef {
  std::string name;                                 // storage name: "params.layers.0.w"
  std::string origin;                               // ArrayLeaf::origin
  std::optional<std::uint32_t> tied_to;             // leaf index of an earlier leaf that is the same object
  std::vector<std::uint32_t> chunk_crc32c;          // of each stored chunk in C order, where the codecs have no crc32c; else empty
  bool operator==(const StoredArrayRef&) const = default;
};
using DocumentLeaf = std::variant<Scalar, StoredArrayRef>;

struct ItemDocument {
  tree::Structure structure;
  std::vector<DocumentLeaf> leaves;  // by leaf index
};

/// `leaves` by leaf index of `structure`. Throws kInvalid for a tuple key that is nested too deeply.
std::string encode_item_document(const tree::Structure& structure, const std::vector<DocumentLeaf>& leaves);
/// Throws kCorrupt, also for a format version that is newer than this code.
ItemDocument parse_item_document(std::string_view text);

}  // namespace perdure::checkpoint
