#include "perdure/tree/type_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace perdure::tree {
namespace {

const int kTypes[3] = {};

TEST(TypeRegistry, FindsOnlyTheExactType) {
  TypeRegistry<std::string> registry;
  registry.set(&kTypes[0], "zero");
  EXPECT_EQ(*registry.find(&kTypes[0]), "zero");
  EXPECT_EQ(registry.find(&kTypes[1]), nullptr);
}

TEST(TypeRegistry, ResolvesThroughTheNearestBase) {
  TypeRegistry<std::string> registry;
  registry.set(&kTypes[2], "base");
  const TypeRef order[] = {&kTypes[0], &kTypes[1], &kTypes[2]};
  EXPECT_EQ(*registry.resolve(order), "base");
  registry.set(&kTypes[1], "nearer");
  EXPECT_EQ(*registry.resolve(order), "nearer");
  EXPECT_EQ(registry.resolve(std::span(order).first(1)), nullptr);
}

TEST(TypeRegistry, GivesBackWhatItReplaces) {
  TypeRegistry<std::string> registry;
  EXPECT_EQ(registry.set(&kTypes[0], "one"), nullptr);
  const std::uint64_t before = registry.generation();
  EXPECT_EQ(*registry.set(&kTypes[0], "two"), "one");
  EXPECT_NE(registry.generation(), before);
  EXPECT_EQ(*registry.find(&kTypes[0]), "two");
}

}  // namespace
}  // namespace perdure::tree
