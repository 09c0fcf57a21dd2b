#pragma once
// Conversion between any two dtypes, with the bits that NumPy's and ml_dtypes' astype give on x86-64.
//
// Floats round once to nearest even (types of ml_dtypes: from the float32), overflow as their type says (infinity, NaN, or the
// largest number), and go to integers by truncation. Integers wrap. Complex numbers lose the imaginary part. Pairs that astype
// refuses (int4 to uint2, ...) follow the same rules.
#include "perdure/base/array_view.h"

namespace perdure {

/// What a cast did to some element beyond rounding between float widths.
struct CastReport {
  bool changed_kind_and_value = false;  // 1.5 -> 1, 2 -> True, 16777217 -> float32, 1+2j -> 1
  bool integer_overflow = false;        // 300 -> int8, 1e30 -> int64, NaN -> int32
  /// A finite number, an infinity or a NaN became another of these (1e6 -> float16), or was clamped (9.0 -> float4_e2m1fn).
  bool float_overflow = false;

  bool any() const { return changed_kind_and_value || integer_overflow || float_overflow; }
  CastReport& operator|=(const CastReport& other);
  bool operator==(const CastReport&) const = default;
};

/// Fills `target` (equal shape, any strides, must not overlap) with the elements of `source`. Any thread may call it.
CastReport cast_array(const ArrayView& source, const ArraySpan& target);

}  // namespace perdure
