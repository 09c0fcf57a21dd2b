// The bytes of an item document with every kind of key and leaf: what was saved once must be read for ever.
#include <gtest/gtest.h>

#include "perdure/checkpoint/document/item_document.h"

namespace perdure::checkpoint {
namespace {

std::vector<Key> keys() {
  return {
      Key{}, false, true, std::int64_t{-2}, Key{BigInt{"9223372036854775808"}}, 0.5, Text{"k"}, KeyTuple{Key{1}, Key{"t"}}, "b",
      "w",   "v",   "s"};
}

std::vector<DocumentLeaf> leaves() {
  return {Scalar{None{}},
          Scalar{false},
          Scalar{true},
          Scalar{std::int64_t{258}},
          Scalar{BigInt{"-9223372036854775809"}},
          Scalar{-2.0},
          Scalar{std::complex<double>(1, -2)},
          Scalar{Text{"hi"}},
          Scalar{Blob::from(std::string("\0\xff", 2))},
          StoredArrayRef{"w", "numpy", {}, {}},
          StoredArrayRef{"v", "numpy", 9, {0x01020304}},
          StoredArrayRef{"s", "jax.key:rbg", {}, {}}};
}

bool equal(const DocumentLeaf& a, const DocumentLeaf& b) {
  if (const auto* array = std::get_if<StoredArrayRef>(&a)) return *array == std::get<StoredArrayRef>(b);
  const Scalar& x = std::get<Scalar>(a);
  const Scalar& y = std::get<Scalar>(b);
  return std::visit(
      [&]<class T>(const T& value) {
        const T* other = std::get_if<T>(&y);
        if constexpr (std::is_same_v<T, Blob>)
          return other != nullptr && value.text() == other->text();
        else
          return other != nullptr && value == *other;
      },
      x);
}

/// A record of a class that holds a leaf under a key of each kind.
tree::Structure structure() {
  tree::Structure made;
  const std::size_t root = made.append(NodeKind::kRecord, Key{}, made.add_type({"m", "C"}));
  for (const Key& key : keys()) made.append(NodeKind::kLeaf, key);
  made.set_child_count(root, 12);
  return made;
}

constexpr std::string_view kGolden =
    "7065726475726520747265650a 01"                  // "perdure tree\n", version
    "01 016d 0143"                                   // types: m.C
    "0d 05 000000000000000000000000"                 // kinds of 13 nodes: a record, leaves
    "00 00 01 02 03feffffffffffffff"                 // keys: of the root, None, False, True, -2
    "0413 39323233333732303336383534373735383038"    // 9223372036854775808
    "05000000000000e03f 07016b"                      // 0.5, "k"
    "0902 030100000000000000 070174"                 // (1, "t")
    "070162 070177 070176 070173"                    // "b", "w", "v", "s"
    "0c 000000000000000000000000"                    // child counts
    "01 000000000000000000000000"                    // type indices
    "02 056e756d7079 0b6a61782e6b65793a726267"       // origins: numpy, jax.key:rbg
    "0c 00 01 02 030201000000000000"                 // 12 leaves: None, False, True, 258
    "0414 2d39323233333732303336383534373735383039"  // -9223372036854775809
    "0500000000000000c0"                             // -2.0
    "06000000000000f03f00000000000000c0"             // 1 - 2j
    "07026869 080200ff"                              // "hi", b"\0\xff"
    "0a 0177 00 00 00"                               // array w: origin 0, not tied, no CRCs
    "0a 0176 00 0a 01 04030201"                      // array v: origin 0, tied to leaf 9, a CRC
    "0a 0173 01 00 00"                               // array s: origin 1
    "2f67006d";                                      // CRC-32C

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size();) {
    if (digits[i] == ' ') {
      ++i;
      continue;
    }
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
    i += 2;
  }
  return bytes;
}

TEST(ItemDocumentGolden, IsWrittenAsEverBefore) { EXPECT_EQ(encode_item_document(structure(), leaves()), from_hex(kGolden)); }

TEST(ItemDocumentGolden, IsReadAsEverBefore) {
  const ItemDocument document = parse_item_document(from_hex(kGolden));
  const tree::Structure want = structure();
  EXPECT_EQ(document.structure.types(), want.types());
  for (std::size_t i = 0; i < want.nodes().size(); ++i) EXPECT_EQ(document.structure.nodes()[i].key, want.nodes()[i].key) << i;
  ASSERT_EQ(document.leaves.size(), leaves().size());
  for (std::size_t i = 0; i < document.leaves.size(); ++i) EXPECT_TRUE(equal(document.leaves[i], leaves()[i])) << i;
}

}  // namespace
}  // namespace perdure::checkpoint
