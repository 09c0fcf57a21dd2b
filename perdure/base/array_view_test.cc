#include "perdure/base/array_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "perdure/base/error.h"

namespace perdure {
namespace {

std::vector<std::byte> counting_bytes(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}

/// C-ordered elements, one at a time: slow and plainly right.
std::vector<std::byte> elements_of(const ArrayView& view) {
  std::vector<std::byte> out;
  const std::uint64_t count = view.shape.element_count();
  for (std::uint64_t n = 0; n < count; ++n) {
    const std::byte* at = view.data;
    std::uint64_t rest = n;
    for (std::size_t axis = view.shape.rank(); axis-- > 0; rest /= view.shape[axis]) {
      at += static_cast<std::int64_t>(rest % view.shape[axis]) * view.strides[axis];
    }
    out.insert(out.end(), at, at + itemsize(view.dtype));
  }
  return out;
}

/// A random view into `memory` whose elements do not overlap: permuted axes, gaps, reversed axes.
ArraySpan random_layout(std::mt19937& random, const Shape& shape, DType dtype, std::vector<std::byte>& memory) {
  std::vector<std::size_t> order(shape.rank());
  std::iota(order.begin(), order.end(), 0u);
  if (random() % 2) std::shuffle(order.begin(), order.end(), random);
  ArraySpan span{nullptr, dtype, shape, Strides(shape.rank())};
  auto stride = static_cast<std::int64_t>(itemsize(dtype));
  std::int64_t first = 0;
  for (std::size_t i = shape.rank(); i-- > 0;) {
    const std::size_t axis = order[i];
    const auto extent = static_cast<std::int64_t>(shape[axis]);
    if (random() % 3 == 0) stride += static_cast<std::int64_t>(itemsize(dtype) * (random() % 3));
    const bool reversed = random() % 4 == 0;
    if (reversed) first += stride * std::max<std::int64_t>(extent - 1, 0);
    span.strides[axis] = reversed ? -stride : stride;
    stride *= std::max<std::int64_t>(extent, 1);
  }
  memory = counting_bytes(static_cast<std::size_t>(stride));
  span.data = memory.data() + first;
  return span;
}

Shape random_shape(std::mt19937& random) {
  std::vector<std::uint64_t> dims(random() % 5);
  for (auto& extent : dims) extent = random() % 8 == 0 ? random() % 2 : 1 + random() % 6;
  return Shape(dims);
}

TEST(ArrayView, KnowsWhatIsContiguous) {
  const auto memory = counting_bytes(48);
  ArrayView view = ArrayView::contiguous(memory.data(), DType::kInt16, {2, 3, 4});
  EXPECT_EQ(view.strides, (Strides{24, 8, 2}));
  EXPECT_TRUE(view.is_contiguous());
  EXPECT_EQ(view.bytes().size(), 48u);
  EXPECT_FALSE(view.sub({{0, 0, 0}, {2, 3, 2}}).is_contiguous());
  EXPECT_TRUE(view.sub({{1, 1, 0}, {1, 2, 4}}).is_contiguous());
  EXPECT_TRUE(view.sub({{0, 0, 0}, {2, 0, 2}}).is_contiguous());
  EXPECT_TRUE(ArrayView::contiguous(memory.data(), DType::kInt16, {}).is_contiguous());
}

TEST(ArrayView, SubPointsAtTheFirstElementOfTheBox) {
  const auto memory = counting_bytes(24);
  const ArrayView view = ArrayView::contiguous(memory.data(), DType::kUint8, {4, 6});
  EXPECT_EQ(view.sub({{2, 3}, {1, 2}}).data, memory.data() + 15);
  EXPECT_EQ(view.sub({{2, 3}, {1, 2}}).shape, (Shape{1, 2}));
}

TEST(ArrayView, RefusesShapesThatOverflow) {
  EXPECT_THROW(ArrayView::contiguous(nullptr, DType::kFloat64, {1ull << 61}), Error);
  EXPECT_THROW(ArrayView::contiguous(nullptr, DType::kUint8, {1ull << 63}), Error);
  EXPECT_EQ(ArrayView::contiguous(nullptr, DType::kFloat64, {~0ull, ~0ull, 0}).size_bytes(), 0u);
}

TEST(CopyArray, CopiesEveryElementBetweenAnyTwoLayouts) {
  constexpr DType kDTypes[] = {DType::kUint8, DType::kInt16, DType::kFloat32, DType::kFloat64, DType::kComplex128};
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const Shape shape = random_shape(random);
    const DType dtype = kDTypes[random() % std::size(kDTypes)];
    std::vector<std::byte> source_memory, target_memory;
    const ArraySpan source = random_layout(random, shape, dtype, source_memory);
    const ArraySpan target = random_layout(random, shape, dtype, target_memory);
    copy_array(source.view(), target);
    ASSERT_EQ(elements_of(target.view()), elements_of(source.view()));
  }
}

/// Elements of `item_bytes` in a plane that is turned on the way, with gaps on both sides and more axes around it.
void expect_turned(DType dtype, std::uint64_t rows, std::uint64_t columns, std::int64_t source_gap, std::int64_t target_gap) {
  const auto item = static_cast<std::int64_t>(itemsize(dtype));
  const std::int64_t source_step = item + source_gap, target_step = item + target_gap;
  const auto r = static_cast<std::int64_t>(rows), c = static_cast<std::int64_t>(columns);
  std::vector<std::byte> source(2 * rows * columns * source_step), target(2 * rows * columns * target_step);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 2654435761 >> 11);
  const ArrayView from{source.data(), dtype, {rows, 2, columns}, {source_step, r * c * source_step, r * source_step}};
  const ArraySpan to{target.data(), dtype, {rows, 2, columns}, {2 * c * target_step, c * target_step, target_step}};
  copy_array(from, to);
  for (std::uint64_t i = 0; i < rows; ++i) {
    for (std::uint64_t k = 0; k < 2; ++k) {
      for (std::uint64_t j = 0; j < columns; ++j) {
        const Box one{{i, k, j}, {1, 1, 1}};
        ASSERT_EQ(std::memcmp(from.sub(one).data, to.view().sub(one).data, itemsize(dtype)), 0) << i << ' ' << k << ' ' << j;
      }
    }
  }
}

TEST(CopyArray, TurnsPlanesOfAnySizeAndElement) {
  for (const DType dtype : {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kComplex128}) {
    for (const auto& [rows, columns] : {std::pair{4, 4}, {3, 9}, {16, 16}, {17, 70}, {257, 65}, {300, 130}}) {
      SCOPED_TRACE(testing::Message() << name(dtype) << ' ' << rows << " x " << columns);
      expect_turned(dtype, rows, columns, 0, 0);
      expect_turned(dtype, rows, columns, 3, 0);
      expect_turned(dtype, rows, columns, 0, 5);
    }
  }
}

TEST(CopyArray, LeavesGapsOfTheTargetAlone) {
  const auto source = counting_bytes(6);
  std::vector<std::byte> target(12, std::byte{0xee});
  copy_array(ArrayView::contiguous(source.data(), DType::kUint8, {2, 3}), {target.data() + 1, DType::kUint8, {2, 3}, {6, 1}});
  EXPECT_EQ(std::count(target.begin(), target.end(), std::byte{0xee}), 6);
  EXPECT_EQ(target[7], source[3]);
}

TEST(CopyArray, RepeatsElementsOfZeroStrides) {
  const std::byte one{42};
  std::vector<std::byte> target(6);
  copy_array({&one, DType::kUint8, {2, 3}, {0, 0}}, ArraySpan::contiguous(target.data(), DType::kUint8, {2, 3}));
  EXPECT_EQ(target, std::vector<std::byte>(6, one));
}

TEST(GatherBytes, GivesEveryRangeOfTheElements) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<std::byte> memory;
    const ArraySpan source = random_layout(random, random_shape(random), seed % 2 ? DType::kFloat32 : DType::kUint8, memory);
    const std::vector<std::byte> all = elements_of(source.view());
    for (int i = 0; i < 20; ++i) {
      const std::size_t begin = random() % (all.size() + 1), size = random() % (all.size() - begin + 1);
      std::vector<std::byte> part(size);
      gather_bytes(source.view(), begin, part);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(begin)));
    }
  }
}

TEST(AxisOrder, IsThatOfTheMemory) {
  const auto order_of = [](Shape shape, Strides strides) {
    return ArrayView{nullptr, DType::kFloat32, std::move(shape), std::move(strides)}.axis_order();
  };
  using Order = std::vector<std::size_t>;
  EXPECT_EQ(order_of({}, {}), Order());
  EXPECT_EQ(order_of({2, 3, 5}, {60, 20, 4}), Order({0, 1, 2}));
  EXPECT_EQ(order_of({2, 3, 5}, {4, 8, 24}), Order({2, 1, 0}));
  EXPECT_EQ(order_of({2, 3, 5}, {12, 4, 24}), Order({2, 0, 1}));
  EXPECT_EQ(order_of({1, 3, 1, 5, 1}, {4, 20, 7, 4, -9}), Order({0, 1, 2, 3, 4})) << "the stride of an axis with one element";
  EXPECT_EQ(order_of({2, 3}, {16, 4}), std::nullopt) << "gaps";
  EXPECT_EQ(order_of({2, 3}, {-12, 4}), std::nullopt) << "backwards";
  EXPECT_EQ(order_of({2, 3}, {0, 4}), std::nullopt) << "repeated";
  EXPECT_EQ(order_of({2, 0}, {4, 4}), std::nullopt) << "without elements";
}

TEST(SwapByteOrder, SwapsNumbersAndHalvesOfComplexNumbers) {
  const auto swapped = [](std::string text, DType dtype) {
    swap_byte_order({reinterpret_cast<std::byte*>(text.data()), text.size()}, dtype);
    return text;
  };
  EXPECT_EQ(swapped("abcd", DType::kUint8), "abcd");
  EXPECT_EQ(swapped("abcd", DType::kBfloat16), "badc");
  EXPECT_EQ(swapped("abcdefgh", DType::kInt32), "dcbahgfe");
  EXPECT_EQ(swapped("abcdefgh", DType::kFloat64), "hgfedcba");
  EXPECT_EQ(swapped("abcdefgh", DType::kComplex64), "dcbahgfe");
  EXPECT_EQ(swapped("abcdefghABCDEFGH", DType::kComplex128), "hgfedcbaHGFEDCBA");
}

}  // namespace
}  // namespace perdure
