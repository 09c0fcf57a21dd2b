#include "perdure/tree/key_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perdure::tree {
namespace {

std::string spelled(std::string path, const Key& key, NodeKind parent, bool is_first, PathStyle style) {
  append_key(path, key, parent, is_first, style);
  return path;
}

TEST(KeyPath, PositionsAreBracketedInTheFlatDictAndDottedInStorage) {
  EXPECT_EQ(spelled("a", 0, NodeKind::kList, false, PathStyle::kBracketed), "a[0]");
  EXPECT_EQ(spelled("", 12, NodeKind::kTuple, true, PathStyle::kBracketed), "[12]");
  EXPECT_EQ(spelled("a", 0, NodeKind::kList, false, PathStyle::kDotted), "a.0");
  EXPECT_EQ(spelled("", 12, NodeKind::kTuple, true, PathStyle::kDotted), "12");
}

TEST(KeyPath, MappingKeysAreTextWhateverTheyHold) {
  for (const PathStyle style : {PathStyle::kBracketed, PathStyle::kDotted}) {
    EXPECT_EQ(spelled("k", "[0]", NodeKind::kMapping, false, style), "k.[0]");
    EXPECT_EQ(spelled("k", 7, NodeKind::kMapping, false, style), "k.7");
    EXPECT_EQ(spelled("k", "", NodeKind::kMapping, false, style), "k.");
    EXPECT_EQ(spelled("", KeyTuple{"a"}, NodeKind::kMapping, true, style), "('a',)");
    EXPECT_EQ(spelled("op", "m", NodeKind::kRecord, false, style), "op.m");
  }
}

TEST(KeyPath, AnEmptyFirstKeyTakesADotOnlyInStorage) {
  EXPECT_EQ(spelled("", "x", NodeKind::kMapping, false, PathStyle::kBracketed), "x");
  EXPECT_EQ(spelled("", "x", NodeKind::kMapping, false, PathStyle::kDotted), ".x");
}

TEST(KeyPath, RelativeKeysJoinTheirSlot) {
  EXPECT_EQ(join_relative("k", ""), "k");
  EXPECT_EQ(join_relative("k", "a[2]"), "k.a[2]");
  EXPECT_EQ(join_relative("k", "[1].x"), "k[1].x");
  EXPECT_EQ(join_relative("", "a"), "a");
  EXPECT_EQ(join_relative("", ""), "");
}

}  // namespace
}  // namespace perdure::tree
