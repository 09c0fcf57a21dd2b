#include "perdure/checkpoint/files/item_name.h"

#include <gtest/gtest.h>

#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

template <class Check>
bool is_refused(Check check, const std::string& name) {
  try {
    check(name);
    return false;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
    EXPECT_NE(error.message().find(name), std::string::npos);
    return true;
  }
}

const std::string kNoNames[] = {"",
                                ".",
                                "..",
                                "../b",
                                "/abs",
                                "a/b",
                                std::string("a\0b", 3),
                                "\xff",
                                "_PERDURE",
                                "_PERDURE_TREE",
                                "x.orbax-checkpoint-tmp",
                                "x.perdure-old",
                                std::string(256, 'w')};

TEST(ItemName, RefusesWhatIsNoDirectoryName) {
  for (const std::string& name : kNoNames) {
    EXPECT_TRUE(is_refused(check_item_name, name)) << name;
    EXPECT_TRUE(is_refused(check_array_directory_name, name)) << name;
  }
}

TEST(ItemName, RefusesReservedNames) {
  for (const char* name : {"AUTO", "metrics", "orbax.checkpoint", "_CHECKPOINT_METADATA", "_METADATA"})
    EXPECT_TRUE(is_refused(check_item_name, name)) << name;
  for (const char* name : {"_METADATA", "d", "manifest.ocdbt", "_sharding"})
    EXPECT_TRUE(is_refused(check_array_directory_name, name)) << name;
}

TEST(ItemName, RefusesFilesOfHandlersThatLookLikeTheFormats) {
  for (const char* name : {"", "/abs", "a/../b", "manifest.ocdbt", "d", "d/x", "_strings.json", "array_metadatas/process_1",
                           "_METADATA", "_PERDURE", "_PERDURE.x/y", "orbax.checkpoint", "x.orbax-checkpoint-tmp/y"}) {
    EXPECT_TRUE(is_refused(check_handler_file_name, name)) << name;
  }
  for (const char* name : {"a.words", "a/manifest.ocdbt", "d.words", "_strings.json.words", "a/b/c"})
    EXPECT_FALSE(is_refused(check_handler_file_name, name)) << name;
}

TEST(ItemName, TakesAnyOtherText) {
  for (const char* name : {"state", "my model", "\xc3\xa9", "a.b", "auto", "d0", "..."}) {
    EXPECT_FALSE(is_refused(check_item_name, name)) << name;
    EXPECT_FALSE(is_refused(check_array_directory_name, name)) << name;
  }
}

}  // namespace
}  // namespace perdure::checkpoint
