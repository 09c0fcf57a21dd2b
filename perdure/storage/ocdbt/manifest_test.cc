#include "perdure/storage/ocdbt/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "perdure/storage/ocdbt/envelope.h"
#include "tests/support/ocdbt_folder.h"

namespace perdure::storage::ocdbt {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Generation generation(std::uint64_t number) { return {number, 0, {0, 8, 100}, {2, 100, 9}, number * 1000}; }

/// Arity 2: generations 21 and 22 in the manifest, 20, 16 and 8 the last ones of its version nodes.
Manifest example_manifest() {
  Manifest manifest;
  manifest.config.version_tree_arity_log2 = 1;
  manifest.files.add("", "d/x");
  manifest.files.add("ocdbt.process_0/", "d/y");
  manifest.generations = {generation(21), generation(22)};
  manifest.version_nodes = {{8, {1, 0, 50}, 8, 1, 3}, {16, {0, 50, 50}, 8, 9, 2}, {20, {0, 100, 50}, 4, 17, 1}};
  return manifest;
}

std::string refusal(const std::string& envelope) {
  return test::error_of([&] { decode_manifest(Blob::from(envelope)); });
}
std::string refusal(const std::function<void(Manifest&)>& spoil) {
  Manifest manifest = example_manifest();
  spoil(manifest);
  return refusal(encode_manifest(manifest, false));
}

TEST(Manifest, ComesBackFromItsBytesAndFromJson) {
  const Manifest manifest = example_manifest();
  EXPECT_EQ(decode_manifest(Blob::from(encode_manifest(manifest, false))), manifest);
  EXPECT_EQ(decode_manifest(Blob::from(encode_manifest(manifest, true))), manifest);
  EXPECT_EQ(manifest_from_json(json::parse(json::dump(to_json(manifest)))), manifest);
}

TEST(Manifest, RefusesEveryTruncationOfItsBody) {
  const std::string envelope = encode_manifest(example_manifest(), false);
  const std::string body(open_envelope(Blob::from(envelope), Magic::kManifest).text());
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_THAT(refusal(seal_envelope(body.substr(0, size), Magic::kManifest, false)), StartsWith("corrupt")) << size;
  }
  EXPECT_THAT(refusal(seal_envelope(body + '\0', Magic::kManifest, false)), StartsWith("corrupt"));
}

TEST(Manifest, RefusesEveryFlippedBit) {
  const std::string envelope = encode_manifest(example_manifest(), true);
  for (std::size_t bit = 0; bit < envelope.size() * 8; ++bit) {
    std::string flipped = envelope;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_THAT(refusal(flipped), StartsWith("corrupt")) << bit;
  }
}

TEST(Manifest, RefusesAConfigurationOutOfRange) {
  EXPECT_THAT(refusal([](Manifest& m) { m.config.manifest_kind = 2; }), HasSubstr("manifest_kind is 2"));
  EXPECT_THAT(refusal([](Manifest& m) { m.config.max_decoded_node_bytes = 1ull << 32; }), HasSubstr("max_decoded_node_bytes"));
  EXPECT_THAT(refusal([](Manifest& m) { m.config.version_tree_arity_log2 = 0; }), HasSubstr("version_tree_arity_log2"));
  EXPECT_THAT(refusal([](Manifest& m) { m.config.version_tree_arity_log2 = 17; }), HasSubstr("version_tree_arity_log2"));
  EXPECT_THAT(refusal([](Manifest& m) { m.config.compression = 2; }), HasSubstr("compression is 2"));
}

TEST(Manifest, RefusesGenerationsThatCannotBe) {
  EXPECT_THAT(refusal([](Manifest& m) { m.generations.clear(); }), HasSubstr("no generations"));
  EXPECT_THAT(refusal([](Manifest& m) { m.generations[0].number = 22; }), HasSubstr("generation 22 follows 22"));
  EXPECT_THAT(refusal([](Manifest& m) { m.generations = {generation(0)}; }), HasSubstr("generation 0 follows 0"));
  EXPECT_THAT(refusal([](Manifest& m) { m.generations[0].root.file = 2; }), HasSubstr("data file 2 of a table of 2"));
  EXPECT_THAT(refusal([](Manifest& m) {
                m.generations = {generation(20), generation(21)};
              }),
              HasSubstr("2 generations up to 21"));
  EXPECT_EQ(refusal([](Manifest& m) { m.generations = {generation(50)}; }), "");
}

TEST(Manifest, RefusesVersionNodesThatCannotBe) {
  EXPECT_THAT(refusal([](Manifest& m) { m.version_nodes[1].height = 3; }), HasSubstr("height 3"));
  EXPECT_THAT(refusal([](Manifest& m) { m.version_nodes[2].height = 0; }), HasSubstr("height 0"));
  EXPECT_THAT(refusal([](Manifest& m) { m.version_nodes[0].height = 65; }), HasSubstr("height 65"));
  EXPECT_THAT(refusal([](Manifest& m) { m.version_nodes[1].last_generation = 8; }), HasSubstr("generation 8 follows 8"));
  EXPECT_THAT(refusal([](Manifest& m) { m.version_nodes[1].node.file = 9; }), HasSubstr("data file 9"));
}

TEST(DataFileTable, KeepsNeighboursWithOtherBasePathsApart) {
  DataFileTable table;
  table.add("", "a/d/1");
  table.add("a/", "d/2");
  table.add("a/", "d/3");
  ByteWriter written;
  data_file_table(written, table);
  // Three paths; 0 and 2 + 2 bytes shared; suffixes; base paths; text.
  EXPECT_EQ(written.str(), std::string_view("\x03\x00\x04\x05\x05\x01\x00\x02\x02"
                                            "a/d/1"
                                            "a/d/2"
                                            "3",
                                            9 + 5 + 5 + 1));
  DataFileTable read;
  ByteReader io(as_bytes(written.str()));
  data_file_table(io, read);
  EXPECT_EQ(read, table);
}

TEST(DataFileTable, IsReadInAnyOrder) {
  DataFileTable table;
  for (const char* path : {"z", "d/b", "d/a", "d/a"}) table.add("", path);
  ByteWriter written;
  data_file_table(written, table);
  DataFileTable read;
  ByteReader io(as_bytes(written.str()));
  data_file_table(io, read);
  EXPECT_EQ(read, table);
}

TEST(DataFileTable, RefusesABasePathLongerThanItsPath) {
  EXPECT_THAT(refusal([](Manifest& m) { m.files.base_path_lengths[0] = 4; }), HasSubstr("base path of 4 bytes in a path of 3"));
}

}  // namespace
}  // namespace perdure::storage::ocdbt
