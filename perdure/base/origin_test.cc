#include "perdure/base/origin.h"

#include <gtest/gtest.h>

namespace perdure {
namespace {

TEST(Origin, TellsJaxArraysByTheWholeWord) {
  EXPECT_TRUE(is_jax_origin("jax"));
  EXPECT_TRUE(is_jax_origin("jax.key:threefry2x32"));
  EXPECT_FALSE(is_jax_origin("numpy"));
  EXPECT_FALSE(is_jax_origin("jaxtyping"));
  EXPECT_FALSE(is_jax_origin(""));
}

TEST(Origin, TellsTensorsByTheWholeWord) {
  EXPECT_TRUE(is_torch_origin("torch.Parameter:frozen|bits8"));
  EXPECT_FALSE(is_torch_origin("torchx"));
}

TEST(Origin, BeginsWithItsPackage) {
  EXPECT_EQ(package_of_origin("torch.Parameter:frozen"), "torch");
  EXPECT_EQ(package_of_origin("torch|float8_e4m3fn"), "torch");
  EXPECT_EQ(package_of_origin(random_key_origin("rbg")), "jax");
  EXPECT_EQ(package_of_origin("numpy"), "numpy");
  EXPECT_EQ(package_of_origin(""), "");
}

TEST(Origin, OnlyTensorsShareMemory) {
  EXPECT_TRUE(may_share_memory("torch.Parameter", "torch"));
  EXPECT_FALSE(may_share_memory("torch", "jax"));
  EXPECT_FALSE(may_share_memory("numpy", "torch"));
  EXPECT_FALSE(may_share_memory("numpy", "numpy.scalar"));
}

TEST(Origin, GivesBackTheImplementationOfATypedKey) {
  EXPECT_EQ(random_key_impl(random_key_origin("threefry2x32")), "threefry2x32");
  EXPECT_EQ(random_key_origin("rbg"), "jax.key:rbg");
  EXPECT_FALSE(random_key_impl("jax"));
}

TEST(Origin, TellsNumbersFromBitsThatMeanSomethingElse) {
  EXPECT_TRUE(holds_numbers(origins::kNumpy));
  EXPECT_TRUE(holds_numbers("torch.Parameter:frozen"));
  EXPECT_TRUE(holds_numbers("jax.weak"));
  EXPECT_FALSE(holds_numbers("torch.Parameter:frozen|bits8"));
  EXPECT_FALSE(holds_numbers(random_key_origin("rbg")));
}

}  // namespace
}  // namespace perdure
