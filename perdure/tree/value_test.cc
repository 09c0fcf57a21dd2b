#include "perdure/tree/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/tree/names.h"
#include "tests/support/failures.h"

namespace perdure {
namespace {

using test::kind_of_failure;
using testing::ElementsAre;

TEST(Value, HoldsPlainValuesOfTheirKind) {
  EXPECT_TRUE(Value().is_none());
  EXPECT_TRUE(Value(true).as_bool());
  EXPECT_EQ(Value(-3).as_int(), -3);
  EXPECT_EQ(Value(2.5).as_double(), 2.5);
  EXPECT_EQ(Value(3).as_double(), 3.0);
  EXPECT_EQ(Value("text").as_text(), "text");
  EXPECT_EQ(Value(Blob::from(std::string("\0x", 2))).as_bytes().size(), 2u);
  EXPECT_EQ(std::get<BigInt>(std::get<Scalar>(Value(~std::uint64_t{0}).as_leaf())).digits, "18446744073709551615");
}

TEST(Value, AnotherKindIsRefused) {
  EXPECT_EQ(kind_of_failure([] { Value("3").as_int(); }), ErrorKind::kInvalid);
  EXPECT_EQ(kind_of_failure([] { Value(true).as_int(); }), ErrorKind::kInvalid);
  EXPECT_EQ(kind_of_failure([] { Value(1).array(); }), ErrorKind::kInvalid);
  EXPECT_EQ(kind_of_failure([] { Value::list({}).as_leaf(); }), ErrorKind::kInvalid);
  EXPECT_EQ(kind_of_failure([] { Value(1)["a"]; }), ErrorKind::kInvalid);
  EXPECT_EQ(kind_of_failure([] { Value::dict({{"a", 1}})["b"]; }), ErrorKind::kNotFound);
  EXPECT_EQ(kind_of_failure([] { Value::list({1})[1]; }), ErrorKind::kNotFound);
  EXPECT_EQ(kind_of_failure([] { Value::list({1})["0"]; }), ErrorKind::kNotFound);
}

TEST(Value, ContainersAreReadByKeyFieldAndPosition) {
  const Value state = Value::dict({{"params", Value::dict({{"w", Value::array({2, 2}, std::vector<float>{1, 2, 3, 4})}})},
                                   {"list", Value::list({1, Value::tuple({"a", "b"})})},
                                   {3, "int key"}});
  EXPECT_THAT(state["params"]["w"].span<float>(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(state["params"]["w"].array().shape, (Shape{2, 2}));
  EXPECT_EQ(state["list"][1][0].as_text(), "a");
  EXPECT_EQ(state[3].as_text(), "int key");
  EXPECT_EQ(state.find("3"), nullptr);
  EXPECT_EQ(state.size(), 3u);
}

TEST(Value, ArraysKnowTheirElements) {
  EXPECT_EQ(Value::array({1}, std::vector<std::uint16_t>{7}).array().dtype, DType::kUint16);
  EXPECT_EQ(Value::array({1}, std::vector<long long>{7}).array().dtype, DType::kInt64);
  EXPECT_EQ(kind_of_failure([] { Value::array({3}, std::vector<float>{1, 2}); }), ErrorKind::kInvalid);
  EXPECT_EQ(kind_of_failure([] { Value::array({1}, std::vector<float>{1}).span<double>(); }), ErrorKind::kInvalid);
  const float column[] = {1, 2, 3, 4};
  const ArrayView strided{reinterpret_cast<const std::byte*>(column), DType::kFloat32, Shape{2}, Strides{8}};
  EXPECT_EQ(kind_of_failure([&] { Value::array(strided).span<float>(); }), ErrorKind::kInvalid);
}

TEST(Value, ComesBackFromItsLeavesAsItWas) {
  const Value state = Value::dict(
      {{"t", Value::tuple({1, Value::list({}), None{}})},
       {KeyTuple{"a", 1}, Value::container(NodeKind::kNamedTuple, {"optax", "Adam"}, {{"mu", 2.5}, {"nu", Value::dict({})}})},
       {true, Value::array({2}, std::vector<double>{1, 2})}});
  const tree::FlatTree flat = tree::flatten(state);
  const Value again = tree::unflatten(flat);
  EXPECT_EQ(again["t"].kind(), NodeKind::kTuple);
  EXPECT_EQ(again["t"][1].kind(), NodeKind::kList);
  EXPECT_TRUE(again["t"][2].is_none());
  const Value& adam = again[KeyTuple{"a", 1}];
  EXPECT_EQ(adam.kind(), NodeKind::kNamedTuple);
  EXPECT_EQ(adam.type_name(), (TypeName{"optax", "Adam"}));
  EXPECT_EQ(adam["mu"].as_double(), 2.5);
  EXPECT_EQ(adam["nu"].kind(), NodeKind::kMapping);
  EXPECT_THAT(again[true].span<double>(), ElementsAre(1, 2));
  EXPECT_TRUE(tree::flatten(again).structure == flat.structure);
}

TEST(Value, ABareLeafIsATree) {
  EXPECT_EQ(tree::unflatten(tree::flatten(7)).as_int(), 7);
  EXPECT_TRUE(tree::unflatten(tree::flatten(Value())).is_none());
}

TEST(Value, AHundredThousandLevelsWork) {
  Value deep = 1;
  for (int level = 0; level < 100'000; ++level) deep = Value::list({deep});
  tree::FlatTree flat = tree::flatten(deep);
  EXPECT_EQ(flat.structure.nodes().size(), 100'001u);
  EXPECT_EQ(tree::leaf_names(flat.structure)[0].size(), 199'999u);
  tree::check_unique_names(flat.structure);
  Value again = tree::unflatten(flat);
  int levels = 0;
  for (const Value* at = &again; at->size() == 1; at = &(*at)[0]) ++levels;
  EXPECT_EQ(levels, 100'000);
}

TEST(Value, ManyLeavesKeepTheirOrder) {
  Value::Items items;
  for (int i = 0; i < 20'000; ++i) items.push_back({"layer" + std::to_string(i), i});
  const Value again = tree::unflatten(tree::flatten(Value::dict(items)));
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(again.items()[static_cast<std::size_t>(i)].value.as_int(), i);
}

}  // namespace
}  // namespace perdure
