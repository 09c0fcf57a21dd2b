#include "perdure/checkpoint/orbax/checkpoint_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perdure::checkpoint {
namespace {

using ::testing::HasSubstr;

TEST(CheckpointMetadata, ReadsBackWhatItWrote) {
  CheckpointMetadata metadata;
  metadata.item_handlers = {{"state", "a.Handler"}, {"data", "b.Handler"}};
  metadata.custom_metadata = json::Object{{"run", 7}};
  metadata.init_timestamp_ns = 1795961722237634632;
  const CheckpointMetadata read = parse_checkpoint_metadata(encode_checkpoint_metadata(metadata));
  EXPECT_EQ(read.item_handlers, metadata.item_handlers);
  EXPECT_EQ(read.custom_metadata, metadata.custom_metadata);
  EXPECT_EQ(read.init_timestamp_ns, metadata.init_timestamp_ns);
  EXPECT_FALSE(read.commit_timestamp_ns.has_value());
}

TEST(CheckpointMetadata, WritesTheHandlerOfAFlatCheckpointAsAString) {
  CheckpointMetadata metadata;
  metadata.item_handlers = {{"", "a.Handler"}};
  EXPECT_THAT(encode_checkpoint_metadata(metadata), HasSubstr(R"("item_handlers":"a.Handler")"));
}

TEST(CheckpointMetadata, KeepsUnknownKeysAsCustomMetadata) {
  const CheckpointMetadata metadata = parse_checkpoint_metadata(R"({"item_handlers":null,"note":"x"})");
  EXPECT_TRUE(metadata.item_handlers.empty());
  ASSERT_NE(metadata.custom_metadata.as_object().find("note"), nullptr);
}

}  // namespace
}  // namespace perdure::checkpoint
