#include "perdure/checkpoint/read/item_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/checkpoint/save.h"
#include "tests/support/failures.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/trees.h"

namespace perdure::checkpoint {
namespace {

using testing::Contains;
using testing::HasSubstr;

class ItemStore : public testing::Test {
 protected:
  std::string item(bool use_ocdbt) {
    SaveOptions options;
    options.arrays.use_ocdbt = use_ocdbt;
    options.overwrite = true;
    save(directory / "c", test::mapping({{"w", test::floats({3})}}), options);
    return directory / "c/state";
  }
  static std::vector<std::string> keys(const std::string& path, std::optional<bool> use_ocdbt = {}) {
    return open_item_store(ListedDirectory(posix_file_system(), path, false), use_ocdbt)->list();
  }

  test::TemporaryDirectory directory;
};

TEST_F(ItemStore, IsWhatIsThereIfNobodySays) {
  EXPECT_THAT(keys(item(true)), Contains("w/zarr.json"));
  EXPECT_THAT(keys(item(false)), Contains("_METADATA"));
}

TEST_F(ItemStore, IsWhatTheMetadataSay) {
  EXPECT_THAT(keys(item(true), false), Contains("manifest.ocdbt"));
  EXPECT_THAT(test::message_of_failure(ErrorKind::kCorrupt, [&] { keys(item(false), true); }),
              HasSubstr("c/state/manifest.ocdbt"));
}

TEST_F(ItemStore, IsRefusedWithoutTheManifestThatWasWritten) {
  FileSystem& fs = posix_file_system();
  const std::string path = item(true);
  save(directory / "other", test::mapping({}));
  fs.remove_file(path + "/manifest.ocdbt");
  EXPECT_EQ(test::kind_of_failure([&] { keys(path); }), ErrorKind::kCorrupt);
  fs.link(directory / "other/state/manifest.ocdbt", path + "/manifest.ocdbt");
  EXPECT_EQ(test::kind_of_failure([&] { keys(path); }), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace perdure::checkpoint
