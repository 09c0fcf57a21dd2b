#include "perdure/checkpoint/stored_scalar.h"

#include <cstring>
#include <limits>

#include "perdure/base/cast.h"
#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

template <class Number>
Number element_as(const ArrayView& array, DType dtype) {
  Number number{};
  cast_array(array, ArraySpan::contiguous(reinterpret_cast<std::byte*>(&number), dtype, {}));
  return number;
}

}  // namespace

Scalar scalar_from_array(const ArrayView& array) {
  if (array.shape.rank() != 0) throw Error(ErrorKind::kCorrupt, "a scalar has the shape " + array.shape.str());
  switch (info(array.dtype).kind) {
    case DTypeKind::kBool: return *array.data != std::byte{0};
    case DTypeKind::kInt: return element_as<std::int64_t>(array, DType::kInt64);
    case DTypeKind::kUint: {
      const auto number = element_as<std::uint64_t>(array, DType::kUint64);
      if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return BigInt{std::to_string(number)};
      return static_cast<std::int64_t>(number);
    }
    case DTypeKind::kFloat: return element_as<double>(array, DType::kFloat64);
    case DTypeKind::kComplex: return element_as<std::complex<double>>(array, DType::kComplex128);
  }
  return None{};
}

}  // namespace perdure::checkpoint
