#include "perdure/storage/zarr/metadata_cache.h"

#include <gtest/gtest.h>

#include <thread>

#include "perdure/base/error.h"

namespace perdure::storage::zarr {
namespace {

TEST(MetadataCache, TellsTextsAndAttributesApart) {
  MetadataCache cache;
  const std::string text = metadata_text(DType::kUint4, {3}, {3}, {.zarr_format = 2});
  EXPECT_EQ(cache.parse(2, text)->dtype, DType::kUint8);
  EXPECT_EQ(cache.parse(2, text, attributes_text(DType::kUint4, {.zarr_format = 2}))->dtype, DType::kUint4);
  EXPECT_EQ(cache.parse(2, text), cache.parse(2, text));
}

TEST(MetadataCache, DoesNotKeepFailures) {
  MetadataCache cache;
  EXPECT_THROW(cache.parse(3, "{}"), Error);
  EXPECT_THROW(cache.parse(3, "{}"), Error);
}

TEST(MetadataCache, ServesManyThreadsAndManyTexts) {
  MetadataCache cache;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache] {
      for (std::uint64_t i = 0; i < 600; ++i) EXPECT_EQ(cache.parse(3, metadata_text(DType::kInt8, {i}, {i}, {}))->shape[0], i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace perdure::storage::zarr
