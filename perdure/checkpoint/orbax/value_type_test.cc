#include "perdure/checkpoint/orbax/value_type.h"

#include <gtest/gtest.h>

namespace perdure::checkpoint {
namespace {

TEST(ValueType, EmptyContainersComeBackAsTheirKind) {
  for (const NodeKind kind : {NodeKind::kMapping, NodeKind::kList, NodeKind::kTuple, NodeKind::kNamedTuple}) {
    EXPECT_EQ(find_value_type(empty_value_type(kind))->container, kind);
  }
  EXPECT_EQ(empty_value_type(NodeKind::kRecord), "Dict");
}

TEST(ValueType, IsUnknownUnlessTheWholeWordIs) {
  EXPECT_EQ(find_value_type("jax.Array")->origin, "jax");
  EXPECT_EQ(find_value_type("jax.Arra"), nullptr);
  EXPECT_EQ(find_value_type(""), nullptr);
}

}  // namespace
}  // namespace perdure::checkpoint
