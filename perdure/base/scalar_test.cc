#include "perdure/base/scalar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace perdure {
namespace {

Scalar value(const Scalar& from, ScalarKind kind) { return convert(from, kind)->value; }
bool changed(const Scalar& from, ScalarKind kind) { return convert(from, kind)->changed; }

TEST(ScalarKind, EachAlternativeHasItsNames) {
  struct Row {
    Scalar scalar;
    std::string_view name, description;
    bool is_number;
  };
  const std::vector<Row> rows = {{None{}, "None", "None", false},
                                 {true, "bool", "a bool", true},
                                 {std::int64_t{1}, "int", "an integer", true},
                                 {BigInt{"1"}, "int", "a big integer", true},
                                 {1.0, "float", "a float", true},
                                 {std::complex<double>(1), "complex", "a complex number", true},
                                 {Text{"1"}, "str", "text", false},
                                 {Blob(), "bytes", "bytes", false},
                                 {Handled{"mine"}, "handled", "a value of a handler", false}};
  ASSERT_EQ(rows.size(), std::variant_size_v<Scalar>);
  for (const auto& [scalar, name, description, number] : rows) {
    EXPECT_EQ(perdure::name(kind_of(scalar)), name);
    EXPECT_EQ(describe(scalar), description);
    EXPECT_EQ(is_number(kind_of(scalar)), number);
    EXPECT_EQ(convert(scalar, ScalarKind::kComplex).has_value(), number);
    for (const Row& other : rows) EXPECT_EQ(is_same(scalar, other.scalar), scalar.index() == other.scalar.index());
  }
}

TEST(IsSame, ComparesHandledValuesByTheirHandler) {
  EXPECT_TRUE(is_same(Handled{"mine"}, Handled{"mine"}));
  EXPECT_FALSE(is_same(Handled{"mine"}, Handled{"yours"}));
}

TEST(IsDecimal, TakesWhatPythonPrints) {
  for (const char* digits : {"0", "7", "-7", "170141183460469231731687303715884105728"}) EXPECT_TRUE(is_decimal(digits));
  for (const char* digits : {"", "-", "-0", "007", "+7", "1e5", " 1", "0x1"}) EXPECT_FALSE(is_decimal(digits)) << digits;
}

TEST(ConvertScalar, CutsTheFractionAsPythonDoes) {
  EXPECT_EQ(std::get<std::int64_t>(value(2.5, ScalarKind::kInt)), 2);
  EXPECT_EQ(std::get<std::int64_t>(value(-2.5, ScalarKind::kInt)), -2);
  EXPECT_TRUE(changed(2.5, ScalarKind::kInt));
  EXPECT_FALSE(changed(2.0, ScalarKind::kInt));
}

TEST(ConvertScalar, KeepsIntegersOfAnySize) {
  EXPECT_EQ(std::get<BigInt>(value(std::ldexp(1.0, 70), ScalarKind::kInt)).digits, "1180591620717411303424");
  EXPECT_FALSE(changed(BigInt{"1180591620717411303424"}, ScalarKind::kFloat));
  EXPECT_TRUE(changed(BigInt{"1180591620717411303425"}, ScalarKind::kFloat));
}

TEST(ConvertScalar, TellsWhenAFloatCannotHoldTheInt) {
  EXPECT_FALSE(changed(std::int64_t{1} << 53, ScalarKind::kFloat));
  EXPECT_TRUE(changed((std::int64_t{1} << 53) + 1, ScalarKind::kFloat));
  EXPECT_TRUE(changed(std::numeric_limits<std::int64_t>::max(), ScalarKind::kFloat));
}

TEST(ConvertScalar, HasNoIntForNanAndNoNumberForText) {
  EXPECT_FALSE(convert(std::nan(""), ScalarKind::kInt));
  EXPECT_FALSE(convert(Text{"1"}, ScalarKind::kInt));
  EXPECT_FALSE(convert(None{}, ScalarKind::kFloat));
  EXPECT_FALSE(convert(std::int64_t{1}, ScalarKind::kText));
}

TEST(ConvertScalar, ComplexLosesItsImaginaryPartNotSilently) {
  EXPECT_EQ(std::get<double>(value(std::complex<double>(1, 2), ScalarKind::kFloat)), 1);
  EXPECT_TRUE(changed(std::complex<double>(1, 2), ScalarKind::kFloat));
  EXPECT_FALSE(changed(std::complex<double>(1, 0), ScalarKind::kFloat));
}

TEST(ScalarOf, ReadsAnElementOfEveryKind) {
  const std::uint64_t big = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(std::get<BigInt>(scalar_of(ArrayView::contiguous(reinterpret_cast<const std::byte*>(&big), DType::kUint64, Shape{})))
                .digits,
            "18446744073709551615");
  const float half = 0.5f;
  EXPECT_EQ(
      std::get<double>(scalar_of(ArrayView::contiguous(reinterpret_cast<const std::byte*>(&half), DType::kFloat32, Shape{}))),
      0.5);
}

TEST(ScalarOf, IsTheInverseOfElementOf) {
  EXPECT_EQ(std::get<bool>(scalar_of(element_of(true)->view())), true);
  EXPECT_EQ(std::get<std::int64_t>(scalar_of(element_of(std::int64_t{-7})->view())), -7);
  EXPECT_EQ(std::get<std::complex<double>>(scalar_of(element_of(std::complex<double>(1, -2))->view())),
            std::complex<double>(1, -2));
  EXPECT_FALSE(element_of(Text{"x"}));
}

}  // namespace
}  // namespace perdure
