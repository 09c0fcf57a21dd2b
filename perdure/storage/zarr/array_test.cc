#include "perdure/storage/zarr/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "perdure/base/error.h"
#include "perdure/storage/zarr/element_bytes.h"
#include "tests/support/counting_store.h"
#include "tests/support/failures.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/write_formats.h"

namespace perdure::storage::zarr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string read_box(const Array& array, const Box& box, const ReadOptions& options = {}) {
  std::string bytes(box.extent.element_count() * itemsize(array.metadata().dtype), '?');
  array.read(box, ArraySpan::contiguous(reinterpret_cast<std::byte*>(bytes.data()), array.metadata().dtype, box.extent), options);
  return bytes;
}

std::string box_of(const ArrayLeaf& leaf, const Box& box) {
  std::string bytes(box.extent.element_count() * itemsize(leaf.dtype), '?');
  copy_array(leaf.pieces[0].view.sub(box),
             ArraySpan::contiguous(reinterpret_cast<std::byte*>(bytes.data()), leaf.dtype, box.extent));
  return bytes;
}

std::string failure(const Array& array, ErrorKind kind, const ReadOptions& options = {}) {
  try {
    read_box(array, Box::whole(array.metadata().shape), options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "read without an error";
  return "";
}

TEST(Array, GivesBackEveryDTypeInEveryFormat) {
  for (const DTypeInfo& row : dtype_table()) {
    for (const WriteFormat& format : write_formats()) {
      SCOPED_TRACE(std::string(row.name) + " v" + std::to_string(format.zarr_format) + ' ' +
                   (format.compression ? format.compression->name : ""));
      ArrayLeaf leaf = counting_array(row.dtype, {7, 5});
      from_stored_bytes({const_cast<std::byte*>(leaf.pieces[0].view.data), leaf.pieces[0].view.size_bytes()}, row.dtype);
      MemoryStore store;
      put_array(store, "w", leaf, {3, 5}, format);
      const Array array = Array::open(store, "w");
      EXPECT_EQ(array.metadata().dtype, row.dtype);
      EXPECT_EQ(read_box(array, Box::whole({7, 5})), box_of(leaf, Box::whole({7, 5})));
    }
  }
}

TEST(Array, GivesBackEveryBoxVerifiedOrNot) {
  const Shape shape{5, 4, 3};
  const ArrayLeaf leaf = counting_array(DType::kInt16, shape);
  for (const Shape& chunk_shape : {Shape{5, 4, 3}, Shape{2, 4, 3}, Shape{2, 3, 2}, Shape{1, 1, 1}}) {
    MemoryStore store;
    put_array(store, "w", leaf, chunk_shape, {});
    const Array array = Array::open(store, "w");
    Shape begin{0, 0, 0};
    do {
      Box box{begin, {5 - begin[0], 4 - begin[1], 3 - begin[2]}};
      const Shape largest = box.extent;
      box.extent = {1, 1, 1};
      do {
        ASSERT_EQ(read_box(array, box), box_of(leaf, box)) << box.str() << " in chunks of " << chunk_shape.str();
        ASSERT_EQ(read_box(array, box, {.verify = false}), box_of(leaf, box))
            << box.str() << " in chunks of " << chunk_shape.str();
      } while (next_index(box.extent, {1, 1, 1}, largest));
    } while (next_index(begin, {0, 0, 0}, {4, 3, 2}));
  }
}

TEST(Array, FillsAStridedTarget) {
  const ArrayLeaf leaf = counting_array(DType::kInt32, {4, 6});
  for (const auto& compression : codec_choices(3)) {
    MemoryStore store;
    put_array(store, "w", leaf, {3, 4}, {.compression = compression});
    std::vector<std::byte> memory(4 * 6 * 4);
    ArraySpan transposed{memory.data(), DType::kInt32, {4, 6}, {4, 16}};
    Array::open(store, "w").read(Box::whole({4, 6}), transposed);
    std::vector<std::byte> straight(memory.size());
    copy_array(transposed.view(), ArraySpan::contiguous(straight.data(), DType::kInt32, {4, 6}));
    EXPECT_EQ(as_text(straight), as_text(leaf.pieces[0].view.bytes()));
  }
}

TEST(Array, ReadsLargeChunksInSteps) {
  const Shape shape{3, 700'001};  // rows that cross the step of 1 MiB
  const ArrayLeaf leaf = counting_array(DType::kUint16, shape);
  MemoryStore store;
  put_array(store, "w", leaf, shape, {});
  const Array array = Array::open(store, "w");
  EXPECT_TRUE(read_box(array, Box::whole(shape)) == box_of(leaf, Box::whole(shape)));
  const Box part{{0, 5}, {3, 699'000}};
  EXPECT_TRUE(read_box(array, part) == box_of(leaf, part));
  EXPECT_TRUE(read_box(array, part, {.verify = false}) == box_of(leaf, part));
}

TEST(Array, NamesTheChunkThatIsDamaged) {
  MemoryStore store;
  put_array(store, "params.w", counting_array(DType::kFloat32, {4, 3}), {2, 3}, {});
  std::string chunk(store.read("params.w/c/1/0").text());
  chunk[5] = static_cast<char>(chunk[5] ^ 4);
  store.put("params.w/c/1/0", Blob::from(chunk));
  const Array array = Array::open(store, "params.w");
  EXPECT_THAT(failure(array, ErrorKind::kCorrupt),
              testing::MatchesRegex("crc32c: stored 0x[0-9a-f]*, computed 0x[0-9a-f]*\nchunk params.w/c/1/0"));
  read_box(array, {{0, 0}, {2, 3}});
  EXPECT_THROW(read_box(array, {{3, 2}, {1, 1}}), Error);  // a part of a chunk is checked against the whole
  read_box(array, Box::whole({4, 3}), {.verify = false});
}

TEST(Array, NoticesEveryFlippedBitAndTruncationOfAChunk) {
  for (const auto& compression : codec_choices(3)) {
    MemoryStore store;
    put_array(store, "w", counting_array(DType::kUint8, {12}), {12}, {.compression = compression});
    const Array array = Array::open(store, "w");
    const std::string chunk(store.read("w/c/0").text());
    for (std::size_t bit = 0; bit < chunk.size() * 8; ++bit) {
      std::string flipped = chunk;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      store.put("w/c/0", Blob::from(flipped));
      failure(array, ErrorKind::kCorrupt);
    }
    for (std::size_t size = 0; size < chunk.size(); ++size) {
      store.put("w/c/0", Blob::from(chunk.substr(0, size)));
      failure(array, ErrorKind::kCorrupt);
      failure(array, ErrorKind::kCorrupt, {.verify = false});
    }
    store.put("w/c/0", Blob::from(chunk + "x"));
    failure(array, ErrorKind::kCorrupt);
  }
}

TEST(Array, RefusesAChunkOfAnotherSize) {
  MemoryStore store;
  put_array(store, "w", counting_array(DType::kUint8, {12}), {12}, {.zarr_format = 2});
  store.put("w/0", Blob::from(std::string(13, 'x')));
  EXPECT_THAT(failure(Array::open(store, "w"), ErrorKind::kCorrupt), HasSubstr("expected 12 stored bytes, found 13"));
  put_array(store, "z", counting_array(DType::kUint8, {12}), {12}, {.zarr_format = 2, .compression = CodecChoice{}});
  store.put("z/0", make_codec("zstd", json::Value(), {.zarr_format = 2})->encode(Blob::from(std::string(11, 'x'))));
  EXPECT_THAT(failure(Array::open(store, "z"), ErrorKind::kCorrupt), HasSubstr("expected 12 decoded bytes, found 11"));
}

TEST(Array, RefusesABoolThatIsNeitherZeroNorOne) {
  MemoryStore store;
  put_array(store, "w", counting_array(DType::kBool, {3}), {3}, {.zarr_format = 2});
  store.put("w/0", Blob::from(std::string("\0\1\2", 3)));
  EXPECT_THAT(failure(Array::open(store, "w"), ErrorKind::kCorrupt), HasSubstr("expected a bool of 0 or 1, found 2\nchunk w/0"));
}

TEST(Array, IgnoresHighBitsOfInt4AsTensorStoreDoes) {
  MemoryStore store;
  put_array(store, "w", counting_array(DType::kInt4, {3}), {3}, {.zarr_format = 2});
  store.put("w/0", Blob::from(std::string("\xff\x1f\x08")));
  EXPECT_EQ(read_box(Array::open(store, "w"), Box::whole({3})), "\x0f\x0f\x08");
}

TEST(Array, FillsOrRefusesWhatIsMissing) {
  MemoryStore store;
  std::string text = metadata_text(DType::kFloat32, {2, 2}, {1, 2}, {});
  text.replace(text.find("\"fill_value\":0.0"), 16, "\"fill_value\":1.0");
  store.put("w/zarr.json", Blob::from(text));
  const Array array = Array::open(store, "w");
  EXPECT_EQ(read_box(array, Box::whole({2, 2})), std::string("\0\0\x80\x3f\0\0\x80\x3f\0\0\x80\x3f\0\0\x80\x3f", 16));
  EXPECT_THAT(failure(array, ErrorKind::kCorrupt, {.missing_is_fill = false}),
              HasSubstr("the chunk is not stored\nchunk w/c/0/0"));
}

TEST(Array, NamesAnArrayThatIsNotThere) {
  MemoryStore store;
  try {
    Array::open(store, "params.w");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    EXPECT_EQ(error.message(), "no array 'params.w'");
  }
}

TEST(Array, NamesTheKeyOfBadMetadata) {
  MemoryStore store;
  store.put("w/zarr.json", Blob::from(std::string("{}")));
  try {
    Array::open(store, "w");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("key 'w/zarr.json'"));
  }
}

TEST(Array, RefusesHugeMetadataBeforeItTakesMemory) {
  const test::TemporaryDirectory directory;
  make_directories(posix_file_system(), directory / "w");
  for (const char* file : {"w/.zarray", "w/zarr.json"}) {
    write_new_file(posix_file_system(), directory / file, {});
    std::filesystem::resize_file(directory / file, std::uint64_t{1} << 40);  // sparse
    const auto store = open_kvstore(directory.path(), "file");
    const std::string message = test::error_of([&] { Array::open(*store, "w"); });
    EXPECT_THAT(message, testing::AllOf(HasSubstr(file), HasSubstr("metadata of 1099511627776 bytes")));
  }
}

TEST(Array, ParsesEqualTextsOnce) {
  MemoryStore store;
  put_array(store, "a", counting_array(DType::kInt64, {123}), {123}, {});
  put_array(store, "b", counting_array(DType::kInt64, {123}), {123}, {});
  EXPECT_EQ(&Array::open(store, "a").metadata(), &Array::open(store, "b").metadata());
}

TEST(Array, RefusesATargetOfAnotherDTypeOrShape) {
  MemoryStore store;
  put_array(store, "w", counting_array(DType::kFloat32, {2}), {2}, {});
  const Array array = Array::open(store, "w");
  std::vector<std::byte> memory(64);
  EXPECT_THROW(array.read(Box::whole({2}), ArraySpan::contiguous(memory.data(), DType::kInt32, {2})), Error);
  EXPECT_THROW(array.read(Box::whole({2}), ArraySpan::contiguous(memory.data(), DType::kFloat32, {3})), Error);
}

TEST(ListArrays, FindsArraysOfBothVersionsAndNoGroups) {
  MemoryStore store;
  put_array(store, "b", counting_array(DType::kInt8, {2}), {2}, {});
  put_array(store, "a/x", counting_array(DType::kInt8, {2}), {2}, {.zarr_format = 2});
  store.put("zarr.json", Blob::from(std::string(R"({"zarr_format": 3, "node_type": "group"})")));
  store.put("broken/zarr.json", Blob::from(std::string("{")));
  store.put("notzarr.json", Blob::from(std::string("{}")));
  EXPECT_THAT(list_arrays(store), ElementsAre("a/x", "b", "broken"));
}

TEST(ListArrays, FindsAnArrayAtTheRoot) {
  MemoryStore store;
  store.put(".zarray", Blob::from(metadata_text(DType::kInt8, {}, {}, {.zarr_format = 2})));
  store.put("0", Blob::from(std::string("\x7")));
  EXPECT_THAT(list_arrays(store), ElementsAre(""));
  EXPECT_EQ(read_box(Array::open(store, ""), Box::whole({})), "\x7");
}

}  // namespace
}  // namespace perdure::storage::zarr
