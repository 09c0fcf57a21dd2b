#include "perdure/recipe/convert.h"

#include <memory>

namespace perdure::recipe {

DType FromValue<DType>::get(const Value& value, const JsonPath& where) {
  std::string_view dtype_name;
  if (const DtypeValue* dtype = value.get_if<DtypeValue>()) dtype_name = dtype->name;
  if (const Text* text = value.get_if<Text>()) dtype_name = text->utf8;
  const auto found = find_dtype(dtype_name.substr(dtype_name.rfind('.') + 1));  // npos + 1 is 0
  if (!found) fail_conversion(value, "a dtype", where);
  return *found;
}

Value to_value(std::nullptr_t) { return {None{}}; }
Value to_value(std::string text) { return {Text{std::move(text)}}; }
Value to_value(DType dtype) { return {DtypeValue{"numpy." + std::string(name(dtype))}}; }
Value to_value(Spec spec) { return {std::make_shared<const Spec>(std::move(spec))}; }
Value to_value(std::complex<double> number) { return {number}; }

}  // namespace perdure::recipe
