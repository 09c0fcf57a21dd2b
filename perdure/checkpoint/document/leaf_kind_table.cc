#include "perdure/checkpoint/document/leaf_kind_table.h"

#include <array>
#include <type_traits>
#include <utility>
#include <variant>

#include "perdure/checkpoint/document/leaf_kinds/array.h"
#include "perdure/checkpoint/document/leaf_kinds/bytes.h"
#include "perdure/checkpoint/document/leaf_kinds/handled.h"
#include "perdure/checkpoint/document/leaf_kinds/number.h"
#include "perdure/checkpoint/document/leaf_kinds/text.h"

namespace perdure::checkpoint {
namespace {

template <class Value>
const Value& value_of(const DocumentLeaf& leaf) {
  if constexpr (std::is_same_v<Value, StoredArrayRef>) {
    return std::get<StoredArrayRef>(leaf);
  } else {
    return std::get<Value>(std::get<Scalar>(leaf));
  }
}

template <class Kind>
struct Row : LeafKind {};

template <class Kind>
constexpr Row<Kind> row(std::string_view name, std::uint8_t tag, std::uint8_t tag_count = 1) {
  using Value = typename Kind::Value;
  return {{.name = name,
           .tag = tag,
           .tag_count = tag_count,
           .stored_form = [](const DocumentLeaf& leaf) { return Kind::stored_form(value_of<Value>(leaf)); },
           .encode = [](DocumentWriter& out, const DocumentLeaf& leaf,
                        std::uint8_t first_tag) { Kind::encode(out, first_tag, value_of<Value>(leaf)); },
           .decode = [](DocumentReader& in, std::uint8_t tag_offset) -> DocumentLeaf {
             if constexpr (std::is_same_v<Value, StoredArrayRef>) {
               return Kind::decode(in, tag_offset);
             } else {
               return Scalar(Kind::decode(in, tag_offset));
             }
           }}};
}

template <class... Values>
std::variant<Values..., StoredArrayRef> and_arrays(const std::variant<Values...>&);

template <class... Kinds>
constexpr std::array<LeafKind, sizeof...(Kinds)> table(Row<Kinds>... rows) {
  static_assert(std::is_same_v<std::variant<typename Kinds::Value...>, decltype(and_arrays(std::declval<Scalar>()))>,
                "a row for each alternative of Scalar, in their order, then arrays");
  return {rows...};
}

// clang-format off
constexpr auto kLeafKindTable = table(
    row<NoneKind>("none", 0),
    row<BoolKind>("bool", 1, 2),  // False, True
    row<IntKind>("int", 3),
    row<BigIntKind>("big_int", 4),
    row<FloatKind>("float", 5),
    row<ComplexKind>("complex", 6),
    row<TextKind>("text", 7),
    row<BytesKind>("bytes", 8),
    row<HandledKind>("handled", 11),
    row<ArrayKind>("array", 10));  // 9 is a tuple, which only keys are: item_structure.cc
// clang-format on

}  // namespace

std::span<const LeafKind> leaf_kind_table() { return kLeafKindTable; }

const LeafKind& leaf_kind_of(const DocumentLeaf& leaf) {
  const auto* scalar = std::get_if<Scalar>(&leaf);
  return kLeafKindTable[scalar != nullptr ? scalar->index() : std::variant_size_v<Scalar>];
}

void encode_leaf(DocumentWriter& out, const DocumentLeaf& leaf) {
  const LeafKind& kind = leaf_kind_of(leaf);
  kind.encode(out, leaf, kind.tag);
}

DocumentLeaf decode_leaf(DocumentReader& in, std::uint8_t tag, const char* of_what) {
  for (const LeafKind& kind : kLeafKindTable) {
    if (tag >= kind.tag && tag < kind.tag + kind.tag_count) return kind.decode(in, static_cast<std::uint8_t>(tag - kind.tag));
  }
  fail_document("unknown tag " + std::to_string(tag) + " of a " + of_what + "; a newer perdure may have written it");
}

}  // namespace perdure::checkpoint
