#include "perdure/checkpoint/document/leaf_kinds/number.h"

#include <charconv>

#include "perdure/base/error.h"
#include "perdure/base/scalar.h"

namespace perdure::checkpoint {

using value_types::kScalar;

StoredForm NoneKind::stored_form(None) { return {.value_type = value_types::kNone}; }
void NoneKind::encode(DocumentWriter& out, std::uint8_t tag, None) { out.u8(tag); }
None NoneKind::decode(DocumentReader&, std::uint8_t) { return {}; }

StoredForm BoolKind::stored_form(bool value) { return StoredForm::rank0(kScalar, DType::kBool, std::uint8_t{value}); }
void BoolKind::encode(DocumentWriter& out, std::uint8_t tag, bool value) { out.u8(static_cast<std::uint8_t>(tag + value)); }
bool BoolKind::decode(DocumentReader&, std::uint8_t tag_offset) { return tag_offset == 1; }

StoredForm IntKind::stored_form(std::int64_t value) { return StoredForm::rank0(kScalar, DType::kInt64, value); }
void IntKind::encode(DocumentWriter& out, std::uint8_t tag, std::int64_t value) {
  out.u8(tag);
  out.u64(static_cast<std::uint64_t>(value));
}
std::int64_t IntKind::decode(DocumentReader& in, std::uint8_t) { return static_cast<std::int64_t>(in.u64()); }

StoredForm BigIntKind::stored_form(const BigInt& value) {
  std::uint64_t number = 0;  // Orbax knows uint64, and nothing beyond
  const char* end = value.digits.data() + value.digits.size();
  const auto [stop, error] = std::from_chars(value.digits.data(), end, number);
  if (error == std::errc{} && stop == end) return StoredForm::rank0(kScalar, DType::kUint64, number);
  return {.value_type = value_types::kString, .text = value.digits};
}
void BigIntKind::encode(DocumentWriter& out, std::uint8_t tag, const BigInt& value) {
  if (!is_decimal(value.digits)) throw Error(ErrorKind::kInvalid, "an integer is not decimal: '" + value.digits + "'");
  out.u8(tag);
  out.text(value.digits);
}
BigInt BigIntKind::decode(DocumentReader& in, std::uint8_t) {
  BigInt value{in.text()};
  if (!is_decimal(value.digits)) fail_document("an integer is not decimal");
  return value;
}

StoredForm FloatKind::stored_form(double value) { return StoredForm::rank0(kScalar, DType::kFloat64, value); }
void FloatKind::encode(DocumentWriter& out, std::uint8_t tag, double value) {
  out.u8(tag);
  out.f64(value);
}
double FloatKind::decode(DocumentReader& in, std::uint8_t) { return in.f64(); }

StoredForm ComplexKind::stored_form(const std::complex<double>& value) {
  return StoredForm::rank0(value_types::kNumpyArray, DType::kComplex128, value);
}
void ComplexKind::encode(DocumentWriter& out, std::uint8_t tag, const std::complex<double>& value) {
  out.u8(tag);
  out.f64(value.real());
  out.f64(value.imag());
}
std::complex<double> ComplexKind::decode(DocumentReader& in, std::uint8_t) {
  const double real = in.f64();
  return {real, in.f64()};
}

}  // namespace perdure::checkpoint
