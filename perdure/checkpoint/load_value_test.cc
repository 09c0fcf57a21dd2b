#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"
#include "tests/support/failures.h"
#include "tests/support/temporary_directory.h"

namespace perdure {
namespace {

using test::kind_of_failure;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

using Missing = tree::MatchOptions::Missing;
using Unused = tree::MatchOptions::Unused;

Value doubles(Shape shape, std::vector<double> elements) { return Value::array(std::move(shape), std::move(elements)); }

Value inner(Value list) { return Value::dict({{"c", std::move(list)}, {"d", Value::array({4}, std::vector<int>{0, 1, 2, 3})}}); }

/// {"a": 2 x 3 doubles, "b": {"c": [1, 2.5, "x", None], "d": int32[4]}}
Value sample() {
  return Value::dict({{"a", doubles({2, 3}, {0, 1, 2, 3, 4, 5})}, {"b", inner(Value::list({1, 2.5, "x", Value()}))}});
}

class LoadValue : public testing::Test {
 protected:
  void SetUp() override { save(path, sample()); }
  std::string message_of(const Value& target, const LoadOptions& options = {}) {
    return test::message_of_failure(ErrorKind::kMismatch, [&] { std::ignore = load(path, target, options); });
  }
  test::TemporaryDirectory directory;
  std::string path = directory / "c";
};

TEST_F(LoadValue, FillsTheContainersOfTheTemplate) {
  const Value target =
      Value::dict({{"b", Value::dict({{"d", Value::abstract({4}, DType::kInt32)}, {"c", Value::tuple({0, 0.0, "", Value()})}})},
                   {"a", doubles({2, 3}, std::vector<double>(6))}});
  const Value got = load(path, target);
  EXPECT_EQ(got.items()[0].key, Key("b"));
  EXPECT_EQ(got["b"]["c"].kind(), NodeKind::kTuple);
  EXPECT_EQ(got["b"]["c"][2].as_text(), "x");
  EXPECT_THAT(got["b"]["d"].span<int>(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(got["a"].span<double>(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(LoadValue, LeavesTheTemplateAsItWas) {
  const Value target = Value::dict({{"a", doubles({2, 3}, std::vector<double>(6))}, {"b", sample()["b"]}});
  std::ignore = load(path, target);
  EXPECT_THAT(target["a"].span<double>(), testing::Each(0));
}

TEST_F(LoadValue, CastsToTheDtypeAndKindOfTheTemplate) {
  const Value target = Value::dict(
      {{"a", Value::abstract({2, 3}, DType::kFloat32)},
       {"b", Value::dict({{"c", Value::list({1.0, 2.5, "", Value()})}, {"d", Value::abstract({4}, DType::kInt64)}})}});
  const Value got = load(path, target);
  EXPECT_THAT(got["a"].span<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(got["b"]["d"].span<std::int64_t>(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(std::get<double>(std::get<Scalar>(got["b"]["c"][0].as_leaf())), 1.0);
}

TEST_F(LoadValue, NamesTheLeafAndBothShapes) {
  for (const Value& other : {doubles({3, 2}, std::vector<double>(6)), Value::abstract({3, 2}, DType::kFloat64)}) {
    EXPECT_EQ(message_of(Value::dict({{"a", other}, {"b", sample()["b"]}})),
              "shape of 'a' is (2, 3) in the checkpoint, (3, 2) in the template");
  }
  EXPECT_EQ(message_of(Value::dict({{"a", 1.0}, {"b", sample()["b"]}})),
            "shape of 'a' is (2, 3) in the checkpoint, () in the template");
}

TEST_F(LoadValue, NamesEveryMissingAndEveryUnusedLeafAtOnce) {
  const Value target = Value::dict(
      {{"a", sample()["a"]}, {"b", Value::dict({{"c", Value::list({1, 2.5, "x"})}, {"e", 1}, {"f", Value::dict({{"g", 2}})}})}});
  EXPECT_THAT(message_of(target), EndsWith("not in the checkpoint: 'b.e', 'b.f.g'; not in the template: 'b.c.3', 'b.d'"));
}

TEST_F(LoadValue, ReadsAPartWhenUnusedLeavesAreIgnored) {
  LoadReport report;
  const Value target = Value::dict({{"b", Value::dict({{"d", Value::abstract({4}, DType::kInt32)}})}});
  const Value got = load(path, target, {.match = {.unused = Unused::kIgnore}, .report = &report});
  EXPECT_THAT(got["b"]["d"].span<int>(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(report.unused, ElementsAre("a", "b.c.0", "b.c.1", "b.c.2", "b.c.3"));
  EXPECT_THAT(message_of(Value::dict({{"new", 1}}), {.match = {.unused = Unused::kIgnore}}), EndsWith("checkpoint: 'new'"));
}

TEST_F(LoadValue, KeepsMissingLeavesWhenAskedAndReportsThem) {
  LoadReport report;
  const Value target = Value::dict({{"a", sample()["a"]}, {"b", sample()["b"]}, {"new", Value::list({doubles({1}, {9}), 7})}});
  const Value got = load(path, target, {.match = {.missing = Missing::kKeep}, .report = &report});
  EXPECT_EQ(got["new"][0].span<double>().data(), target["new"][0].span<double>().data());
  EXPECT_EQ(got["new"][1].as_int(), 7);
  EXPECT_THAT(report.kept, ElementsAre("new.0", "new.1"));
  EXPECT_THAT(report.unused, IsEmpty());
}

TEST_F(LoadValue, PadsAndTruncatesWhenToldTo) {
  const Value target = Value::dict({{"a", Value::abstract({3, 2}, DType::kFloat64)}, {"b", sample()["b"]}});
  EXPECT_THAT(load(path, target, {.pad_and_truncate = true})["a"].span<double>(), ElementsAre(0, 1, 3, 4, 0, 0));
  const Value other_rank = Value::dict({{"a", Value::abstract({6}, DType::kFloat64)}, {"b", sample()["b"]}});
  EXPECT_THAT(message_of(other_rank, {.pad_and_truncate = true}), HasSubstr("shape of 'a'"));
}

TEST_F(LoadValue, TakesOnlyAndATemplateTogether) {
  const Value target = Value::dict({{"a", Value::abstract({2, 3}, DType::kFloat64)}});
  EXPECT_THAT(load(path, target, {.only = {"a"}})["a"].span<double>(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(kind_of_failure([&] { std::ignore = load(path, target, {.only = {"zz"}}); }), ErrorKind::kNotFound);
}

TEST_F(LoadValue, TakesTheMetadataOfACheckpointAsTemplate) {
  const Value target = abstract_tree(metadata(path));
  EXPECT_TRUE(target["a"].is_abstract());
  EXPECT_THAT(load(path, target)["a"].span<double>(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(LoadValue, KeepsABoundOnBytes) {
  EXPECT_EQ(kind_of_failure([&] { std::ignore = load(path, sample(), {.read = {.bytes_max = 63}}); }), ErrorKind::kInvalid);
  EXPECT_EQ(load(path, sample(), {.read = {.bytes_max = 64}})["b"]["c"][0].as_int(), 1);
}

class LogLines : public LogSink {
 public:
  void warn(std::string_view line) override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

TEST(LoadValueCast, ReportsOnceWithEveryKeyWhoseValuesChange) {
  const test::TemporaryDirectory directory;
  save(directory / "c", Value::dict({{"over", Value::array({1}, std::vector<int>{300})},
                                     {"fraction", Value::dict({{"x", doubles({1}, {1.5})}, {"plain", 2.5}})},
                                     {"fine", doubles({1}, {3})}}));
  const Value target = Value::dict({{"over", Value::abstract({1}, DType::kInt8)},
                                    {"fraction", Value::dict({{"x", Value::abstract({1}, DType::kInt64)}, {"plain", 0}})},
                                    {"fine", Value::abstract({1}, DType::kInt64)}});
  LogLines log;
  LoadReport report;
  LoadOptions options{.open = {.environment = {.log = &log}}, .report = &report};
  EXPECT_EQ(load(directory / "c", target, options)["fraction"]["plain"].as_int(), 2);
  EXPECT_THAT(report.lossy, testing::UnorderedElementsAre("over", "fraction.x", "fraction.plain"));
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_THAT(log.lines[0], HasSubstr("'fraction.x'"));

  report = {};
  options.raise_on_lossy_cast = true;
  EXPECT_EQ(kind_of_failure([&] { std::ignore = load(directory / "c", target, options); }), ErrorKind::kMismatch);
  EXPECT_THAT(report.lossy, IsEmpty());
}

TEST(LoadValueTies, GivesTiedArraysTheirValues) {
  const test::TemporaryDirectory directory;
  const Value table = doubles({3}, {1, 2, 3});
  save(directory / "c", Value::dict({{"embed", table}, {"head", table}}));
  const Value got = load(directory / "c", abstract_tree(metadata(directory / "c")));
  EXPECT_THAT(got["embed"].span<double>(), ElementsAre(1, 2, 3));
  EXPECT_THAT(got["head"].span<double>(), ElementsAre(1, 2, 3));
}

TEST(LoadValueOrigin, KeepsWhatTheArrayWas) {
  const test::TemporaryDirectory directory;
  ArrayLeaf tensor = doubles({1}, {1}).array();
  tensor.origin = "torch";
  save(directory / "c", Value::dict({{"w", tensor}}));
  EXPECT_EQ(load(directory / "c", Value::dict({{"w", doubles({1}, {0})}}))["w"].array().origin, "torch");
}

TEST(AbstractValue, CannotBeSaved) {
  const test::TemporaryDirectory directory;
  try {
    save(directory / "c", Value::dict({{"p", Value::list({Value::abstract({2}, DType::kFloat32)})}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "cannot save an array without data at 'p.0'");
  }
  EXPECT_THAT(test::names_in(directory.path()), IsEmpty());
}

TEST(LoadValueRoot, TakesASingleLeafAsTemplate) {
  const test::TemporaryDirectory directory;
  save(directory / "c", doubles({2}, {1, 2}));
  EXPECT_THAT(load(directory / "c", Value::abstract({2}, DType::kFloat32)).span<float>(), ElementsAre(1, 2));
}

}  // namespace
}  // namespace perdure
