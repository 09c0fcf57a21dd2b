// Items that somebody else wrote, and wrote badly: an error that names what is wrong, within bounded time and memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "perdure/base/error.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/orbax/tree_metadata.h"
#include "perdure/checkpoint/verify.h"
#include "perdure/storage/zarr/metadata.h"
#include "tests/support/temporary_directory.h"

namespace perdure {
namespace {

using ::testing::HasSubstr;

/// An item of one leaf "w" without OCDBT, made of files that a test may spoil.
class HostileItem : public ::testing::Test {
 protected:
  HostileItem() {
    put("_METADATA", metadata("np.ndarray", {{"w"}}));
    put("w/.zarray", zarr2({4}, {4}));
    put("w/0", std::string(16, 'x'));
  }

  static std::string metadata(std::string value_type, std::vector<checkpoint::TreeMetadataEntry::PathKey> path) {
    checkpoint::TreeMetadata tree;
    tree.use_ocdbt = false;
    tree.entries.push_back({.path = std::move(path), .value_type = std::move(value_type), .write_shape = {}});
    return encode_tree_metadata(tree);
  }
  static std::string zarr2(Shape shape, Shape chunk_shape, std::optional<storage::CodecChoice> compression = {}) {
    return storage::zarr::metadata_text(DType::kFloat32, shape, chunk_shape, {.zarr_format = 2, .compression = compression});
  }
  void put(std::string_view name, std::string_view content) {
    const std::string path = directory_ / name;
    if (fs_.find_info(path, false)) fs_.remove_file(path);
    make_directories(fs_, parent_path(path));
    write_new_file(fs_, path, as_bytes(content));
  }
  void remove(std::string_view name) { fs_.remove_file(directory_ / name); }

  std::string error_of_load() {
    try {
      load_tree(directory_.path());
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), ErrorKind::kIo) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "it loads";
    return "";
  }

  test::TemporaryDirectory directory_;
  FileSystem& fs_ = posix_file_system();
};

TEST_F(HostileItem, LoadsWhileItIsWhole) {
  EXPECT_EQ(load_tree(directory_.path()).leaves.size(), 1u);
  EXPECT_TRUE(verify(directory_.path()).ok());
}

TEST_F(HostileItem, NamesAMissingChunk) {
  remove("w/0");
  EXPECT_THAT(error_of_load(), HasSubstr("missing chunk\nchunk w/0\nleaf w"));
  const VerifyReport report = verify(directory_.path());
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].leaf, "w");
}

TEST_F(HostileItem, NamesMissingMetadataOfAnArray) {
  remove("w/.zarray");
  EXPECT_THAT(error_of_load(), HasSubstr("no array 'w'"));
}

TEST_F(HostileItem, RefusesAChunkOfAnotherSize) {
  put("w/0", std::string(15, 'x'));
  EXPECT_THAT(error_of_load(), HasSubstr("chunk has 15 bytes, expected 16"));
  EXPECT_FALSE(verify(directory_.path()).ok());
}

TEST_F(HostileItem, RefusesAHugeShapeBeforeAllocatingIt) {
  put("w/.zarray", zarr2({std::uint64_t{1} << 60}, {4}));
  EXPECT_THAT(error_of_load(), HasSubstr("chunks, at most 2 are stored"));
  put("w/.zarray", zarr2({std::uint64_t{1} << 50}, {std::uint64_t{1} << 50}));
  EXPECT_THAT(error_of_load(), HasSubstr("chunk has 16 bytes"));
  put("w/.zarray", zarr2({std::uint64_t{1} << 50}, {std::uint64_t{1} << 50}, storage::CodecChoice{}));
  EXPECT_THAT(error_of_load(), HasSubstr("chunk of 16 bytes cannot hold"));
  put("w/.zarray", zarr2({1 << 20}, {1 << 20}, storage::CodecChoice{}));  // other codecs expand that much, not this one
  EXPECT_THAT(error_of_load(), HasSubstr("chunk of 16 bytes cannot hold 4194304"));
  put("w/.zarray", zarr2({std::uint64_t{1} << 40, std::uint64_t{1} << 40}, {4, 4}));
  error_of_load();
}

TEST_F(HostileItem, RefusesMoreThanTheCallerAllows) {
  try {
    load_tree(directory_.path(), {.read = {.bytes_max = 15}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
    EXPECT_THAT(error.what(), HasSubstr("need 16 bytes, the limit is 15"));
  }
}

TEST_F(HostileItem, NeverLeavesItsDirectory) {
  put("secret/.zarray", zarr2({4}, {4}));
  put("secret/0", std::string(16, 's'));
  for (const std::string name : {"../secret", "w/../secret", "/etc", "."}) {
    put("item/_METADATA", metadata("np.ndarray", {{name}}));
    EXPECT_THROW(load_tree(directory_ / "item"), Error) << name;
  }
}

TEST_F(HostileItem, RefusesLinksUnlessTheyAreFollowed) {
  put("elsewhere", std::string(16, 'x'));
  remove("w/0");
  ASSERT_EQ(symlink("../elsewhere", (directory_ / "w/0").c_str()), 0);
  EXPECT_THAT(error_of_load(), HasSubstr("link"));
  EXPECT_EQ(load_tree(directory_.path(), {.open = {.follow_links = true}}).leaves.size(), 1u);
}

TEST_F(HostileItem, NamesAValueTypeThatItDoesNotKnow) {
  put("_METADATA", metadata("torch.Tensor", {{"w"}}));
  EXPECT_THAT(error_of_load(), HasSubstr("unknown value type 'torch.Tensor' of leaf 'w'"));
}

TEST_F(HostileItem, RefusesAScalarThatHasAShape) {
  put("_METADATA", metadata("scalar", {{"w"}}));
  EXPECT_THAT(error_of_load(), HasSubstr("leaf 'w' is a scalar and has the shape (4,)"));
}

TEST_F(HostileItem, NamesAMissingText) {
  put("_METADATA", metadata("string", {{"w"}}));
  EXPECT_THAT(error_of_load(), HasSubstr("_strings.json"));
  put("_strings.json", R"({"v":"x"})");
  EXPECT_THAT(error_of_load(), HasSubstr("leaf 'w' is missing"));
}

TEST_F(HostileItem, NamesAMissingManifest) {
  put("_METADATA", R"({"tree_metadata":{},"use_ocdbt":true})");
  EXPECT_THAT(error_of_load(), HasSubstr("manifest.ocdbt"));
}

TEST_F(HostileItem, NamesTheListThatPerdureMustHaveWritten) {
  put("_METADATA", R"({"tree_metadata":{},"perdure":{"version":1,"private_files":["_PERDURE_TREE"]}})");
  EXPECT_THAT(error_of_load(), HasSubstr(directory_ / "_PERDURE"));
}

TEST_F(HostileItem, SurvivesEveryTruncationOfItsMetadata) {
  for (const std::string_view name : {"_METADATA", "w/.zarray"}) {
    const std::string whole = read_file(fs_, directory_ / name, 1 << 20);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      put(name, whole.substr(0, size));
      EXPECT_THROW(load_tree(directory_.path()), Error) << name << " cut to " << size;
    }
    put(name, whole);
  }
}

TEST_F(HostileItem, SurvivesEveryFlippedBitOfItsMetadata) {
  for (const std::string_view name : {"_METADATA", "w/.zarray"}) {
    const std::string whole = read_file(fs_, directory_ / name, 1 << 20);
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      std::string spoiled = whole;
      spoiled[bit / 8] = static_cast<char>(spoiled[bit / 8] ^ (1 << bit % 8));
      put(name, spoiled);
      try {
        load_tree(directory_.path());
      } catch (const Error&) {
      }
    }
    put(name, whole);
  }
}

TEST_F(HostileItem, RefusesNestingThatWouldRecurse) {
  put("_METADATA", std::string(100'000, '['));
  EXPECT_THAT(error_of_load(), HasSubstr("_METADATA"));
  put("_METADATA", "{\"tree_metadata\":{},\"value_metadata_tree\":\"" + std::string(100'000, '[') + "\"}");
  EXPECT_THAT(error_of_load(), HasSubstr("_METADATA"));
}

TEST_F(HostileItem, CreatesNothingWhenItFails) {
  const auto before = test::names_in(directory_.path());
  EXPECT_THROW(load_tree(directory_ / "no/such"), Error);
  EXPECT_EQ(test::names_in(directory_.path()), before);
}

}  // namespace
}  // namespace perdure
