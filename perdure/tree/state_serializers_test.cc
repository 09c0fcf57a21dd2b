#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "perdure/base/error.h"
#include "perdure/tree/state.h"
#include "tests/support/failures.h"
#include "tests/support/trees.h"

namespace {

struct Crate {
  int value = 0;
};
struct Root {
  virtual ~Root() = default;
};
struct Left : virtual Root {
  int left = 1;
};
struct Right : virtual Root {
  int right = 2;
};
struct LeftRight : Left, Right {};
struct RightLeft : Right, Left {};
struct Holder {
  int before = 0;
  Crate box;
};

}  // namespace

template <>
constexpr auto perdure::describe<Crate>() {
  return opaque<Crate>("test.Crate");
}
template <>
constexpr auto perdure::describe<Root>() {
  return record<Root>("test.Root");
}
template <>
constexpr auto perdure::describe<Left>() {
  return record<Left>("test.Left", bases<Root>(), field("left", &Left::left));
}
template <>
constexpr auto perdure::describe<Right>() {
  return record<Right>("test.Right", bases<Root>(), field("right", &Right::right));
}
template <>
constexpr auto perdure::describe<LeftRight>() {
  return record<LeftRight>("test.LeftRight", bases<Left, Right>());
}
template <>
constexpr auto perdure::describe<RightLeft>() {
  return record<RightLeft>("test.RightLeft", bases<Right, Left>());
}
template <>
constexpr auto perdure::describe<Holder>() {
  return record<Holder>("test.Holder", field("before", &Holder::before), field("box", &Holder::box));
}

namespace perdure::tree {
namespace {

using test::keys_of;
using test::kind_of_failure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Value value_of(const Crate& box) { return Value::dict({{"v", box.value}}); }
Crate box_of(const Crate& target, const Value& relative) {
  const Value* const value = relative.find("v");
  return Crate{value != nullptr ? static_cast<int>(value->as_int()) : target.value};
}

/// Registers a serializer that writes only `tag`.
template <class T>
void tag_as(ObjectRegistry& registry, const char* tag) {
  register_serializer<T>([tag](const T&) { return Value::dict({{"", tag}}); }, [](T&, const Value&) {}, registry);
}

TEST(Serializers, WriteKeysRelativeToTheirSlot) {
  ObjectRegistry registry;
  register_serializer<Crate>(value_of, box_of, registry);
  const std::pair<Crate, std::vector<Crate>> boxes{{3}, {{4}}};
  EXPECT_THAT(keys_of(state_dict(boxes, registry)), ElementsAre("[0].v", "[1][0].v"));
  EXPECT_THAT(keys_of(state_dict(Crate(), registry)), ElementsAre("v"));
  std::pair<Crate, std::vector<Crate>> restored{{0}, {{0}}};
  from_state_dict(restored, state_dict(boxes, registry), registry);
  EXPECT_EQ(restored.first.value, 3);
  EXPECT_EQ(restored.second[0].value, 4);
}

TEST(Serializers, SeeOnlyTheirOwnSlice) {
  ObjectRegistry registry;
  Value seen;
  register_serializer<Crate>(
      value_of, [&](Crate&, const Value& relative) { seen = relative; }, registry);
  std::map<std::string, Crate> boxes = {{"k", {}}};
  const Value flat = Value::dict({{"k", 5}, {"k.a", 2}, {"k[0]", 3}, {"k2", 1}, {"kk.b", 4}, {"j.k.a", 7}});
  EXPECT_THAT(from_state_dict(boxes, flat, registry).unused, ElementsAre("k2", "kk.b", "j.k.a"));
  EXPECT_THAT(keys_of(seen), ElementsAre("", "a", "[0]"));
  from_state_dict(boxes, Value::dict({}), registry);
  EXPECT_THAT(keys_of(seen), IsEmpty());
}

TEST(Serializers, ComeBeforeTheWalkAndReplaceEachOther) {
  ObjectRegistry registry;
  const std::vector<std::string> list = {"x"};
  EXPECT_THAT(keys_of(state_dict(list, registry)), ElementsAre("[0]"));
  tag_as<std::vector<std::string>>(registry, "one");
  EXPECT_EQ(state_dict(list, registry)[""].as_text(), "one");
  tag_as<std::vector<std::string>>(registry, "two");
  EXPECT_EQ(state_dict(list, registry)[""].as_text(), "two");
}

TEST(Serializers, OfTheNearestBaseInPythonsOrderWins) {
  ObjectRegistry registry;
  EXPECT_THAT(keys_of(state_dict(LeftRight(), registry)), ElementsAre("right", "left"));
  tag_as<Root>(registry, "root");
  EXPECT_EQ(state_dict(LeftRight(), registry)[""].as_text(), "root");
  tag_as<Right>(registry, "right");
  EXPECT_EQ(state_dict(LeftRight(), registry)[""].as_text(), "right");  // a diamond: before the root of both
  tag_as<Left>(registry, "left");
  EXPECT_EQ(state_dict(LeftRight(), registry)[""].as_text(), "left");
  EXPECT_EQ(state_dict(RightLeft(), registry)[""].as_text(), "right");
  tag_as<LeftRight>(registry, "itself");
  EXPECT_EQ(state_dict(LeftRight(), registry)[""].as_text(), "itself");
  EXPECT_EQ(state_dict(Root(), registry)[""].as_text(), "root");
}

TEST(Serializers, OfABaseFillObjectsOfDerivedTypes) {
  ObjectRegistry registry;
  register_type<LeftRight>(registry);
  register_serializer<Right>(
      [](const Right& object) {
        return Value::dict({{"r", object.right}});
      },
      [](Right& object, const Value& relative) { object.right = int(relative["r"].as_int()); }, registry);
  std::unique_ptr<Root> object = std::make_unique<LeftRight>();
  from_state_dict(object, Value::dict({{"r", 9}}), registry);
  EXPECT_EQ(dynamic_cast<Right&>(*object).right, 9);
}

TEST(Serializers, ThatMakeANewBaseRefuseToCutADerivedObject) {
  ObjectRegistry registry;
  register_serializer<Left>([](const Left&) { return Value::dict({}); }, [](const Left& left, const Value&) { return left; },
                            registry);
  LeftRight object;
  EXPECT_EQ(kind_of_failure([&] { from_state_dict(object, Value::dict({}), registry); }), ErrorKind::kInputType);
  Left left;
  from_state_dict(left, Value::dict({}), registry);
}

TEST(Serializers, OfAnotherRegistryDoNotCount) {
  ObjectRegistry registry;
  register_serializer<Crate>(value_of, box_of, registry);
  try {
    state_dict(Holder());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInputType);
    EXPECT_THAT(error.message(), HasSubstr("Crate"));
    EXPECT_THAT(error.message(), HasSubstr("'box'"));
    EXPECT_THAT(error.message(), HasSubstr("register_serializer"));
  }
}

TEST(Serializers, LetTheirExceptionsPassAndLeaveTheRestUntouched) {
  ObjectRegistry registry;
  register_serializer<Crate>(
      value_of, [](const Crate&, const Value&) -> Crate { throw std::range_error("boom"); }, registry);
  Holder holder;
  EXPECT_THROW(from_state_dict(holder, Value::dict({{"before", 5}}), registry), std::range_error);
  EXPECT_EQ(holder.before, 0);
  register_serializer<Crate>(
      value_of, [](const Crate&, const Value& relative) { return Crate{int(relative["gone"].as_int())}; }, registry);
  try {
    from_state_dict(holder, Value::dict({{"before", 5}}), registry);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.notes(), ElementsAre(HasSubstr("'box'")));
  }
}

TEST(Serializers, MustGiveTextKeys) {
  ObjectRegistry registry;
  for (const Value& wrong : {Value(3), Value::dict({{1, 2}})}) {
    register_serializer<Crate>([=](const Crate&) { return wrong; }, box_of, registry);
    EXPECT_EQ(kind_of_failure([&] { state_dict(Crate(), registry); }), ErrorKind::kInputType);
  }
}

TEST(TemplateRestored, WritesNothingAndStaysAsItIs) {
  ObjectRegistry registry;
  register_template_restored<Crate>(registry);
  Holder holder{1, {7}};
  EXPECT_THAT(keys_of(state_dict(holder, registry)), ElementsAre("before"));
  from_state_dict(holder, Value::dict({{"before", 2}, {"box", 5}, {"box.v", 6}}), registry);
  EXPECT_EQ(holder.before, 2);
  EXPECT_EQ(holder.box.value, 7);
}

TEST(Serializers, MayBeRegisteredWhileOthersAreUsed) {
  ObjectRegistry registry;
  tag_as<Crate>(registry, "first");
  register_type<LeftRight>(registry);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) {
      tag_as<Crate>(registry, "again");
      register_type<RightLeft>(registry);
      tag_as<Holder>(registry, "holder");
    }
    done = true;
  });
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      do {
        const std::unique_ptr<Root> object = std::make_unique<LeftRight>();
        EXPECT_EQ(state_dict(std::vector<Crate>(3), registry).size(), 3u);
        EXPECT_EQ(state_dict(object, registry).size(), 2u);
      } while (!done);
    });
  }
  writer.join();
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace perdure::tree
