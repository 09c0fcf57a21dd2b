#include "perdure/storage/zarr/element_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"

namespace perdure::storage::zarr {
namespace {

std::string stored(std::string elements, DType dtype) {
  to_stored_bytes({reinterpret_cast<std::byte*>(elements.data()), elements.size()}, dtype);
  return elements;
}
std::string in_memory(std::string elements, DType dtype) {
  from_stored_bytes({reinterpret_cast<std::byte*>(elements.data()), elements.size()}, dtype);
  return elements;
}

TEST(ElementBytes, StoresTheLowBitsOfSubByteTypes) {
  EXPECT_EQ(stored("\xff\x07", DType::kInt4), "\x0f\x07");
  EXPECT_EQ(stored("\xff\xfe", DType::kInt2), "\x03\x02");
  EXPECT_EQ(stored("\xf3", DType::kUint4), "\x03");
  EXPECT_EQ(stored("\xff", DType::kInt8), "\xff");
}

TEST(ElementBytes, IgnoresHighBitsOfWhatIsRead) {
  EXPECT_EQ(in_memory("\xff\x1f\x08", DType::kInt4), "\x0f\x0f\x08");
  EXPECT_EQ(in_memory("\xf3", DType::kUint2), "\x03");
  EXPECT_EQ(in_memory("\xf7", DType::kFloat4E2m1fn), "\x07");
  EXPECT_EQ(in_memory("\xf7", DType::kFloat8E5m2), "\xf7");
}

TEST(ElementBytes, KnowsBytesThatNeedNoChange) {
  const auto are_stored = [](std::string_view text, DType dtype) { return are_stored_bytes(as_bytes(text), dtype); };
  EXPECT_TRUE(are_stored("\x0f\x08", DType::kInt4));
  EXPECT_FALSE(are_stored("\x0f\x18", DType::kInt4));
  EXPECT_FALSE(are_stored("\x01\x02", DType::kBool));
  EXPECT_TRUE(are_stored("\xff", DType::kUint8));
}

TEST(ElementBytes, RefusesABoolThatIsNeitherZeroNorOne) {
  EXPECT_EQ(in_memory(std::string("\0\1", 2), DType::kBool), std::string("\0\1", 2));
  EXPECT_THROW(in_memory("\x80", DType::kBool), Error);
  EXPECT_EQ(stored(std::string("\0\1\x80", 3), DType::kBool), std::string("\0\1\1", 3));
}

}  // namespace
}  // namespace perdure::storage::zarr
