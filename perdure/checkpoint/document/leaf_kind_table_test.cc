#include "perdure/checkpoint/document/leaf_kind_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "tests/support/failures.h"

namespace perdure::checkpoint {
namespace {

StoredForm form_of(const Scalar& scalar) {
  static DocumentLeaf leaf;  // text and bytes are borrowed
  return stored_form(leaf = scalar);
}

template <class T>
T stored_value(const StoredForm& form) {
  T value;
  std::memcpy(&value, form.element.data(), sizeof value);
  return value;
}

TEST(StoredForm, PlainNumbersAreScalarsOfOrbax) {
  EXPECT_EQ(form_of(true).array_dtype, DType::kBool);
  EXPECT_EQ(form_of(std::int64_t{-5}).array_dtype, DType::kInt64);
  EXPECT_EQ(stored_value<std::int64_t>(form_of(std::int64_t{-5})), -5);
  EXPECT_EQ(form_of(2.5).array_dtype, DType::kFloat64);
  EXPECT_EQ(form_of(2.5).value_type, "scalar");
}

TEST(StoredForm, BigIntsAreUnsignedWhileTheyFitAndTextBeyond) {
  EXPECT_EQ(stored_value<std::uint64_t>(form_of(BigInt{"18446744073709551615"})), 18446744073709551615u);
  EXPECT_EQ(form_of(BigInt{"18446744073709551615"}).value_type, "scalar");
  EXPECT_EQ(form_of(BigInt{"18446744073709551616"}).text, "18446744073709551616");
  EXPECT_EQ(form_of(BigInt{"-9223372036854775809"}).value_type, "string");
}

TEST(StoredForm, WhatOrbaxCannotHoldIsTheNearestArray) {
  EXPECT_EQ(form_of(std::complex<double>(1, 2)).array_dtype, DType::kComplex128);
  EXPECT_EQ(form_of(std::complex<double>(1, 2)).value_type, "np.ndarray");
  const Scalar bytes = Blob::from(std::string("abc"));
  EXPECT_EQ(form_of(bytes).array_dtype, DType::kUint8);
  EXPECT_EQ(form_of(bytes).array_bytes->size(), 3);
}

TEST(StoredForm, ArraysAreOfJaxByTheirOrigin) {
  EXPECT_EQ(stored_form(StoredArrayRef{.name = "w", .origin = "jax.key:rbg", .tied_to = {}, .chunk_crc32c = {}}).value_type,
            "jax.Array");
  EXPECT_EQ(stored_form(StoredArrayRef{.name = "w", .origin = "torch", .tied_to = {}, .chunk_crc32c = {}}).value_type,
            "np.ndarray");
}

TEST(StoredForm, TextAndNoneHaveNoArray) {
  EXPECT_EQ(form_of(Text{"x"}).text, "x");
  EXPECT_FALSE(form_of(None{}).array_dtype);
  EXPECT_EQ(form_of(None{}).value_type, "None");
}

TEST(StoredForm, AValueOfAHandlerIsWhatTheHandlerCallsIt) {
  EXPECT_EQ(form_of(Handled{"example.Words"}).value_type, "example.Words");
  EXPECT_FALSE(form_of(Handled{"example.Words"}).array_dtype);
}

TEST(LeafKindTable, TagsAreOfOneKindEach) {
  std::set<int> tags;
  for (const LeafKind& kind : leaf_kind_table()) {
    for (int i = 0; i < kind.tag_count; ++i) EXPECT_TRUE(tags.insert(kind.tag + i).second) << kind.name;
  }
  EXPECT_FALSE(tags.contains(9));  // tuples, in keys
}

TEST(LeafKindTable, ANewerTagIsRefusedAsOne) {
  DocumentReader nothing(ByteView{});
  const auto decode = [&] { decode_leaf(nothing, 200, "leaf"); };
  EXPECT_THAT(test::message_of_failure(ErrorKind::kCorrupt, decode),
              testing::EndsWith("unknown tag 200 of a leaf; a newer perdure may have written it"));
}

}  // namespace
}  // namespace perdure::checkpoint
