#include "perdure/checkpoint/chunk_bytes.h"

#include <gtest/gtest.h>

#include <numeric>

#include "perdure/checkpoint/chunk_shape.h"

namespace perdure::checkpoint {
namespace {

class MemorySink : public ChunkSink {
 public:
  void append(ByteView part) override { bytes.insert(bytes.end(), part.begin(), part.end()); }
  void append(const ArrayView& array) override {
    ++view_count;
    std::vector<std::byte> part(array.size_bytes());
    gather_bytes(array, 0, part);
    append(ByteView(part));
  }
  std::vector<std::byte> bytes;
  int view_count = 0;  // appended without scratch memory
};

/// 0, 1, 2, ... in C order, cut into pieces of `piece_shape`, each with memory of its own.
struct Numbers {
  Numbers(const Shape& shape, const Shape& piece_shape) : values(shape.element_count()) {
    std::iota(values.begin(), values.end(), 0);
    const ArrayView whole = ArrayView::contiguous(reinterpret_cast<const std::byte*>(values.data()), DType::kInt32, shape);
    const Shape grid = chunk_grid(shape, piece_shape);
    for (std::uint64_t i = 0; i < grid.element_count(); ++i) {
      const Box box = intersect(chunk_box(grid, piece_shape, i), Box::whole(shape));
      pieces.push_back({box, whole.sub(box)});
    }
    array.dtype = DType::kInt32;
    array.shape = shape;
    array.pieces = pieces;
  }
  MemorySink chunk(const Shape& chunk_shape, std::uint64_t index) {
    array.chunk_shape = chunk_shape;
    array.chunk_count = chunk_grid(array.shape, chunk_shape).element_count();
    MemorySink sink;
    append_chunk(array, index, sink);
    EXPECT_EQ(sink.bytes.size(), array.chunk_bytes());
    return sink;
  }
  std::vector<std::int32_t> values;
  std::vector<ArrayPiece> pieces;
  PlannedArray array;
};

/// What the chunk must hold: the element at each index, zero beyond the array.
std::vector<std::int32_t> expected(const Shape& shape, const Shape& chunk_shape, std::uint64_t index) {
  const Box box = chunk_box(chunk_grid(shape, chunk_shape), chunk_shape, index);
  std::vector<std::int32_t> out;
  const Shape grid = chunk_shape;
  for (std::uint64_t i = 0; i < chunk_shape.element_count(); ++i) {
    const Box element = chunk_box(grid, Shape(std::vector<std::uint64_t>(shape.rank(), 1)), i);
    std::int32_t value = 0;
    bool inside = true;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      const std::uint64_t at = box.offset[axis] + element.offset[axis];
      inside = inside && at < shape[axis];
      value = value * static_cast<std::int32_t>(shape[axis]) + static_cast<std::int32_t>(at);
    }
    out.push_back(inside ? value : 0);
  }
  return out;
}

std::vector<std::int32_t> as_ints(const MemorySink& sink) {
  std::vector<std::int32_t> out(sink.bytes.size() / 4);
  std::memcpy(out.data(), sink.bytes.data(), sink.bytes.size());
  return out;
}

TEST(ChunkBytes, AreTheElementsOfEveryChunkOfEveryCut) {
  const Shape shape{5, 6, 4};
  for (const Shape& piece : {Shape{5, 6, 4}, Shape{2, 3, 4}, Shape{5, 4, 3}}) {
    for (const Shape& chunk : {Shape{5, 6, 4}, Shape{2, 6, 4}, Shape{1, 3, 4}, Shape{2, 4, 3}, Shape{1, 1, 1}}) {
      SCOPED_TRACE(piece.str() + chunk.str());
      Numbers numbers(shape, piece);
      for (std::uint64_t i = 0; i < chunk_grid(shape, chunk).element_count(); ++i) {
        ASSERT_EQ(as_ints(numbers.chunk(chunk, i)), expected(shape, chunk, i)) << i;
      }
    }
  }
}

TEST(ChunkBytes, OfOnePieceAreHandedOnAsAView) {
  Numbers numbers({6, 4}, {6, 4});
  EXPECT_EQ(numbers.chunk({6, 4}, 0).view_count, 1);
  EXPECT_EQ(numbers.chunk({4, 4}, 1).view_count, 1);  // padded at its end
  EXPECT_EQ(numbers.chunk({6, 3}, 1).view_count, 0);  // padded in each row
}

TEST(ChunkBytes, LargerThanTheScratchComeInOrder) {
  const Shape shape{3, 700'000};
  Numbers numbers(shape, {2, 400'000});
  EXPECT_EQ(as_ints(numbers.chunk(shape, 0)), numbers.values);
}

TEST(ChunkBytes, AreCastToTheStoredDtype) {
  Numbers numbers({3}, {3});
  numbers.array.dtype = DType::kFloat64;
  numbers.array.chunk_shape = {3};
  numbers.array.chunk_count = 1;
  MemorySink sink;
  append_chunk(numbers.array, 0, sink);
  double last = 0;
  std::memcpy(&last, sink.bytes.data() + 16, 8);
  EXPECT_EQ(last, 2.0);
}

/// What is stored of these elements of one byte each.
std::vector<int> stored_bytes(DType dtype, std::vector<std::uint8_t> elements) {
  const Shape shape{elements.size()};
  const ArrayPiece piece{Box::whole(shape), ArrayView::contiguous(reinterpret_cast<const std::byte*>(elements.data()), dtype, shape)};
  PlannedArray array;
  array.dtype = dtype;
  array.shape = array.chunk_shape = shape;
  array.chunk_count = 1;
  array.pieces = {&piece, 1};
  MemorySink sink;
  append_chunk(array, 0, sink);
  std::vector<int> bytes;
  for (const std::byte byte : sink.bytes) bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}

TEST(ChunkBytes, OfSmallIntegersHaveNothingInTheirHighBits) {
  EXPECT_EQ(stored_bytes(DType::kInt4, {0xff, 0xf8, 0x07}), (std::vector<int>{0x0f, 0x08, 0x07}));
}

TEST(ChunkBytes, OfBoolsAreZeroOrOne) {
  EXPECT_EQ(stored_bytes(DType::kBool, {0, 1, 2}), (std::vector<int>{0, 1, 1}));
}

TEST(ChunkBytes, OfAScalarAreOneElement) {
  Numbers numbers({}, {});
  EXPECT_EQ(numbers.chunk({}, 0).bytes.size(), 4);
}

}  // namespace
}  // namespace perdure::checkpoint
