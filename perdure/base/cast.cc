#include "perdure/base/cast.h"

#include <cassert>
#include <cstring>
#include <iterator>
#include <vector>

#include "perdure/base/cast_element.h"
#include "perdure/base/cast_report.h"
#include "perdure/base/strided_walk.h"

namespace perdure {
namespace {

constexpr std::size_t kBlock = 1024;  // elements; a block and its two wide forms stay in the first-level cache

struct WideBlock {
  alignas(64) std::byte bytes[kBlock * sizeof(std::uint64_t)];
};

/// A run of elements `stride` bytes apart.
struct Run {
  std::byte* data;
  std::int64_t stride;
};

template <class Memory, class Do>
void for_each_element(Run run, std::size_t count, Do&& act) {
  if (run.stride == sizeof(Memory)) {  // apart, so that it is vectorised
    for (std::size_t i = 0; i < count; ++i) act(run.data + i * sizeof(Memory), i);
  } else {
    for (std::size_t i = 0; i < count; ++i) act(run.data + static_cast<std::int64_t>(i) * run.stride, i);
  }
}

template <class Element>
void decode_run(Run source, std::size_t count, WideBlock& block) {
  auto* values = reinterpret_cast<typename Element::Value*>(block.bytes);
  for_each_element<typename Element::Memory>(source, count, [values](const std::byte* from, std::size_t i) {
    typename Element::Memory memory;
    std::memcpy(&memory, from, sizeof memory);
    values[i] = Element::decode(memory);
  });
}

template <class Element, class Value>
void encode_run(const WideBlock& block, std::size_t count, Run target, CastSource source) {
  const auto* values = reinterpret_cast<const Value*>(block.bytes);
  for_each_element<typename Element::Memory>(target, count, [values, source](std::byte* to, std::size_t i) {
    const typename Element::Memory memory = Element::encode(values[i], source);
    std::memcpy(to, &memory, sizeof memory);
  });
}

struct CastRow {
  CastSource source;
  CastTarget target;
  Wide wide;
  void (*decode)(Run source, std::size_t count, WideBlock& block);
  void (*encode[kWideCount])(const WideBlock& block, std::size_t count, Run target, CastSource source);  // by Wide
};

template <class Element>
constexpr CastRow row(DType dtype) {
  return {{dtype, kSaturatesToIntegers<Element>},
          {dtype, kClampsAbove<Element>},
          kWideOf<typename Element::Value>,
          decode_run<Element>,
          {encode_run<Element, std::int64_t>, encode_run<Element, std::uint64_t>, encode_run<Element, float>,
           encode_run<Element, double>}};
}

using enum DType;
constexpr CastRow kCastTable[] = {
    row<BoolElement>(kBool),
    row<IntElement<std::int8_t, 2>>(kInt2),
    row<IntElement<std::int8_t, 4>>(kInt4),
    row<IntElement<std::int8_t>>(kInt8),
    row<IntElement<std::int16_t>>(kInt16),
    row<IntElement<std::int32_t>>(kInt32),
    row<IntElement<std::int64_t>>(kInt64),
    row<IntElement<std::uint8_t, 2>>(kUint2),
    row<IntElement<std::uint8_t, 4>>(kUint4),
    row<IntElement<std::uint8_t>>(kUint8),
    row<IntElement<std::uint16_t>>(kUint16),
    row<IntElement<std::uint32_t>>(kUint32),
    row<IntElement<std::uint64_t>>(kUint64),
    row<MinifloatElement<kFloat4E2m1fnFormat, std::uint8_t>>(kFloat4E2m1fn),
    row<MinifloatElement<kFloat8E3m4Format, std::uint8_t>>(kFloat8E3m4),
    row<MinifloatElement<kFloat8E4m3Format, std::uint8_t>>(kFloat8E4m3),
    row<MinifloatElement<kFloat8E4m3b11fnuzFormat, std::uint8_t>>(kFloat8E4m3b11fnuz),
    row<MinifloatElement<kFloat8E4m3fnFormat, std::uint8_t>>(kFloat8E4m3fn),
    row<MinifloatElement<kFloat8E4m3fnuzFormat, std::uint8_t>>(kFloat8E4m3fnuz),
    row<MinifloatElement<kFloat8E5m2Format, std::uint8_t>>(kFloat8E5m2),
    row<MinifloatElement<kFloat8E5m2fnuzFormat, std::uint8_t>>(kFloat8E5m2fnuz),
    row<E8m0Element>(kFloat8E8m0fnu),
    row<MinifloatElement<kBfloat16Format, std::uint16_t>>(kBfloat16),
    row<HalfElement>(kFloat16),
    row<FloatElement<float>>(kFloat32),
    row<FloatElement<double>>(kFloat64),
};  // complex numbers, the last of the dtypes, are cast as their parts

// row_of() indexes the table by the enumerator.
constexpr bool in_order_of_enumerators() {
  for (std::size_t i = 0; i < std::size(kCastTable); ++i) {
    if (static_cast<std::size_t>(kCastTable[i].source.dtype) != i) return false;
  }
  return std::size(kCastTable) == static_cast<std::size_t>(kComplex64);
}
static_assert(in_order_of_enumerators());

const CastRow& row_of(DType dtype) {
  assert(dtype < kComplex64);
  return kCastTable[static_cast<std::size_t>(dtype)];
}

/// Calls `act(source run, target run, count)` for each row along the innermost axis; for all at once where there are no gaps.
template <class Act>
void for_each_row(const ArrayView& source, const ArraySpan& target, Act&& act) {
  const std::uint64_t count = source.shape.element_count();
  if (count == 0) return;
  if (source.is_contiguous() && target.view().is_contiguous()) {
    const Run from{const_cast<std::byte*>(source.data), static_cast<std::int64_t>(itemsize(source.dtype))};
    return act(from, Run{target.data, static_cast<std::int64_t>(itemsize(target.dtype))}, count);
  }

  std::vector<CopyAxis> axes;
  axes.reserve(source.shape.rank());
  for (std::size_t axis = 0; axis < source.shape.rank(); ++axis) {
    axes.push_back({static_cast<std::int64_t>(source.shape[axis]), source.strides[axis], target.strides[axis]});
  }
  const CopyAxis row = axes.back();
  axes.pop_back();
  for_each_index(source.data, target.data, axes, [&](const std::byte* from_row, std::byte* to_row) {
    act(Run{const_cast<std::byte*>(from_row), row.source_stride}, Run{to_row, row.target_stride},
        static_cast<std::uint64_t>(row.extent));
  });
}

/// Calls `act(source run, target run, count)` for pieces of at most kBlock elements.
template <class Act>
void for_each_block(const ArrayView& source, const ArraySpan& target, Act&& act) {
  for_each_row(source, target, [&](Run from, Run to, std::uint64_t count) {
    while (count > 0) {
      const std::size_t size = count < kBlock ? static_cast<std::size_t>(count) : kBlock;
      act(from, to, size);
      from.data += static_cast<std::int64_t>(size) * from.stride;
      to.data += static_cast<std::int64_t>(size) * to.stride;
      count -= size;
    }
  });
}

/// True if every value of `source` is one of `target`, so that there is nothing to report.
bool holds_every_value(const DTypeInfo& target, const DTypeInfo& source) {
  if (target.dtype == kFloat64) return source.kind == DTypeKind::kFloat || source.bits <= 32;
  if (target.dtype == kFloat32) return source.bits <= 16;
  if (target.kind == source.kind) return target.kind != DTypeKind::kFloat && target.bits >= source.bits;
  return target.kind == DTypeKind::kInt && source.kind == DTypeKind::kUint && target.bits > source.bits;
}

CastReport cast_real(const ArrayView& source, const ArraySpan& target) {
  const CastRow& from = row_of(source.dtype);
  const CastRow& to = row_of(target.dtype);
  const Comparison compare = holds_every_value(info(target.dtype), info(source.dtype)) ? nullptr : comparison(from.wide, to.wide);
  WideBlock before, after;
  CastReport report;
  for_each_block(source, target, [&](Run source_run, Run target_run, std::size_t count) {
    from.decode(source_run, count, before);
    to.encode[static_cast<std::size_t>(from.wide)](before, count, target_run, from.source);
    if (compare == nullptr) return;
    to.decode(target_run, count, after);
    report |= compare(before.bytes, after.bytes, count, to.target);
  });
  return report;
}

bool is_complex(DType dtype) { return info(dtype).kind == DTypeKind::kComplex; }

enum class Part { kReal, kImaginary };

/// The parts of complex numbers, as an array of floats with gaps.
template <class View>
View part_of(const View& view, Part part) {
  const DType dtype = view.dtype == kComplex64 ? kFloat32 : kFloat64;
  return {view.data + (part == Part::kImaginary ? itemsize(dtype) : 0), dtype, view.shape, view.strides};
}

/// True if an element of the float array `source` is not 0; sets the elements of `flags` there, if it is of booleans.
bool mark_nonzero(const ArrayView& source, const ArraySpan& flags) {
  const CastRow& from = row_of(source.dtype);
  WideBlock block, truth;
  std::uint64_t any = 0;
  for_each_block(source, flags, [&](Run source_run, Run flag_run, std::size_t count) {
    from.decode(source_run, count, block);
    row_of(kBool).encode[static_cast<std::size_t>(from.wide)](block, count, {truth.bytes, 1}, from.source);
    for (std::size_t i = 0; i < count; ++i) {
      any |= static_cast<std::uint64_t>(truth.bytes[i]);
      if (flags.dtype == kBool) flag_run.data[static_cast<std::int64_t>(i) * flag_run.stride] |= truth.bytes[i];
    }
  });
  return any != 0;
}

CastReport cast_complex_to_real(const ArrayView& source, const ArraySpan& target) {
  CastReport report = cast_real(part_of(source, Part::kReal), target);
  if (mark_nonzero(part_of(source, Part::kImaginary), target)) report.changed_kind_and_value = true;
  return report;
}

CastReport cast_to_complex(const ArrayView& source, const ArraySpan& target) {
  constexpr std::byte kZero[sizeof(double)] = {};
  const ArraySpan real = part_of(target, Part::kReal), imaginary = part_of(target, Part::kImaginary);
  if (!is_complex(source.dtype)) {
    copy_array({kZero, imaginary.dtype, source.shape, Strides(source.shape.rank(), 0)}, imaginary);
    return cast_real(source, real);
  }
  CastReport report = cast_real(part_of(source, Part::kReal), real);
  report |= cast_real(part_of(source, Part::kImaginary), imaginary);
  return report;
}

}  // namespace

CastReport cast_array(const ArrayView& source, const ArraySpan& target) {
  assert(source.shape == target.shape);
  if (source.shape.element_count() == 0) return {};  // may have no memory, of which there is no imaginary part either
  if (source.dtype == target.dtype) {
    copy_array(source, target);
    return {};
  }
  if (is_complex(target.dtype)) return cast_to_complex(source, target);
  return is_complex(source.dtype) ? cast_complex_to_real(source, target) : cast_real(source, target);
}

}  // namespace perdure
