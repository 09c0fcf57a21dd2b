#include "perdure/checkpoint/stored_leaf.h"

#include <gtest/gtest.h>

#include <cstring>

namespace perdure::checkpoint {
namespace {

template <class T>
T stored_value(const StoredLeafForm& form) {
  T value;
  std::memcpy(&value, form.scalar_bytes.data(), sizeof value);
  return value;
}

TEST(StoredLeaf, PlainNumbersAreScalarsOfOrbax) {
  EXPECT_EQ(stored_form(true).array_dtype, DType::kBool);
  EXPECT_EQ(stored_form(std::int64_t{-5}).array_dtype, DType::kInt64);
  EXPECT_EQ(stored_value<std::int64_t>(stored_form(std::int64_t{-5})), -5);
  EXPECT_EQ(stored_form(2.5).array_dtype, DType::kFloat64);
  EXPECT_EQ(stored_form(2.5).value_type, "scalar");
}

TEST(StoredLeaf, BigIntsAreUnsignedWhileTheyFitAndTextBeyond) {
  EXPECT_EQ(stored_value<std::uint64_t>(stored_form(BigInt{"18446744073709551615"})), 18446744073709551615u);
  EXPECT_EQ(stored_form(BigInt{"18446744073709551615"}).value_type, "scalar");
  EXPECT_EQ(stored_form(BigInt{"18446744073709551616"}).text, "18446744073709551616");
  EXPECT_EQ(stored_form(BigInt{"-9223372036854775809"}).value_type, "string");
}

TEST(StoredLeaf, WhatOrbaxCannotHoldIsTheNearestArray) {
  EXPECT_EQ(stored_form(std::complex<double>(1, 2)).array_dtype, DType::kComplex128);
  EXPECT_EQ(stored_form(std::complex<double>(1, 2)).value_type, "np.ndarray");
  const Scalar bytes = Blob::from(std::string("abc"));
  EXPECT_EQ(stored_form(bytes).array_dtype, DType::kUint8);
  EXPECT_EQ(stored_form(bytes).array_bytes->size(), 3);
}

TEST(StoredLeaf, TextAndNoneHaveNoArray) {
  EXPECT_EQ(stored_form(Text{"x"}).text, "x");
  EXPECT_FALSE(stored_form(None{}).array_dtype);
  EXPECT_EQ(stored_form(None{}).value_type, "None");
}

TEST(StoredLeaf, OriginsTellJaxArraysAndKeys) {
  EXPECT_TRUE(is_jax_origin("jax"));
  EXPECT_TRUE(is_jax_origin("jax.key:threefry2x32"));
  EXPECT_FALSE(is_jax_origin("numpy"));
  EXPECT_FALSE(is_jax_origin("jaxtyping"));
  EXPECT_EQ(random_key_impl("jax.key:threefry2x32"), "threefry2x32");
  EXPECT_FALSE(random_key_impl("jax"));
}

}  // namespace
}  // namespace perdure::checkpoint
