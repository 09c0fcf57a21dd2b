#include "perdure/storage/ocdbt/btree_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/storage/ocdbt/envelope.h"
#include "tests/support/ocdbt_folder.h"

namespace perdure::storage::ocdbt {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

BtreeNode example_leaf() {
  return btree_node_from_json(test::leaf_json(R"({"key": "a", "inline_value": "one"},
                                                 {"key": "ab", "file": 0, "offset": 64, "size_bytes": 9},
                                                 {"key": "b", "inline_value": ""})"));
}

std::string refusal(const std::string& envelope) {
  return test::error_of([&] { decode_btree_node(Blob::from(envelope)); });
}
std::string refusal(const json::Value& node) { return refusal(encode_btree_node(btree_node_from_json(node), false)); }
std::string body_refusal(const std::string& body) { return refusal(seal_envelope(body, Magic::kBtreeNode, false)); }

std::string body_of(const BtreeNode& node) {
  return std::string(open_envelope(Blob::from(encode_btree_node(node, false)), Magic::kBtreeNode).text());
}

/// A leaf without data files: number of entries and lengths of keys, keys, columns of values.
std::string leaf_body(std::initializer_list<std::uint64_t> lengths, std::string_view keys,
                      std::initializer_list<std::uint64_t> columns) {
  ByteWriter io;
  io.u8(0);
  io.varint(0);
  for (const std::uint64_t value : lengths) io.varint(value);
  io.text(keys);
  for (const std::uint64_t value : columns) io.varint(value);
  return io.take();
}

TEST(BtreeNode, ComesBackFromItsBytes) {
  for (const bool compress : {false, true}) {
    const BtreeNode leaf = example_leaf();
    EXPECT_EQ(decode_btree_node(Blob::from(encode_btree_node(leaf, compress))), leaf);
  }
}

TEST(BtreeNode, RefusesEveryTruncationOfItsBody) {
  const std::string body = body_of(example_leaf());
  for (std::size_t size = 0; size < body.size(); ++size)
    EXPECT_THAT(body_refusal(body.substr(0, size)), StartsWith("corrupt")) << size;
}

TEST(BtreeNode, RefusesEveryFlippedBit) {
  const std::string envelope = encode_btree_node(example_leaf(), true);
  for (std::size_t bit = 0; bit < envelope.size() * 8; ++bit) {
    std::string flipped = envelope;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_THAT(refusal(flipped), StartsWith("corrupt")) << bit;
  }
}

TEST(BtreeNode, RefusesBytesLeftOver) { EXPECT_THAT(body_refusal(body_of(example_leaf()) + '\0'), StartsWith("corrupt")); }

TEST(BtreeNode, RefusesKeysOutOfOrder) {
  EXPECT_THAT(refusal(test::leaf_json(R"({"key": "b", "inline_value": ""}, {"key": "a", "inline_value": ""})")),
              HasSubstr("not greater"));
  EXPECT_THAT(refusal(test::leaf_json(R"({"key": "a", "inline_value": ""}, {"key": "a", "inline_value": ""})")),
              HasSubstr("not greater"));
  EXPECT_EQ(refusal(test::leaf_json(R"({"key": "", "inline_value": ""}, {"key": "\u00ff", "inline_value": ""})")), "");
}

TEST(BtreeNode, RefusesNoEntries) { EXPECT_THAT(refusal(test::leaf_json("")), HasSubstr("no entries")); }

TEST(BtreeNode, RefusesAFileThatIsNotInTheTable) {
  EXPECT_THAT(refusal(test::leaf_json(R"({"key": "a", "file": 1, "offset": 0, "size_bytes": 1})")),
              HasSubstr("data file 1 of a table of 1"));
}

TEST(BtreeNode, RefusesARangeBeyond64Bits) {
  EXPECT_THAT(refusal(test::leaf_json(R"({"key": "a", "file": 0, "offset": 18446744073709551615, "size_bytes": 1})")),
              HasSubstr("64 bits"));
}

TEST(BtreeNode, RefusesAnInlineValueOverOneMebibyte) {
  BtreeNode node = example_leaf();
  const std::string value(kInlineValueBytesMax + 1, 'v');
  node.keys = {};
  node.keys.push_back("k");
  node.entries = {{value.size(), kInlineValue, 0, 0}};
  node.inline_values = Blob::from(value);
  EXPECT_THAT(refusal(encode_btree_node(node, true)), HasSubstr("inline value of 1048577 bytes"));
}

TEST(BtreeNode, RefusesASubtreePrefixLongerThanItsKey) {
  const json::Value node = json::parse(R"({"height": 1, "data_files": [{"base_path": "", "relative_path": "d/x"}], "children": [
      {"key": "ab", "subtree_prefix_length": 3, "file": 0, "offset": 0, "length": 1, "num_keys": 1, "num_tree_bytes": 1,
       "num_indirect_value_bytes": 0}]})");
  EXPECT_THAT(refusal(node), HasSubstr("subtree prefix longer than its key"));
}

TEST(BtreeNode, RefusesBadLengthsAndKinds) {
  EXPECT_EQ(body_refusal(leaf_body({1, 1}, "k", {0, 0})), "");
  EXPECT_THAT(body_refusal(leaf_body({1, 1}, "k", {0, 2, 0, 0})), HasSubstr("value kind 2"));
  EXPECT_THAT(body_refusal(leaf_body({1, 65536}, std::string(65536, 'k'), {0, 0})), HasSubstr("longer than 65535"));
  EXPECT_THAT(body_refusal(leaf_body({1u << 30, 1}, "k", {0, 0})), HasSubstr("rows announced"));
  EXPECT_THAT(body_refusal(leaf_body({2, 2, 1, 1}, "kl", {0, 0, 0, 0})), HasSubstr("shares 2 bytes with one of 1"));
}

TEST(BtreeNode, RefusesKeysThatGrowWithoutMeasure) {
  ByteWriter io;
  constexpr std::uint64_t kCount = 10'000;  // of 65535 bytes each, of which each stores one
  io.u8(0);
  io.varint(0);
  io.varint(kCount);
  for (std::uint64_t i = 1; i < kCount; ++i) io.varint(65534);
  io.varint(65535);
  for (std::uint64_t i = 1; i < kCount; ++i) io.varint(1);
  io.text(std::string(65535 + 3 * kCount, 'k'));
  EXPECT_THAT(body_refusal(io.str()), HasSubstr("strings of"));
}

TEST(BtreeNode, ReadsOverlongVarintsAndShortPrefixes) {
  const std::string_view overlong("\x00\x80\x80\x00\x82\x00\x00\x01\x02kkl\x00\x80\x00\x00\x00", 17);
  const BtreeNode node = decode_btree_node(Blob::from(seal_envelope(overlong, Magic::kBtreeNode, false)));
  EXPECT_EQ(node.keys.size(), 2u);
  EXPECT_EQ(node.keys[1], "kl");  // shares nothing with "k", though it could
}

TEST(BtreeNode, ComesBackFromJson) {
  const BtreeNode leaf = example_leaf();
  EXPECT_EQ(btree_node_from_json(json::parse(json::dump(to_json(leaf)))), leaf);
}

}  // namespace
}  // namespace perdure::storage::ocdbt
