#include "perdure/checkpoint/document/item_document.h"

#include "perdure/base/checksum.h"
#include "perdure/checkpoint/document/item_structure.h"
#include "perdure/checkpoint/document/leaf_kind_table.h"

namespace perdure::checkpoint {
namespace {

constexpr std::string_view kMagic = "perdure tree\n";
constexpr std::uint64_t kVersion = 1;

void encode_leaves(DocumentWriter& out, const std::vector<DocumentLeaf>& leaves) {
  for (const DocumentLeaf& leaf : leaves) {
    if (const auto* array = std::get_if<StoredArrayRef>(&leaf)) out.add_origin(array->origin);
  }
  out.origin_table();
  out.varint(leaves.size());
  for (const DocumentLeaf& leaf : leaves) encode_leaf(out, leaf);
}

/// `leaf` comes after `earlier`.
void check_tie(const DocumentLeaf& leaf, const std::vector<DocumentLeaf>& earlier) {
  const auto* array = std::get_if<StoredArrayRef>(&leaf);
  if (array == nullptr || !array->tied_to) return;
  if (*array->tied_to >= earlier.size() || !std::holds_alternative<StoredArrayRef>(earlier[*array->tied_to])) {
    fail_document("'" + array->name + "' is tied to leaf " + std::to_string(*array->tied_to) + ", which is no earlier array");
  }
}

std::vector<DocumentLeaf> decode_leaves(DocumentReader& in) {
  in.origin_table();
  const std::uint64_t leaf_count = in.count();
  std::vector<DocumentLeaf> leaves;
  leaves.reserve(leaf_count);
  for (std::uint64_t i = 0; i < leaf_count; ++i) {
    DocumentLeaf leaf = decode_leaf(in, in.u8(), "leaf");
    check_tie(leaf, leaves);
    leaves.push_back(std::move(leaf));
  }
  return leaves;
}

/// The body, after magic and CRC have been checked.
ByteView checked_body(std::string_view text) {
  if (!text.starts_with(kMagic) || text.size() < kMagic.size() + kCrc32cBytes)
    fail_document("does not begin with 'perdure tree'");
  const ByteView bytes = as_bytes(text);
  const ByteView sealed = bytes.first(bytes.size() - kCrc32cBytes);
  check_crc32c(trailing_crc32c(bytes), crc32c(sealed));
  return sealed.subspan(kMagic.size());
}

}  // namespace

std::string encode_item_document(const tree::Structure& structure, const std::vector<DocumentLeaf>& leaves) {
  DocumentWriter out;
  out.bytes().text(kMagic);
  out.varint(kVersion);
  encode_structure(out, structure);
  encode_leaves(out, leaves);
  out.u32(crc32c(as_bytes(out.bytes().str())));
  return out.bytes().take();
}

ItemDocument parse_item_document(std::string_view text) {
  DocumentReader in(checked_body(text));
  if (const std::uint64_t version = in.varint(); version != kVersion) {
    fail_document("format version " + std::to_string(version) + "; this perdure reads " + std::to_string(kVersion));
  }
  ItemDocument document;
  document.structure = decode_structure(in);
  document.leaves = decode_leaves(in);
  in.expect_end();
  if (document.leaves.size() != document.structure.leaf_count()) {
    fail_document(std::to_string(document.structure.leaf_count()) + " leaves in the structure, " +
                  std::to_string(document.leaves.size()) + " values");
  }
  return document;
}

}  // namespace perdure::checkpoint
