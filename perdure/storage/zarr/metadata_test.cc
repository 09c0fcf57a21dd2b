#include "perdure/storage/zarr/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "tests/support/write_formats.h"

namespace perdure::storage::zarr {
namespace {

TEST(ArrayMetadata, RoundTripsThroughItsTextForEveryDType) {
  for (const DTypeInfo& row : dtype_table()) {
    for (const WriteFormat& format : write_formats()) {
      const std::string text = metadata_text(row.dtype, {64, 0, 3}, {32, 0, 3}, format);
      SCOPED_TRACE(text);
      const ArrayMetadata parsed =
          format.zarr_format == 3 ? parse_zarr3(text) : parse_zarr2(text, attributes_text(row.dtype, format));
      const ArrayMetadata made = make_metadata(row.dtype, {64, 0, 3}, {32, 0, 3}, format);
      for (const ArrayMetadata& metadata : {parsed, made}) {
        EXPECT_EQ(metadata.zarr_format, format.zarr_format);
        EXPECT_EQ(metadata.dtype, row.dtype);
        EXPECT_EQ(metadata.shape, (Shape{64, 0, 3}));
        EXPECT_EQ(metadata.chunk_shape, (Shape{32, 1, 3}));
        EXPECT_EQ(metadata.codecs.is_plain(), !format.compression);
        EXPECT_EQ(metadata.codecs.has_crc32c(), format.crc32c && format.zarr_format == 3);
        EXPECT_EQ(metadata.codecs.bytes_codecs.size(),
                  format.compression.has_value() + (format.crc32c && format.zarr_format == 3));
        EXPECT_EQ(metadata.fill_value, std::vector<std::byte>(row.itemsize));
        EXPECT_EQ(metadata.chunk_key({1, 0, 0}), format.zarr_format == 3 ? "c/1/0/0" : "1.0.0");
      }
    }
  }
}

TEST(ArrayMetadata, TextOfAnOrdinaryArray) {
  EXPECT_EQ(metadata_text(DType::kFloat32, {10, 9}, {5, 9}, {}),
            R"({"zarr_format":3,"node_type":"array","shape":[10,9],"data_type":"float32",)"
            R"("chunk_grid":{"name":"regular","configuration":{"chunk_shape":[5,9]}},"chunk_key_encoding":{"name":"default"},)"
            R"("fill_value":0.0,"codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]})");
  EXPECT_EQ(metadata_text(DType::kInt8, {}, {}, {.zarr_format = 2, .compression = CodecChoice{}}),
            R"({"chunks":[],"compressor":{"id":"zstd","level":1},"dimension_separator":".","dtype":"|i1","fill_value":null,)"
            R"("filters":null,"order":"C","shape":[],"zarr_format":2})");
}

TEST(ArrayMetadata, SaysInWhatOrderTheAxesAreStored) {
  for (const auto& [zarr_format, order] : {std::pair(3, std::vector<std::size_t>{1, 2, 0}), {2, {2, 1, 0}}}) {
    const WriteFormat format{.zarr_format = zarr_format, .crc32c = false, .axis_order = order};
    const std::string text = metadata_text(DType::kInt16, {4, 5, 6}, {4, 5, 6}, format);
    const ArrayMetadata parsed = zarr_format == 3 ? parse_zarr3(text) : parse_zarr2(text);
    EXPECT_EQ(parsed.codecs.transpose, order) << text;
    EXPECT_FALSE(parsed.codecs.is_plain());
    EXPECT_EQ(make_metadata(DType::kInt16, {4, 5, 6}, {4, 5, 6}, format).codecs.transpose, order);
  }
}

TEST(ArrayMetadata, NotesPrivateDTypesBesideTheirStorage) {
  EXPECT_THAT(metadata_text(DType::kUint4, {2}, {2}, {}),
              testing::AllOf(testing::HasSubstr(R"("data_type":"uint8")"),
                             testing::HasSubstr(R"("attributes":{"perdure":{"dtype":"uint4"}})")));
  EXPECT_EQ(attributes_text(DType::kFloat8E4m3, {.zarr_format = 2}), R"({"perdure":{"dtype":"float8_e4m3"}})");
  EXPECT_EQ(attributes_text(DType::kFloat8E4m3, {.zarr_format = 3}), "");
  EXPECT_EQ(attributes_text(DType::kFloat32, {.zarr_format = 2}), "");
}

ArrayMetadata with_keys(bool v2_keys, char separator, Shape shape) {
  ArrayMetadata metadata;
  metadata.v2_keys = v2_keys;
  metadata.separator = separator;
  metadata.shape = metadata.chunk_shape = std::move(shape);
  return metadata;
}

TEST(ChunkKey, FollowsItsEncoding) {
  EXPECT_EQ(with_keys(false, '/', {1, 1}).chunk_key({3, 10}), "c/3/10");
  EXPECT_EQ(with_keys(false, '.', {1, 1}).chunk_key({3, 10}), "c.3.10");
  EXPECT_EQ(with_keys(true, '.', {1, 1}).chunk_key({3, 10}), "3.10");
  EXPECT_EQ(with_keys(true, '/', {1, 1}).chunk_key({3, 10}), "3/10");
  EXPECT_EQ(with_keys(false, '/', {}).chunk_key({}), "c");
  EXPECT_EQ(with_keys(true, '.', {}).chunk_key({}), "0");
}

TEST(ArrayMetadata, CountsTheChunksOfEveryAxis) {
  ArrayMetadata metadata;
  metadata.shape = {10, 0, 12};
  metadata.chunk_shape = {4, 1, 6};
  metadata.dtype = DType::kFloat32;
  EXPECT_EQ(metadata.grid(), (Shape{3, 0, 2}));
  EXPECT_EQ(metadata.chunk_bytes(), 4u * 1 * 6 * 4);
  metadata.chunk_shape = {std::uint64_t{1} << 40, std::uint64_t{1} << 30, 1};
  EXPECT_THROW(metadata.chunk_bytes(), Error);
}

}  // namespace
}  // namespace perdure::storage::zarr
