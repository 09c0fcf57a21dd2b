#pragma once
// One kind of leaf: how Orbax's readers see it, and how the item document holds it.
//
// To add one: docs/design/extending.md, "A kind of leaf". Each is a struct of this form:
//
//   struct BigIntKind {
//     using Value = BigInt;
//     static StoredForm stored_form(const BigInt& value);
//     static void encode(DocumentWriter& out, std::uint8_t tag, const BigInt& value);  // the tag, then the value
//     static BigInt decode(DocumentReader& in, std::uint8_t tag_offset);               // after the tag
//   };
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "perdure/base/bytes.h"
#include "perdure/base/dtype.h"
#include "perdure/checkpoint/document/document_io.h"
#include "perdure/checkpoint/document/document_leaf.h"
#include "perdure/checkpoint/orbax/value_type.h"

namespace perdure::checkpoint {

/// What foreign readers see of a leaf, as much of it as they can hold. The item document keeps every plain value exactly.
struct StoredForm {
  std::string_view value_type;                // of _METADATA
  std::optional<std::string_view> text = {};  // of a "string"; borrowed from the leaf
  // What is stored as an array although it was none: rank 0 in `element`, or rank 1 in `array_bytes`, borrowed from the leaf.
  std::optional<DType> array_dtype = {};
  std::array<std::byte, 16> element = {};
  std::optional<ByteView> array_bytes = {};

  template <class T>
  static StoredForm rank0(std::string_view value_type, DType dtype, const T& value) {
    StoredForm form{.value_type = value_type, .array_dtype = dtype};
    std::memcpy(form.element.data(), &value, sizeof value);
    return form;
  }
};

/// A row of the table: its functions, for any such leaf.
struct LeafKind {
  std::string_view name;   // "big_int"
  std::uint8_t tag;        // in the item document, for ever
  std::uint8_t tag_count;  // values with a tag of their own: tag, tag + 1, ...
  StoredForm (*stored_form)(const DocumentLeaf& leaf);
  void (*encode)(DocumentWriter& out, const DocumentLeaf& leaf, std::uint8_t tag);
  DocumentLeaf (*decode)(DocumentReader& in, std::uint8_t tag_offset);
};

}  // namespace perdure::checkpoint
