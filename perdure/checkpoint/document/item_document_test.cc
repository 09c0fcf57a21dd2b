#include "perdure/checkpoint/document/item_document.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "perdure/base/byte_io.h"
#include "perdure/base/checksum.h"
#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

Key tuple_key(int depth) {
  Key key{Text{"end"}};
  for (int i = 0; i < depth; ++i) key = {std::make_shared<const KeyTuple>(KeyTuple{key, {true}})};
  return key;
}

std::vector<Key> keys_of_every_kind() {
  return {{None{}},    {true}, {false}, {std::int64_t{-1}}, {BigInt{"99999999999999999999"}}, {-0.0}, {Text{"\xed\xa0\x80"}},
          tuple_key(3)};
}

std::vector<DocumentLeaf> leaves_of_every_kind() {
  return {Scalar{None{}},
          Scalar{false},
          Scalar{std::numeric_limits<std::int64_t>::min()},
          Scalar{BigInt{"-170141183460469231731687303715884105728"}},
          Scalar{-0.0},
          Scalar{std::complex<double>(1, -2)},
          Scalar{Text{std::string("a\0b", 3)}},
          StoredArrayRef{"params.w", "torch.Parameter", {}, {1, 0xffffffff}}};
}

/// A mapping whose leaves stand under keys of every kind, and an empty record of a class.
tree::Structure structure_of_every_kind() {
  tree::Structure structure;
  const auto root = structure.append(NodeKind::kMapping, {});
  for (const Key& key : keys_of_every_kind()) structure.append(NodeKind::kLeaf, key);
  structure.append(NodeKind::kRecord, {Text{"empty"}}, structure.add_type({"my.module", "State"}));
  structure.set_child_count(root, 9);
  return structure;
}

tree::Structure list_of(std::uint32_t count) {
  tree::Structure structure;
  const auto root = structure.append(NodeKind::kList, {});
  for (std::uint32_t i = 0; i < count; ++i) structure.append(NodeKind::kLeaf, {std::int64_t{i}});
  structure.set_child_count(root, count);
  return structure;
}

std::string sealed(std::string body) {
  ByteWriter crc;
  crc.u32le(crc32c(as_bytes(body)));
  return body + crc.str();
}

TEST(ItemDocument, KeepsStructure) {
  const tree::Structure structure = structure_of_every_kind();
  const ItemDocument document = parse_item_document(encode_item_document(structure, leaves_of_every_kind()));
  ASSERT_EQ(document.structure.nodes().size(), structure.nodes().size());
  EXPECT_EQ(document.structure.types(), structure.types());
  for (std::size_t i = 0; i < structure.nodes().size(); ++i) {
    const tree::Node& got = document.structure.nodes()[i];
    const tree::Node& want = structure.nodes()[i];
    EXPECT_EQ(got.kind, want.kind) << i;
    EXPECT_EQ(got.key, want.key) << i;
    EXPECT_EQ(got.child_count, want.child_count) << i;
    EXPECT_EQ(got.leaf_index, want.leaf_index) << i;
    EXPECT_EQ(got.type_index, want.type_index) << i;
  }
}

TEST(ItemDocument, KeepsEveryLeaf) {
  const auto leaves = leaves_of_every_kind();
  const ItemDocument document = parse_item_document(encode_item_document(structure_of_every_kind(), leaves));
  const std::string again = encode_item_document(document.structure, document.leaves);
  EXPECT_EQ(again, encode_item_document(structure_of_every_kind(), leaves));
  EXPECT_EQ(std::get<StoredArrayRef>(document.leaves[7]), std::get<StoredArrayRef>(leaves[7]));
  EXPECT_EQ(std::get<Text>(std::get<Scalar>(document.leaves[6])).utf8.size(), 3);
}

TEST(ItemDocument, KeepsEveryBitOfAFloat) {
  const auto bits = std::uint64_t{0x7ff4deadbeef0001};  // a signalling NaN with a payload
  const auto document = parse_item_document(encode_item_document(list_of(1), {Scalar{std::bit_cast<double>(bits)}}));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(std::get<double>(std::get<Scalar>(document.leaves[0]))), bits);
}

TEST(ItemDocument, KeepsBytesAndTies) {
  const std::vector<DocumentLeaf> leaves = {StoredArrayRef{"0", "", {}, {}}, StoredArrayRef{"1", "", 0, {}},
                                            Scalar{Blob::from(std::string("\0\xff", 2))}};
  const ItemDocument document = parse_item_document(encode_item_document(list_of(3), leaves));
  EXPECT_EQ(std::get<StoredArrayRef>(document.leaves[1]).tied_to, 0);
  EXPECT_EQ(std::get<Blob>(std::get<Scalar>(document.leaves[2])).text(), std::string_view("\0\xff", 2));
}

TEST(ItemDocument, RejectsEveryFlippedBit) {
  const std::string text = encode_item_document(structure_of_every_kind(), leaves_of_every_kind());
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string spoiled = text;
    spoiled[bit / 8] = static_cast<char>(spoiled[bit / 8] ^ 1 << bit % 8);
    EXPECT_THROW(parse_item_document(spoiled), Error) << bit;
  }
}

TEST(ItemDocument, RejectsEveryTruncationUnderARightChecksum) {
  const std::string text = encode_item_document(structure_of_every_kind(), leaves_of_every_kind());
  for (std::size_t size = 0; size < text.size() - 4; ++size)
    EXPECT_THROW(parse_item_document(sealed(text.substr(0, size))), Error) << size;
}

TEST(ItemDocument, SurvivesEveryChangedByteUnderARightChecksum) {
  const std::string text = encode_item_document(structure_of_every_kind(), leaves_of_every_kind());
  for (std::size_t i = 0; i + 4 < text.size(); ++i) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string spoiled = text.substr(0, text.size() - 4);
      spoiled[i] = static_cast<char>(value);
      try {
        parse_item_document(sealed(spoiled));
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
      }
    }
  }
}

TEST(ItemDocument, RejectsANewerVersionByName) {
  std::string text = encode_item_document(list_of(0), {});
  text[13] = 2;
  try {
    parse_item_document(sealed(text.substr(0, text.size() - 4)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("version 2"), std::string::npos) << error.what();
  }
}

TEST(ItemDocument, NeitherWritesNorReadsTextThatIsNoText) {
  for (const Scalar& wrong : {Scalar{Text{"\xff"}}, Scalar{Text{"a\xc3"}}, Scalar{BigInt{"12x"}}, Scalar{BigInt{"-"}}}) {
    EXPECT_THROW(encode_item_document(list_of(1), {wrong}), Error);
  }
  for (const Scalar& right : {Scalar{Text{"ab\xed\xa0\x80"}}, Scalar{BigInt{"123456789012345678901"}}}) {
    std::string text = encode_item_document(list_of(1), {right});
    text[text.size() - 5] = '\xff';  // the last byte of the value
    EXPECT_THROW(parse_item_document(sealed(text.substr(0, text.size() - 4))), Error);
  }
}

TEST(ItemDocument, RejectsATieToALaterLeaf) {
  const std::vector<DocumentLeaf> leaves = {StoredArrayRef{"0", "", 1, {}}, StoredArrayRef{"1", "", {}, {}}};
  EXPECT_THROW(parse_item_document(encode_item_document(list_of(2), leaves)), Error);
}

TEST(ItemDocument, RejectsATreeThatIsNotComplete) {
  tree::Structure structure = list_of(2);
  structure.set_child_count(0, 3);
  EXPECT_THROW(parse_item_document(encode_item_document(structure, {Scalar{}, Scalar{}})), Error);
  structure.set_child_count(0, 1);
  EXPECT_THROW(parse_item_document(encode_item_document(structure, {Scalar{}, Scalar{}})), Error);
}

/// {"a": {"x": .}, "a": {"y": .}}: no leaf is there twice.
tree::Structure with_a_repeated_key(NodeKind kind) {
  tree::Structure structure;
  structure.append(kind, {});
  structure.set_child_count(0, 2);
  for (const char* leaf : {"x", "y"}) {
    structure.set_child_count(structure.append(NodeKind::kMapping, {Text{"a"}}), 1);
    structure.append(NodeKind::kLeaf, {Text{leaf}});
  }
  return structure;
}

TEST(ItemDocument, RejectsAKeyThatOneContainerHasTwice) {
  for (const NodeKind kind : {NodeKind::kMapping, NodeKind::kRecord, NodeKind::kNamedTuple}) {
    try {
      parse_item_document(encode_item_document(with_a_repeated_key(kind), {Scalar{}, Scalar{}}));
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
      EXPECT_NE(error.message().find("'a' is there twice"), std::string::npos) << error.what();
    }
  }
}

TEST(ItemDocument, RefusesTupleKeysOfHostileDepth) {
  tree::Structure structure;
  structure.append(NodeKind::kMapping, {});
  structure.append(NodeKind::kLeaf, tuple_key(65));
  structure.set_child_count(0, 1);
  EXPECT_THROW(encode_item_document(structure, {Scalar{}}), Error);
}

}  // namespace
}  // namespace perdure::checkpoint
