#include "perdure/checkpoint/write/orbax_side_files.h"

#include <gtest/gtest.h>

namespace perdure::checkpoint {
namespace {

PlannedArray jax_array(std::uint32_t leaf_index, std::string name, Shape shape) {
  PlannedArray array;
  array.leaf_index = leaf_index;
  array.name = std::move(name);
  array.metadata.shape = array.metadata.chunk_shape = std::move(shape);
  array.is_jax = true;
  return array;
}

TEST(OrbaxSideFiles, ShardingsAreNamedInBase64) {
  const std::string device = R"(:"{\"sharding_type\": \"SingleDeviceSharding\", \"device_str\": \"cpu:0\"}")";
  PlannedArray plain = jax_array(1, "host", {});
  plain.is_jax = false;
  EXPECT_EQ(encode_shardings({jax_array(0, "a", {}), plain, jax_array(2, "aa", {}), jax_array(3, "a\xff\xbe", {})}),
            R"({"YQ==")" + device + R"(,"YWE=")" + device + R"(,"Yf--")" + device + "}");
}

TEST(OrbaxSideFiles, ShardingsAreThoseOfTheLeaves) {
  PlannedArray array = jax_array(0, "a", {});
  array.sharding = R"({"sharding_type": "SingleDeviceSharding", "device_str": "cuda:3"})";
  EXPECT_EQ(encode_shardings({array}), R"({"YQ==":"{\"sharding_type\": \"SingleDeviceSharding\", \"device_str\": \"cuda:3\"}"})");
}

TEST(OrbaxSideFiles, ArrayMetadatasSayShapesAndKindsOfKeys) {
  SavePlan plan;
  plan.leaves = {StoredArrayRef{"w", "jax", {}, {}}, StoredArrayRef{"k", "jax.key:threefry2x32", {}, {}}};
  plan.arrays = {jax_array(0, "w", {2, 3}), jax_array(1, "k", {2})};
  EXPECT_EQ(
      encode_array_metadatas(plan),
      R"({"array_metadatas":[{"array_metadata":{"param_name":"w","write_shape":[2,3],"chunk_shape":[2,3],"ext_metadata":null}},)"
      R"({"array_metadata":{"param_name":"k","write_shape":[2],"chunk_shape":[2],"ext_metadata":{"random_key_impl":"threefry2x32"}}}]})");
}

}  // namespace
}  // namespace perdure::checkpoint
