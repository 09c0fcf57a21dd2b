#include "perdure/storage/zarr/chunk_encoding.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "perdure/base/error.h"
#include "perdure/storage/zarr/chunk_grid.h"

namespace perdure::storage::zarr {
namespace {

/// What a writer gets that takes what lies in memory from there, and the rest in parts of `step` elements.
struct Written {
  Written(const ChunkBytes& chunk, std::size_t step = 7) {
    const ByteView in_memory = chunk.in_memory();
    in_memory_bytes = in_memory.size();
    bytes.assign(in_memory.begin(), in_memory.end());
    bytes.resize(chunk.size_bytes());
    step *= itemsize(chunk.metadata().dtype);
    for (std::size_t at = in_memory_bytes; at < bytes.size(); at += step) {
      chunk.fill(at, std::span(bytes).subspan(at, std::min(step, bytes.size() - at)));
    }
  }
  std::vector<std::byte> bytes;
  std::size_t in_memory_bytes = 0;
};

/// 0, 1, 2, ... in C order, cut into pieces of `piece_shape`, each with memory of its own.
struct Numbers {
  Numbers(const Shape& shape, const Shape& piece_shape) : values(shape.element_count()) {
    std::iota(values.begin(), values.end(), 0);
    const ArrayView whole = ArrayView::contiguous(reinterpret_cast<const std::byte*>(values.data()), DType::kInt32, shape);
    for (const ChunkRead& read : plan_chunks(shape, piece_shape, Box::whole(shape)))
      pieces.push_back({read.in_target, whole.sub(read.in_target)});
    array_shape = shape;
  }
  ArrayMetadata metadata(const Shape& chunk_shape, const WriteFormat& format = {}) const {
    return make_metadata(DType::kInt32, array_shape, chunk_shape, format);
  }
  Written chunk(const Shape& chunk_shape, std::uint64_t number, std::size_t step = 7) const {
    const ArrayMetadata of = metadata(chunk_shape);
    return Written({pieces, of, number}, step);
  }
  std::vector<std::int32_t> values;
  std::vector<ArrayPiece> pieces;
  Shape array_shape;
};

/// What the chunk must hold: the element at each index, zero beyond the array.
std::vector<std::int32_t> expected(const Shape& shape, const Shape& chunk_shape, const Shape& chunk_index) {
  std::vector<std::int32_t> out;
  for (std::uint64_t i = 0; i < chunk_shape.element_count(); ++i) {
    const Shape element = index_of_chunk(chunk_shape, i);
    std::int32_t value = 0;
    bool inside = true;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      const std::uint64_t at = chunk_index[axis] * chunk_shape[axis] + element[axis];
      inside = inside && at < shape[axis];
      value = value * static_cast<std::int32_t>(shape[axis]) + static_cast<std::int32_t>(at);
    }
    out.push_back(inside ? value : 0);
  }
  return out;
}

std::vector<std::int32_t> as_ints(const Written& written) {
  std::vector<std::int32_t> out(written.bytes.size() / 4);
  std::memcpy(out.data(), written.bytes.data(), written.bytes.size());
  return out;
}

TEST(ChunkBytes, AreTheElementsOfEveryChunkOfEveryCut) {
  const Shape shape{5, 6, 4};
  for (const Shape& piece : {Shape{5, 6, 4}, Shape{2, 3, 4}, Shape{5, 4, 3}}) {
    for (const Shape& chunk : {Shape{5, 6, 4}, Shape{2, 6, 4}, Shape{1, 3, 4}, Shape{2, 4, 3}, Shape{1, 1, 1}}) {
      SCOPED_TRACE(piece.str() + chunk.str());
      const Numbers numbers(shape, piece);
      const Shape grid = numbers.metadata(chunk).grid();
      for (std::uint64_t i = 0; i < grid.element_count(); ++i) {
        ASSERT_EQ(as_ints(numbers.chunk(chunk, i)), expected(shape, chunk, index_of_chunk(grid, i))) << i;
      }
    }
  }
}

TEST(ChunkBytes, OfOnePieceAreTakenFromWhereTheyLie) {
  const Numbers numbers({6, 4}, {6, 4}), cut({6, 4}, {3, 4});
  EXPECT_EQ(numbers.chunk({6, 4}, 0).in_memory_bytes, 6 * 4 * 4);
  EXPECT_EQ(numbers.chunk({4, 4}, 1).in_memory_bytes, 2 * 4 * 4);  // padded at its end
  EXPECT_EQ(numbers.chunk({6, 3}, 1).in_memory_bytes, 0);          // padded in each row
  EXPECT_EQ(cut.chunk({3, 4}, 1).in_memory_bytes, 3 * 4 * 4);      // one shard of several
  EXPECT_EQ(cut.chunk({6, 4}, 0).in_memory_bytes, 0);              // of two shards
}

TEST(ChunkBytes, ComeInPartsOfAnySize) {
  const Shape shape{3, 5, 4};
  for (const Shape& piece : {Shape{2, 4, 3}, Shape{3, 5, 2}}) {
    const Numbers numbers(shape, piece);
    for (std::size_t step = 1; step < 61; ++step) ASSERT_EQ(as_ints(numbers.chunk(shape, 0, step)), numbers.values) << step;
  }
}

TEST(ChunkBytes, OfStridedMemoryComeInPartsOfAnySize) {
  Numbers numbers({4, 6}, {4, 6});
  numbers.pieces[0].view.data += 3 * 6 * 4;
  numbers.pieces[0].view.strides[0] *= -1;
  for (std::size_t step = 1; step < 25; ++step) {
    const Written written = numbers.chunk({5, 6}, 0, step);
    EXPECT_EQ(written.in_memory_bytes, 0);
    EXPECT_EQ(as_ints(written)[0], 18);
    EXPECT_EQ(as_ints(written)[23], 5);
    EXPECT_EQ(as_ints(written)[29], 0);
  }
}

TEST(ChunkBytes, AreCastToTheStoredDtype) {
  const Numbers numbers({3}, {3});
  const ArrayMetadata metadata = make_metadata(DType::kFloat64, {3}, {3}, {});
  const Written written({numbers.pieces, metadata, 0});
  double last = 0;
  std::memcpy(&last, written.bytes.data() + 16, 8);
  EXPECT_EQ(last, 2.0);
}

/// What is stored of these elements of one byte each.
std::vector<int> stored_bytes(DType dtype, std::vector<std::uint8_t> elements) {
  const Shape shape{elements.size()};
  const ArrayPiece piece{Box::whole(shape),
                         ArrayView::contiguous(reinterpret_cast<const std::byte*>(elements.data()), dtype, shape)};
  const ArrayMetadata metadata = make_metadata(dtype, shape, shape, {});
  std::vector<int> bytes;
  for (const std::byte byte : Written({{&piece, 1}, metadata, 0}).bytes) bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}

TEST(ChunkBytes, OfSmallIntegersHaveNothingInTheirHighBits) {
  EXPECT_EQ(stored_bytes(DType::kInt4, {0xff, 0xf8, 0x07}), (std::vector<int>{0x0f, 0x08, 0x07}));
}

TEST(ChunkBytes, OfBoolsAreZeroOrOne) { EXPECT_EQ(stored_bytes(DType::kBool, {0, 1, 2}), (std::vector<int>{0, 1, 1})); }

TEST(ChunkBytes, OfAScalarAreOneElement) {
  const Numbers numbers({}, {});
  EXPECT_EQ(numbers.chunk({}, 0).bytes.size(), 4);
}

TEST(EncodedChunk, PassedThroughTheCodecsInOrder) {
  const Numbers numbers({6, 5}, {6, 5});
  const ArrayMetadata metadata = numbers.metadata({4, 5}, {.compression = CodecChoice{}});
  Blob chunk = encode_chunk({numbers.pieces, metadata, 1});
  chunk = metadata.codecs.bytes_codecs[1]->decode(chunk, 1000);
  chunk = metadata.codecs.bytes_codecs[0]->decode(chunk, 80);
  EXPECT_EQ(chunk.text(), as_text(numbers.chunk({4, 5}, 1).bytes));
}

TEST(EncodedChunk, OfPlainMetadataIsTheElementsAndTheirCrc) {
  const Numbers numbers({6, 5}, {3, 5});
  const ArrayMetadata metadata = numbers.metadata({4, 5});
  const Blob chunk = encode_chunk({numbers.pieces, metadata, 0});
  EXPECT_EQ(chunk.slice(0, 80).text(), as_text(numbers.chunk({4, 5}, 0).bytes));
  EXPECT_EQ(chunk.size(), 84);
}

TEST(EncodedChunk, OfImmutableMemoryIsTheSame) {
  for (const Shape& chunk : {Shape{6, 5}, Shape{3, 5}, Shape{4, 5}, Shape{6, 3}}) {
    const Numbers numbers({6, 5}, {6, 5});
    const ArrayMetadata metadata = numbers.metadata(chunk, {.compression = CodecChoice{}});
    EXPECT_EQ(encode_chunk({numbers.pieces, metadata, 0}, true).text(), encode_chunk({numbers.pieces, metadata, 0}).text());
  }
}

TEST(EncodedChunk, IsNotMadeForMetadataThatWeOnlyRead) {
  const Numbers numbers({2, 3}, {2, 3});
  ArrayMetadata metadata = numbers.metadata({2, 3});
  metadata.codecs.transpose = {1, 0};
  EXPECT_THROW(encode_chunk({numbers.pieces, metadata, 0}), Error);
}

}  // namespace
}  // namespace perdure::storage::zarr
