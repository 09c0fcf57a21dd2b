#include "perdure/checkpoint/read/plan_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "perdure/base/byte_io.h"
#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/storage/kvstore/memory.h"

namespace perdure::checkpoint {
namespace {

namespace zarr = storage::zarr;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A store with the array "w" of int32 0, 1, 2, ... in chunks.
class PlanReader : public ::testing::Test {
 protected:
  void make(Shape shape, Shape chunk_shape, const zarr::WriteFormat& format = {}) {
    store_.put(format.zarr_format == 2 ? "w/.zarray" : "w/zarr.json",
               Blob::from(zarr::metadata_text(DType::kInt32, shape, chunk_shape, format)));
    array_.emplace(zarr::Array::open(store_, "w"));
    std::vector<std::int32_t> all(shape.element_count());
    std::iota(all.begin(), all.end(), 0);
    const ArrayView source = ArrayView::contiguous(reinterpret_cast<const std::byte*>(all.data()), DType::kInt32, shape);
    for (const zarr::ChunkRead& chunk : array_->plan(Box::whole(shape))) put_chunk(source, chunk);
  }

  void put_chunk(const ArrayView& source, const zarr::ChunkRead& chunk) {
    std::string bytes(array_->metadata().chunk_bytes(), '\xee');
    const ArraySpan whole =
        ArraySpan::contiguous(reinterpret_cast<std::byte*>(bytes.data()), DType::kInt32, array_->metadata().chunk_shape);
    copy_array(source.sub(chunk.in_target), whole.sub(chunk.in_chunk));
    ByteWriter stored;
    stored.text(bytes);
    if (array_->metadata().codecs.has_crc32c()) stored.u32le(crc32c(as_bytes(bytes)));
    store_.put(array_->chunk_key(chunk.chunk_index), Blob::from(stored.take()));
  }

  template <class Number>
  std::vector<Number> read(const Box& box, DType dtype, bool verify = true) {
    std::vector<Number> numbers(box.extent.element_count());
    ReadTarget target{.span = ArraySpan::contiguous(reinterpret_cast<std::byte*>(numbers.data()), dtype, box.extent)};
    read_chunks(plan_read(store_, {{&*array_, crcs_.empty() ? nullptr : &crcs_, box, dtype}}), {&target, 1},
                {.store = &store_, .executor = &default_executor(), .verify = verify});
    changed_ = target.cast_changed_values;
    return numbers;
  }

  void flip_a_bit(const std::string& key) {
    std::string bytes(store_.read(key).text());
    bytes[5] = static_cast<char>(bytes[5] ^ 4);
    store_.put(key, Blob::from(bytes));
  }

  storage::MemoryStore store_;
  std::optional<zarr::Array> array_;
  std::vector<std::uint32_t> crcs_;
  bool changed_ = false;
};

TEST_F(PlanReader, ReadsChunksThatDoNotDivideTheShape) {
  make({5, 3}, {2, 2});
  std::vector<std::int32_t> expected(15);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(read<std::int32_t>(Box::whole({5, 3}), DType::kInt32), expected);
  EXPECT_THAT(read<std::int32_t>({{1, 1}, {3, 2}}, DType::kInt32), ElementsAre(4, 5, 7, 8, 10, 11));
}

TEST_F(PlanReader, CastsOnTheWay) {
  make({5, 3}, {2, 3});
  EXPECT_THAT(read<double>({{1, 0}, {2, 3}}, DType::kFloat64), ElementsAre(3, 4, 5, 6, 7, 8));
  EXPECT_FALSE(changed_);
  EXPECT_THAT(read<std::uint8_t>({{4, 0}, {1, 3}}, DType::kBool), ElementsAre(1, 1, 1));
  EXPECT_TRUE(changed_);
}

TEST_F(PlanReader, ReadsLargeChunksInPieces) {
  make({700'000}, {300'000});
  const auto numbers = read<std::int32_t>({{299'000}, {400'000}}, DType::kInt32);
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], static_cast<std::int32_t>(299'000 + i));
  EXPECT_EQ(read<std::int64_t>({{299'000}, {400'000}}, DType::kInt64).back(), 698'999);
}

TEST_F(PlanReader, NoticesAFlippedBitAlsoOutsideTheWantedPart) {
  make({6}, {6});
  flip_a_bit("w/c/0");
  EXPECT_THROW(read<std::int32_t>({{4}, {2}}, DType::kInt32), Error);
  EXPECT_THAT(read<std::int32_t>({{4}, {2}}, DType::kInt32, false), ElementsAre(4, 5));
}

TEST_F(PlanReader, ChecksTheCrcOfTheDocumentWhereTheCodecsHaveNone) {
  make({4}, {2}, {.zarr_format = 2, .crc32c = false});
  crcs_ = {crc32c(store_.read("w/0")), crc32c(store_.read("w/1"))};
  EXPECT_THAT(read<std::int32_t>(Box::whole({4}), DType::kInt32), ElementsAre(0, 1, 2, 3));
  flip_a_bit("w/1");
  try {
    read<std::int32_t>(Box::whole({4}), DType::kInt32);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    EXPECT_THAT(error.what(), HasSubstr("crc32c: stored 0x"));
    EXPECT_THAT(error.notes(), ElementsAre("chunk w/1", "leaf w"));
  }
}

TEST_F(PlanReader, FillsAStridedTarget) {
  make({2, 2}, {1, 2});
  std::vector<std::int32_t> numbers(4);
  ReadTarget target{.span = {reinterpret_cast<std::byte*>(numbers.data()), DType::kInt32, {2, 2}, {4, 8}}};  // transposed
  read_chunks(plan_read(store_, {ArrayToRead::whole(*array_)}), {&target, 1}, {.store = &store_, .executor = &inline_executor()});
  EXPECT_THAT(numbers, ElementsAre(0, 2, 1, 3));
}

TEST_F(PlanReader, ReadsAnArrayWithoutElements) {
  make({0, 3}, {1, 3});
  EXPECT_TRUE(read<std::int32_t>(Box::whole({0, 3}), DType::kInt32).empty());
}

}  // namespace
}  // namespace perdure::checkpoint
