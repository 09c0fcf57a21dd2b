#pragma once
// The tags of value_codec.h: part of the format.
#include <string>
#include <string_view>

#include "perdure/base/json.h"

namespace perdure::recipe {

namespace tags {
inline constexpr std::string_view kArray = "__array__";          // {dtype, shape, data, origin}
inline constexpr std::string_view kBytes = "__bytes__";          // base 64
inline constexpr std::string_view kComplex = "__complex__";      // [real, imaginary]
inline constexpr std::string_view kDataclass = "__dataclass__";  // {class, fields: [[name, value], ...]}
inline constexpr std::string_view kDevice = "__device__";        // "cuda:1" of torch
inline constexpr std::string_view kDict = "__dict__";            // [[key, value], ...]
inline constexpr std::string_view kDtype = "__dtype__";          // "torch.float32", "numpy.int8", "jax.numpy.bfloat16"
inline constexpr std::string_view kEnum = "__enum__";            // {class, name}, or {class, value} for a member without a name
inline constexpr std::string_view kFloat = "__float__";  // "nan", "inf", "-inf", or the bits of another NaN: "0x7ff8000000000123"
inline constexpr std::string_view kInt = "__int__";      // decimal digits beyond kPlainDigitsMax
inline constexpr std::string_view kObject = "__object__";  // {class, value}: what the class's serializer gave
inline constexpr std::string_view kPath = "__path__";      // [class of pathlib, text]
inline constexpr std::string_view kSpec = "__spec__";      // a spec that is not built
inline constexpr std::string_view kTensor = "__tensor__";  // {dtype, shape, data} of torch
inline constexpr std::string_view kText = "__text__";      // where plain text would mean a dtype or device
inline constexpr std::string_view kTuple = "__tuple__";    // [item, ...]
inline constexpr std::string_view kType = "__type__";      // path of a class
}  // namespace tags

/// Where a value stands: in an argument, in a list or tuple of one, or deeper. Specs are built in the first two.
inline constexpr int kArgument = 0;
inline constexpr int kDeep = 2;

/// The tag of an object that is one: its only key, if that begins and ends with "__".
const json::Object::Member* find_tag(const json::Object& object);
/// An object that reads as something else than a dict.
bool is_special(const json::Object& object);

/// The payload of kFloat for a number that is not finite.
std::string non_finite_text(double number);

}  // namespace perdure::recipe
