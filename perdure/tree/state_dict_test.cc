#include "perdure/tree/state_dict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "perdure/base/error.h"
#include "perdure/tree/value.h"

namespace perdure::tree {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// Values as a host: text has a serializer (its keys are "" and "[0].x"), bytes are unknown, floats count as arrays.
class ValueHost final : public StateHost {
 public:
  std::vector<std::pair<std::string, std::int64_t>> flat;
  std::vector<std::pair<std::string, std::size_t>> slices;  // of each template with a serializer: which, and how many keys it got
  std::vector<std::string> notes;

  NodeKind kind(ObjectRef object) override { return reader_.kind(object); }
  void append_children(ObjectRef object, NodeKind kind, std::vector<Child>& out) override {
    reader_.append_children(object, kind, out);
  }
  TypeName type_name(ObjectRef object) override { return reader_.type_name(object); }
  Leaf leaf(ObjectRef object) override { return reader_.leaf(object); }
  void add_note(const std::exception_ptr&, const std::string& note) override { notes.push_back(note); }

  LeafRole role(ObjectRef object) override {
    const Leaf value = value_of(object).as_leaf();
    const Scalar& scalar = std::get<Scalar>(value);
    if (std::holds_alternative<Text>(scalar)) return LeafRole::kSerialized;
    if (std::holds_alternative<Blob>(scalar)) return LeafRole::kUnknown;
    return std::holds_alternative<double>(scalar) ? LeafRole::kArray : LeafRole::kPlain;
  }
  std::string type_text(ObjectRef) override { return "blob"; }
  ObjectRef save_leaf(ObjectRef leaf, LeafRole) override { return leaf; }
  void save_serialized(ObjectRef leaf, std::vector<FlatEntry>& out) override {
    if (value_of(leaf).as_text() == "!throw") throw 5;
    out.push_back({"", hold(Value(1))});
    out.push_back({"[0].x", hold(Value(2))});
  }
  bool put(std::string_view key, ObjectRef value) override {
    if (!keys_.emplace(key, true).second) return false;
    flat.emplace_back(key, value_of(value).is_none() ? -1 : static_cast<std::int64_t>(value_of(value).as_double()));
    return true;
  }
  ObjectRef restore_leaf(ObjectRef, LeafRole role, ObjectRef value) override {
    if (role == LeafRole::kArray && value_of(value).is_none()) return nullptr;
    if (role == LeafRole::kArray && value_of(value).as_double() < 0) throw Error(ErrorKind::kMismatch, "shape");
    return value;
  }
  ObjectRef restore_serialized(ObjectRef target, std::span<const FlatEntry> slice) override {
    slices.emplace_back(value_of(target).as_text(), slice.size());
    return target;
  }
  ObjectRef rebuild(ObjectRef target, NodeKind kind, std::span<const Child> children) override {
    Value::Items items;
    for (const Child& child : children) items.push_back({child.key, value_of(child.object)});
    return hold(Value::container(kind, value_of(target).type_name(), items));
  }

  ObjectRef hold(Value value) { return &held_.emplace_back(std::move(value)); }
  static const Value& value_of(ObjectRef object) { return *static_cast<const Value*>(object); }

 private:
  ValueReader reader_;
  std::deque<Value> held_;
  std::map<std::string, bool, std::less<>> keys_;
};

Restored restore(ValueHost& host, const Value& target, const std::vector<std::pair<std::string, Value>>& flat) {
  std::vector<FlatEntry> entries;
  for (const auto& [key, value] : flat) entries.push_back({key, host.hold(value)});
  return restore_state(host, &target, entries);
}

Error error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorKind::kInvalid, "");
}

Value dict(Value::Items items) { return Value::dict(std::move(items)); }

TEST(StateDict, KeysFollowTheGrammarInTheOrderOfTheWalk) {
  ValueHost host;
  const Value state = dict({{"b", 1}, {"a", Value::list({2, Value::tuple({3, dict({{7, 4}})})})}, {"h", "!"}});
  save_state(host, &state);
  EXPECT_THAT(host.flat, ElementsAre(Pair("b", 1), Pair("a[0]", 2), Pair("a[1][0]", 3), Pair("a[1][1].7", 4), Pair("h", 1),
                                     Pair("h[0].x", 2)));
}

TEST(StateDict, ALeafAtTheRootHasTheEmptyKey) {
  ValueHost host;
  const Value state = 5;
  save_state(host, &state);
  EXPECT_THAT(host.flat, ElementsAre(Pair("", 5)));
}

TEST(StateDict, TwoLeavesOfOneKeyAreRefused) {
  for (const Value& state :
       {dict({{1, 1}, {"1", 2}}), dict({{"a.b", 1}, {"a", dict({{"b", 2}})}}), dict({{"a", "!"}, {"a[0].x", 1}})}) {
    ValueHost host;
    const Error error = error_of([&] { save_state(host, &state); });
    EXPECT_EQ(error.kind(), ErrorKind::kInputType);
    EXPECT_THAT(error.message(), HasSubstr("one key"));
  }
}

TEST(StateDict, AnUnknownLeafIsRefusedInBothDirectionsWithItsKey) {
  const Value state = dict({{"a", Value::list({Blob()})}});
  ValueHost host;
  EXPECT_THAT(error_of([&] { save_state(host, &state); }).message(), HasSubstr("cannot save a 'blob' at 'a[0]'"));
  EXPECT_THAT(error_of([&] { restore(host, state, {{"a[0]", 1}}); }).message(), HasSubstr("cannot restore a 'blob' at 'a[0]'"));
}

TEST(StateDict, WhatASerializerThrowsPassesWithANote) {
  ValueHost host;
  const Value state = dict({{"a", Value::list({"!throw"})}});
  EXPECT_THROW(save_state(host, &state), int);
  EXPECT_THAT(host.notes, ElementsAre("while saving 'a[0]'"));
}

TEST(RestoreState, TheTemplateDecidesContainersAndMissingLeavesKeepItsObjects) {
  ValueHost host;
  const Value target = dict({{"a", Value::list({1, 2})}, {"n", 3}});
  const Restored restored = restore(host, target, {{"n", 30}, {"a[1]", 20}, {"a[2]", 40}});
  const Value& root = ValueHost::value_of(restored.root);
  EXPECT_EQ(root["n"].as_int(), 30);
  EXPECT_EQ(root["a"].size(), 2u);
  EXPECT_EQ(root["a"][0].as_int(), 1);
  EXPECT_EQ(root["a"][1].as_int(), 20);
  EXPECT_EQ(target["n"].as_int(), 3);
}

TEST(RestoreState, ReportsUnusedKeysAndUnfilledArrays) {
  ValueHost host;
  const Value target = dict({{"a", 1.5}, {"b", 2.5}, {"c", 3.5}, {"n", 4}, {"h", "!"}});
  const Restored restored = restore(host, target, {{"a", 9.0}, {"b", Value()}, {"x", 1}, {"h.q", 1}, {"a.y", 2}});
  EXPECT_THAT(restored.unused, ElementsAre("x", "a.y"));
  EXPECT_THAT(restored.unfilled, ElementsAre("b", "c"));
}

TEST(RestoreState, ASerializerGetsItsSliceAlsoWhenItIsEmpty) {
  ValueHost host;
  const Value target = dict({{"k", "!one"}, {"e", "!two"}});
  restore(host, target, {{"k", 1}, {"k.a", 2}, {"k2", 3}});
  EXPECT_THAT(host.slices, ElementsAre(Pair("!one", 2u), Pair("!two", 0u)));
}

TEST(RestoreState, AnErrorAboutALeafGetsANoteWithItsKey) {
  ValueHost host;
  const Value target = dict({{"a", Value::list({1.5})}});
  const Error error = error_of([&] { restore(host, target, {{"a[0]", -1.0}}); });
  EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
  EXPECT_THAT(error.notes(), ElementsAre("while restoring 'a[0]'"));
}

TEST(RestoreState, WorksOnAHundredThousandLevels) {
  Value deep = 1;
  std::string key;
  for (int i = 0; i < 100'000; ++i) deep = Value::list({deep});
  for (int i = 0; i < 100'000; ++i) key += "[0]";
  ValueHost host;
  save_state(host, &deep);
  ASSERT_EQ(host.flat.size(), 1u);
  EXPECT_EQ(host.flat[0].first, key);
  EXPECT_THAT(restore(host, deep, {{key, 5}}).unused, IsEmpty());
}

}  // namespace
}  // namespace perdure::tree
