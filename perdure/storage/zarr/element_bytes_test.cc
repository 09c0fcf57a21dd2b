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

TEST(ElementBytes, SignExtendsOrMasksWhatIsRead) {
  EXPECT_EQ(in_memory("\x0f\x07\x18", DType::kInt4), "\xff\x07\xf8");
  EXPECT_EQ(in_memory("\x03\x02\x01", DType::kInt2), "\xff\xfe\x01");
  EXPECT_EQ(in_memory("\xf3", DType::kUint2), "\x03");
  EXPECT_EQ(in_memory("\xf7", DType::kFloat4E2m1fn), "\x07");
  EXPECT_EQ(in_memory("\xf7", DType::kFloat8E5m2), "\xf7");
}

TEST(ElementBytes, ComesBackForEveryValueOfEverySubByteType) {
  for (const DTypeInfo& row : dtype_table()) {
    if (row.bits >= 8 || row.dtype == DType::kBool) continue;
    for (int code = 0; code < 1 << row.bits; ++code) {
      const std::string on_disk(1, static_cast<char>(code));
      EXPECT_EQ(stored(in_memory(on_disk, row.dtype), row.dtype), on_disk);
    }
  }
}

TEST(ElementBytes, RefusesABoolThatIsNeitherZeroNorOne) {
  EXPECT_EQ(in_memory(std::string("\0\1", 2), DType::kBool), std::string("\0\1", 2));
  EXPECT_THROW(in_memory("\x80", DType::kBool), Error);
  EXPECT_EQ(stored(std::string("\0\1\x80", 3), DType::kBool), std::string("\0\1\1", 3));
}

}  // namespace
}  // namespace perdure::storage::zarr
