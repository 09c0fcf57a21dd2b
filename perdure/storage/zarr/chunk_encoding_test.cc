#include "perdure/storage/zarr/chunk_encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"

namespace perdure::storage::zarr {
namespace {

/// An array of bytes 0, 1, 2, ... in one piece.
ArrayLeaf counting(DType dtype, const Shape& shape) {
  auto memory = std::make_shared<std::vector<std::byte>>(shape.element_count() * itemsize(dtype));
  for (std::size_t i = 0; i < memory->size(); ++i) (*memory)[i] = static_cast<std::byte>(i);
  ArrayLeaf leaf;
  leaf.dtype = dtype;
  leaf.shape = shape;
  leaf.owner = memory;
  leaf.pieces.push_back({Box::whole(shape), ArrayView::contiguous(memory->data(), dtype, shape)});
  return leaf;
}

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

TEST(ChunkView, IsTheMemoryOfAWholeChunk) {
  const ArrayLeaf leaf = counting(DType::kUint8, {4, 3});
  const ArrayMetadata metadata = make_metadata(DType::kUint8, {4, 3}, {2, 3}, {});
  const auto view = chunk_view(leaf, metadata, {1, 0});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->data, leaf.pieces[0].view.data + 6);
  EXPECT_TRUE(view->is_contiguous());
}

TEST(ChunkView, MayBeStrided) {
  const ArrayLeaf leaf = counting(DType::kUint8, {4, 4});
  const auto view = chunk_view(leaf, make_metadata(DType::kUint8, {4, 4}, {2, 2}, {}), {1, 1});
  ASSERT_TRUE(view);
  EXPECT_FALSE(view->is_contiguous());
  EXPECT_EQ(view->data, leaf.pieces[0].view.data + 10);
}

TEST(ChunkView, IsNothingForEdgesCodecsAndElementsThatDifferOnDisk) {
  const auto find = [](DType dtype, const Shape& chunk_shape, const WriteFormat& format) {
    return chunk_view(counting(dtype, {2, 3}), make_metadata(dtype, {2, 3}, chunk_shape, format), {0, 0});
  };
  EXPECT_TRUE(find(DType::kUint8, {2, 3}, {}));
  EXPECT_FALSE(find(DType::kUint8, {2, 4}, {}));
  EXPECT_FALSE(find(DType::kUint8, {2, 3}, {.zstd = true}));
  EXPECT_TRUE(find(DType::kInt4, {2, 3}, {}));   // the bytes 0 to 5
  EXPECT_FALSE(find(DType::kInt2, {2, 3}, {}));
  EXPECT_FALSE(find(DType::kBool, {2, 3}, {}));
}

TEST(EncodeChunk, PadsEdgesWithZeros) {
  const ArrayMetadata metadata = make_metadata(DType::kUint8, {3, 3}, {2, 2}, {.crc32c = false});
  EXPECT_EQ(encode_chunk(counting(DType::kUint8, {3, 3}), metadata, {1, 1}).text(), bytes({8, 0, 0, 0}));
  EXPECT_EQ(encode_chunk(counting(DType::kUint8, {3, 3}), metadata, {0, 1}).text(), bytes({2, 0, 5, 0}));
}

TEST(EncodeChunk, SharesTheMemoryOfAContiguousChunk) {
  const ArrayLeaf leaf = counting(DType::kUint8, {4, 3});
  const Blob chunk = encode_chunk(leaf, make_metadata(DType::kUint8, {4, 3}, {2, 3}, {.crc32c = false}), {1, 0});
  EXPECT_EQ(chunk.data(), leaf.pieces[0].view.data + 6);
  EXPECT_EQ(chunk.owner(), leaf.owner);
}

TEST(EncodeChunk, AppliesTheCodecsInOrder) {
  const ArrayLeaf leaf = counting(DType::kFloat32, {6, 5});
  const ArrayMetadata metadata = make_metadata(DType::kFloat32, {6, 5}, {4, 5}, {.zstd = true});
  Blob chunk = encode_chunk(leaf, metadata, {0, 0});
  chunk = metadata.codecs.bytes_codecs[1]->decode(chunk, 1000);
  chunk = metadata.codecs.bytes_codecs[0]->decode(chunk, 80);
  EXPECT_EQ(chunk.text(), as_text(leaf.pieces[0].view.bytes().first(80)));
}

TEST(EncodeChunk, StoresLowBitsOfInt4AndOnesForBools) {
  const ArrayLeaf int4 = counting(DType::kInt4, {300});
  const Blob low = encode_chunk(int4, make_metadata(DType::kInt4, {300}, {300}, {.crc32c = false}), {0});
  EXPECT_EQ(std::to_integer<int>(low.view()[0xf8]), 0x08);
  const ArrayLeaf bools = counting(DType::kBool, {4});
  EXPECT_EQ(encode_chunk(bools, make_metadata(DType::kBool, {4}, {4}, {.crc32c = false}), {0}).text(), bytes({0, 1, 1, 1}));
}

ArrayLeaf split_in_columns(const ArrayLeaf& whole) {
  ArrayLeaf leaf = whole;
  leaf.pieces.clear();
  for (std::uint64_t column = 0; column < whole.shape[1]; ++column) {
    const Box box{{0, column}, {whole.shape[0], 1}};
    leaf.pieces.push_back({box, whole.pieces[0].view.sub(box)});
  }
  return leaf;
}

TEST(EncodeChunk, GathersAChunkFromSeveralPieces) {
  const ArrayLeaf whole = counting(DType::kUint16, {3, 4});
  const ArrayMetadata metadata = make_metadata(DType::kUint16, {3, 4}, {3, 4}, {.crc32c = false});
  EXPECT_FALSE(chunk_view(split_in_columns(whole), metadata, {0, 0}));
  EXPECT_EQ(encode_chunk(split_in_columns(whole), metadata, {0, 0}).text(), as_text(whole.pieces[0].view.bytes()));
}

TEST(EncodeChunk, RefusesAChunkThatThePiecesDoNotCover) {
  ArrayLeaf leaf = split_in_columns(counting(DType::kUint16, {3, 4}));
  leaf.pieces.pop_back();
  EXPECT_THROW(encode_chunk(leaf, make_metadata(DType::kUint16, {3, 4}, {3, 4}, {}), {0, 0}), Error);
}

TEST(EncodeChunk, WritesAScalar) {
  const ArrayLeaf leaf = counting(DType::kFloat64, {});
  EXPECT_TRUE(chunk_view(leaf, make_metadata(DType::kFloat64, {}, {}, {}), {}));
  EXPECT_EQ(encode_chunk(leaf, make_metadata(DType::kFloat64, {}, {}, {}), {}).size(), 12u);
}

TEST(EncodeChunk, RefusesMetadataThatWeOnlyRead) {
  ArrayMetadata metadata = make_metadata(DType::kFloat32, {2, 3}, {2, 3}, {});
  metadata.codecs.transpose = {1, 0};
  EXPECT_THROW(encode_chunk(counting(DType::kFloat32, {2, 3}), metadata, {0, 0}), Error);
}

}  // namespace
}  // namespace perdure::storage::zarr
