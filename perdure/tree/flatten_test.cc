#include "perdure/tree/flatten.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "perdure/base/error.h"
#include "perdure/tree/names.h"

namespace perdure::tree {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Objects that are numbers; each lists the numbers it holds. What is not in the map is a leaf.
class Graph final : public ObjectReader {
 public:
  explicit Graph(std::map<std::intptr_t, std::vector<std::intptr_t>> lists) : lists_(std::move(lists)) {}

  NodeKind kind(ObjectRef object) override { return lists_.contains(number(object)) ? NodeKind::kList : NodeKind::kLeaf; }
  TypeName type_name(ObjectRef) override { return {}; }
  Leaf leaf(ObjectRef object) override {
    if (number(object) < 0) throw Error(ErrorKind::kInputType, "cannot save 'set'");
    return Scalar(std::int64_t{number(object)});
  }
  void append_children(ObjectRef object, NodeKind, std::vector<Child>& out) override {
    std::int64_t index = 0;
    for (const std::intptr_t child : lists_.at(number(object))) {
      if (child == kOddKey) throw Error(ErrorKind::kInputType, "cannot save a key of 'set'");
      out.push_back({index++, ref(child)});
    }
  }

  static constexpr std::intptr_t kOddKey = 666;
  static ObjectRef ref(std::intptr_t number) { return reinterpret_cast<ObjectRef>(number); }

 private:
  static std::intptr_t number(ObjectRef object) { return reinterpret_cast<std::intptr_t>(object); }
  std::map<std::intptr_t, std::vector<std::intptr_t>> lists_;
};

/// A list in a list in a list, without end.
class Endless final : public ObjectReader {
 public:
  NodeKind kind(ObjectRef) override { return NodeKind::kList; }
  TypeName type_name(ObjectRef) override { return {}; }
  Leaf leaf(ObjectRef) override { return Scalar(); }
  void append_children(ObjectRef object, NodeKind, std::vector<Child>& out) override {
    out.push_back({0, reinterpret_cast<ObjectRef>(reinterpret_cast<std::intptr_t>(object) + 1)});
  }
};

std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInputType);
    return error.message();
  }
  return "";
}

TEST(Flatten, GivesStructureAndObjectsInPreorder) {
  Graph graph({{1, {2, 3, 4}}, {3, {5}}, {4, {}}});
  const FlatObjects flat = flatten(graph, Graph::ref(1));
  EXPECT_THAT(flat.objects, ElementsAre(Graph::ref(1), Graph::ref(2), Graph::ref(3), Graph::ref(5), Graph::ref(4)));
  EXPECT_THAT(flat.leaf_positions, ElementsAre(1u, 3u));
  EXPECT_THAT(leaf_names(flat.structure), ElementsAre("0", "1.0"));
  EXPECT_EQ(flat.structure.nodes()[0].child_count, 3u);
  EXPECT_EQ(flat.leaf(1), Graph::ref(5));
}

TEST(Flatten, ACycleIsRefusedWithItsKeyPath) {
  EXPECT_THAT(refusal([] {
                Graph graph({{1, {9, 2}}, {2, {3}}, {3, {1}}});
                flatten(graph, Graph::ref(1));
              }),
              AllOf(HasSubstr("contains itself"), HasSubstr("at '1.0.0'")));
}

TEST(Flatten, ACycleThatClosesDeepDownIsRefused) {
  for (const int start : {1, 20, 31, 32, 33, 90}) {
    SCOPED_TRACE(start);
    std::map<std::intptr_t, std::vector<std::intptr_t>> lists;
    for (int i = 1; i < 100; ++i) lists[i] = {i + 1};
    lists[100] = {start};
    EXPECT_THAT(refusal([&] {
                  Graph graph(lists);
                  flatten(graph, Graph::ref(1));
                }),
                HasSubstr("contains itself"));
  }
}

TEST(Flatten, TheSameObjectTwiceIsNoCycle) {
  std::map<std::intptr_t, std::vector<std::intptr_t>> lists;
  for (int i = 1; i < 50; ++i) lists[i] = {i + 1, 1000};
  lists[50] = {1000, 1000};
  lists[1000] = {5000};
  Graph graph(lists);
  EXPECT_EQ(flatten(graph, Graph::ref(1)).structure.leaf_count(), 51u);
}

TEST(Flatten, ObjectsWithoutEndAreRefused) {
  EXPECT_THAT(refusal([] {
                Endless endless;
                flatten(endless, nullptr);
              }),
              HasSubstr("levels"));
}

TEST(Flatten, ALeafThatCannotBeSavedIsNamedByItsKeyPath) {
  EXPECT_EQ(refusal([] {
              Graph graph({{1, {7, 2}}, {2, {-5}}});
              flatten_tree(graph, Graph::ref(1));
            }),
            "cannot save 'set' at '1.0'");
  EXPECT_EQ(refusal([] {
              Graph graph({});
              flatten_tree(graph, Graph::ref(-5));
            }),
            "cannot save 'set'");
}

TEST(Flatten, AKeyThatIsNotPlainIsNamedByItsMapping) {
  EXPECT_EQ(refusal([] {
              Graph graph({{1, {7, 2}}, {2, {Graph::kOddKey}}});
              flatten(graph, Graph::ref(1));
            }),
            "cannot save a key of 'set' at '1'");
}

}  // namespace
}  // namespace perdure::tree
