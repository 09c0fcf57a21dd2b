#include "perdure/tree/walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace perdure::tree {
namespace {

using testing::ElementsAre;

/// 1 holds 2 and 3, 3 holds 4; what a test makes of a number when its kind is asked for is its own.
class Numbers final : public ObjectReader {
 public:
  std::function<NodeKind(std::intptr_t)> kind_of = [](std::intptr_t n) {
    return n == 1 || n == 3 ? NodeKind::kList : NodeKind::kLeaf;
  };
  std::vector<std::string> notes;

  NodeKind kind(ObjectRef object) override { return kind_of(number(object)); }
  TypeName type_name(ObjectRef) override { return {}; }
  Leaf leaf(ObjectRef) override { return Scalar(); }
  void append_children(ObjectRef object, NodeKind, std::vector<Child>& out) override {
    if (number(object) == 1) out.insert(out.end(), {{0, ref(2)}, {1, ref(3)}});
    if (number(object) == 3) out.push_back({0, ref(4)});
    if (number(object) == 4) throw 5;
  }
  void add_note(const std::exception_ptr&, const std::string& note) override { notes.push_back(note); }

  static ObjectRef ref(std::intptr_t number) { return reinterpret_cast<ObjectRef>(number); }
  static std::intptr_t number(ObjectRef object) { return reinterpret_cast<std::intptr_t>(object); }
};

/// A leaf becomes ten times itself, a container the sum of its children.
class Sum final : public Visitor {
 public:
  std::vector<std::string> seen;

  ObjectRef leaf(Child& child, const std::string& path) override {
    seen.push_back(path);
    return Numbers::ref(10 * Numbers::number(child.object));
  }
  void enter(Child& child, NodeKind) override { seen.push_back("(" + std::to_string(Numbers::number(child.object))); }
  ObjectRef leave(ObjectRef, NodeKind, std::span<const Child> children, const std::string& path) override {
    seen.push_back(path + ")");
    std::intptr_t sum = 0;
    for (const Child& child : children) sum += Numbers::number(child.object);
    return Numbers::ref(sum);
  }
};

TEST(Walk, AContainerIsLeftWithWhatItsChildrenBecame) {
  Numbers numbers;
  Sum sum;
  EXPECT_EQ(Numbers::number(walk(numbers, Numbers::ref(1), PathStyle::kBracketed, sum)), 60);
  EXPECT_THAT(sum.seen, ElementsAre("(1", "[0]", "(3", "[1][0]", "[1])", ")"));
}

TEST(Walk, ARootThatIsALeafHasTheEmptyPath) {
  Numbers numbers;
  Sum sum;
  EXPECT_EQ(Numbers::number(walk(numbers, Numbers::ref(7), PathStyle::kDotted, sum)), 70);
  EXPECT_THAT(sum.seen, ElementsAre(""));
}

TEST(Walk, AKindIsAskedForWhenTheObjectsTurnHasCome) {
  Numbers numbers;
  bool met_two = false;
  numbers.kind_of = [&](std::intptr_t n) {
    met_two = met_two || n == 2;
    return n == 1 || (n == 3 && !met_two) ? NodeKind::kList : NodeKind::kLeaf;
  };
  Sum sum;
  EXPECT_EQ(Numbers::number(walk(numbers, Numbers::ref(1), PathStyle::kDotted, sum)), 50);
}

TEST(Walk, WhatTheReaderThrowsIsToldWhereItHappened) {
  Numbers numbers;
  numbers.kind_of = [](std::intptr_t n) { return n == 2 ? NodeKind::kLeaf : NodeKind::kList; };
  Sum sum;
  EXPECT_THROW(walk(numbers, Numbers::ref(1), PathStyle::kBracketed, sum), int);
  EXPECT_THAT(numbers.notes, ElementsAre("in the container at '[1][0]'"));
}

}  // namespace
}  // namespace perdure::tree
