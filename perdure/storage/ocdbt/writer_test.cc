#include "perdure/storage/ocdbt/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "perdure/base/error.h"
#include "perdure/storage/ocdbt/btree_node.h"
#include "perdure/storage/ocdbt/manifest.h"

namespace perdure::storage::ocdbt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Entry inline_entry(std::string key, std::string value) { return {std::move(key), true, std::move(value), 0, 0, 0}; }
Entry range_entry(std::string key, std::uint32_t file, std::uint64_t offset, std::uint64_t size) {
  return {std::move(key), false, "", file, offset, size};
}

std::vector<Entry> numbered_entries(int count) {
  std::vector<Entry> entries;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(1000 + i);
    entries.push_back(i % 2 ? inline_entry("layer" + number, "value" + number) : range_entry("layer" + number, 0, 8u * i, 5));
  }
  return entries;
}

/// The nodes from `offset` on, one after another; each stands in front of its parent.
std::vector<BtreeNode> decode_nodes(const std::string& nodes) {
  std::vector<BtreeNode> decoded;
  for (std::size_t at = 0; at < nodes.size();) {
    std::uint64_t length = 0;
    ByteReader(as_bytes(nodes).subspan(at + 4)).u64le(length);
    decoded.push_back(decode_btree_node(Blob::from(nodes.substr(at, length))));
    at += length;
  }
  return decoded;
}

Generation only_generation(const DatabaseBytes& database) {
  const Manifest manifest = decode_manifest(Blob::from(database.manifest));
  EXPECT_EQ(manifest.generations.size(), 1u);
  return manifest.generations.at(0);
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
    return error.message();
  }
  return "";
}

TEST(EncodeDatabase, WritesTheWorkedExampleByteForByte) {
  WriterConfig config{.max_inline_value_bytes = 4, .max_decoded_node_bytes = 8388608, .compress_nodes = false};
  for (std::uint8_t i = 0; i < 16; ++i) config.uuid[i] = static_cast<std::uint8_t>(i * 0x11);
  config.commit_time_ns = 0x18ec895a9e5e00d3;
  const std::string file = "d/2c0661da2d327c28887656a6a117067e";
  const auto database = encode_database({inline_entry("ab/1", "hey"), range_entry("ab/2", 0, 0, 9)}, {file}, 0, 9, config);
  EXPECT_EQ(database.manifest.size(), 97u);
  EXPECT_EQ(database.manifest.substr(93), "\x91\x62\x3a\x7e");  // the CRC-32C that tensorstore stored
  EXPECT_EQ(database.nodes.size(), 74u);
  EXPECT_EQ(database.nodes.substr(70), "\x2c\x98\x85\x82");
}

TEST(EncodeDatabase, SortsKeysBytewise) {
  const auto database =
      encode_database({inline_entry("b", ""), inline_entry("\xff", ""), inline_entry("a/0", "")}, {"d/x"}, 0, 0, {});
  const BtreeNode leaf = decode_nodes(database.nodes).at(0);
  ASSERT_EQ(leaf.keys.size(), 3u);
  EXPECT_THAT((std::vector<std::string_view>{leaf.keys[0], leaf.keys[1], leaf.keys[2]}), ElementsAre("a/0", "b", "\xff"));
}

TEST(EncodeDatabase, SortsTheDataFileTableAndLeavesOutUnusedFiles) {
  const auto database =
      encode_database({range_entry("k0", 2, 0, 1), range_entry("k1", 0, 7, 1)}, {"d/z", "d/unused", "d/a"}, 0, 0, {});
  const BtreeNode leaf = decode_nodes(database.nodes).at(0);
  ASSERT_EQ(leaf.files.size(), 2u);
  EXPECT_EQ(leaf.files.paths[leaf.entries[0].file], "d/a");
  EXPECT_EQ(leaf.files.paths[leaf.entries[1].file], "d/z");
}

TEST(EncodeDatabase, SplitsNodesAtTheLimitAndCountsWhatIsBelow) {
  const auto database = encode_database(numbered_entries(500), {"d/x"}, 0, 100, {.max_decoded_node_bytes = 1000});
  const std::vector<BtreeNode> nodes = decode_nodes(database.nodes);
  const Generation generation = only_generation(database);
  EXPECT_GE(generation.root_height, 2);
  EXPECT_EQ(generation.root_height, nodes.back().height);
  EXPECT_EQ(generation.root.offset + generation.root.length, 100 + database.nodes.size());
  EXPECT_EQ(generation.statistics, (Statistics{500, database.nodes.size(), 250 * 5}));
  for (const BtreeNode& node : nodes) {
    const BtreeNode copy = node;
    EXPECT_LE(encode_btree_node(copy, false).size(), 1000u);
  }
}

TEST(EncodeDatabase, OfNoEntriesHasAGenerationWithoutRoot) {
  const auto database = encode_database({}, {"d/x"}, 0, 0, {});
  EXPECT_EQ(database.nodes, "");
  EXPECT_FALSE(only_generation(database).has_root());
}

TEST(EncodeDatabase, RefusesEqualKeysByName) {
  const auto encode = [] {
    encode_database({inline_entry("w", ""), inline_entry("v", ""), inline_entry("w", "")}, {"d/x"}, 0, 0, {});
  };
  EXPECT_THAT(message_of(encode), HasSubstr("key 'w' is given twice"));
}

TEST(EncodeDatabase, RefusesWhatTheFormatCannotHold) {
  const auto encode = [](Entry entry) { return message_of([&] { encode_database({std::move(entry)}, {"d/x"}, 0, 0, {}); }); };
  EXPECT_EQ(encode(inline_entry(std::string(65535, 'k'), "")), "");
  EXPECT_THAT(encode(inline_entry(std::string(65536, 'k'), "")), HasSubstr("a key of 65536 bytes"));
  EXPECT_THAT(encode(inline_entry("k", std::string((1 << 20) + 1, 'v'))), HasSubstr("'k' is too large to be inline"));
  EXPECT_THAT(encode(range_entry("k", 1, 0, 0)), HasSubstr("'k' is in data file 1"));
  EXPECT_THAT(encode(range_entry("k", 0, ~0ull, 1)), HasSubstr("'k' ends beyond 64 bits"));
}

}  // namespace
}  // namespace perdure::storage::ocdbt
