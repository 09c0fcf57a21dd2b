#include "perdure/checkpoint/document/leaf_handler_table.h"

#include "perdure/checkpoint/document/leaf_handlers/array.h"
#include "perdure/checkpoint/document/leaf_handlers/bytes.h"
#include "perdure/checkpoint/document/leaf_handlers/handled.h"
#include "perdure/checkpoint/document/leaf_handlers/number.h"
#include "perdure/checkpoint/document/leaf_handlers/text.h"

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

template <class Handler>
constexpr LeafHandler row(std::string_view name, std::uint8_t tag, std::uint8_t tag_count = 1) {
  using Value = typename Handler::Value;
  return {.name = name,
          .tag = tag,
          .tag_count = tag_count,
          .stored_form = [](const DocumentLeaf& leaf) { return Handler::stored_form(value_of<Value>(leaf)); },
          .encode = [](DocumentWriter& out, const DocumentLeaf& leaf,
                       std::uint8_t first_tag) { Handler::encode(out, first_tag, value_of<Value>(leaf)); },
          .decode = [](DocumentReader& in, std::uint8_t tag_offset) -> DocumentLeaf {
            if constexpr (std::is_same_v<Value, StoredArrayRef>) {
              return Handler::decode(in, tag_offset);
            } else {
              return Scalar(Handler::decode(in, tag_offset));
            }
          }};
}

constexpr LeafHandler kLeafHandlerTable[] = {
    row<NoneHandler>("none", 0),        row<BoolHandler>("bool", 1, 2),  // False, True
    row<IntHandler>("int", 3),          row<BigIntHandler>("big_int", 4), row<FloatHandler>("float", 5),
    row<ComplexHandler>("complex", 6),  row<TextHandler>("text", 7),      row<BytesHandler>("bytes", 8),
    row<HandledHandler>("handled", 11), row<ArrayHandler>("array", 10),  // 9 is a tuple, which only keys are: item_structure.cc
};
constexpr std::size_t kArrayRow = std::variant_size_v<Scalar>;
static_assert(std::size(kLeafHandlerTable) == kArrayRow + 1);

}  // namespace

std::span<const LeafHandler> leaf_handler_table() { return kLeafHandlerTable; }

const LeafHandler& handler_of(const DocumentLeaf& leaf) {
  const auto* scalar = std::get_if<Scalar>(&leaf);
  return kLeafHandlerTable[scalar != nullptr ? scalar->index() : kArrayRow];
}

void encode_leaf(DocumentWriter& out, const DocumentLeaf& leaf) {
  const LeafHandler& handler = handler_of(leaf);
  handler.encode(out, leaf, handler.tag);
}

DocumentLeaf decode_leaf(DocumentReader& in, std::uint8_t tag, const char* of_what) {
  for (const LeafHandler& handler : kLeafHandlerTable) {
    if (tag >= handler.tag && tag < handler.tag + handler.tag_count)
      return handler.decode(in, static_cast<std::uint8_t>(tag - handler.tag));
  }
  fail_document("unknown tag " + std::to_string(tag) + " of a " + of_what);
}

}  // namespace perdure::checkpoint
