#include "perdure/tree/flat_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace perdure::tree {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Each key's value is its address.
FlatIndex index_of(const std::vector<std::string_view>& keys) {
  std::vector<FlatEntry> entries;
  for (const std::string_view key : keys) entries.push_back({key, key.data()});
  return FlatIndex(entries);
}

std::vector<std::string_view> keys_of(const std::vector<FlatEntry>& entries) {
  std::vector<std::string_view> keys;
  for (const FlatEntry& entry : entries) keys.push_back(entry.key);
  return keys;
}

TEST(FlatIndex, FindsKeysInAnyOrder) {
  const std::vector<std::string_view> keys = {"a", "b", "c", "d"};
  FlatIndex index = index_of(keys);
  for (const std::size_t i : {0u, 1u, 3u, 2u, 3u, 0u}) EXPECT_EQ(index.take(keys[i]), keys[i].data());
  EXPECT_EQ(index.take("e"), nullptr);
  EXPECT_THAT(index.unused(), IsEmpty());
}

TEST(FlatIndex, ReportsWhatNobodyAskedForInOrder) {
  FlatIndex index = index_of({"d", "b", "c", "a"});
  index.take("c");
  index.take("zzz");
  EXPECT_THAT(index.unused(), ElementsAre("d", "b", "a"));
}

TEST(FlatIndex, SlicesByWholeComponents) {
  FlatIndex index = index_of({"k2", "k[0]", "k.a", "kk.b", "k", "k ", "j.k.a", "K.a", "k.n.m", "k..x", "k.[1]"});
  EXPECT_THAT(keys_of(index.take_slice("k")), ElementsAre("[0]", "a", "", "n.m", ".x", "[1]"));
  EXPECT_THAT(index.unused(), ElementsAre("k2", "kk.b", "k ", "j.k.a", "K.a"));
}

TEST(FlatIndex, TheRootsSliceIsEverything) {
  FlatIndex index = index_of({"b", "", "[0].a"});
  EXPECT_THAT(keys_of(index.take_slice("")), ElementsAre("b", "", "[0].a"));
  EXPECT_THAT(index.unused(), IsEmpty());
}

TEST(FlatIndex, ASliceMayBeEmpty) {
  FlatIndex index = index_of({"a", "c"});
  EXPECT_THAT(index.take_slice("b"), IsEmpty());
  EXPECT_THAT(index_of({}).take_slice("b"), IsEmpty());
}

}  // namespace
}  // namespace perdure::tree
