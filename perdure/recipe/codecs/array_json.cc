#include "perdure/recipe/codecs/array_json.h"

#include <cmath>
#include <limits>

#include "perdure/base/base64.h"
#include "perdure/base/cast.h"
#include "perdure/base/scalar.h"
#include "perdure/recipe/codecs/torch_names.h"
#include "perdure/recipe/limits.h"

namespace perdure::recipe {
namespace {

/// nullopt for an element that is no JSON number.
std::optional<json::Value> number_of(const Scalar& element) {
  if (const bool* truth = std::get_if<bool>(&element)) return json::Value(*truth);
  if (const auto* integer = std::get_if<std::int64_t>(&element)) return json::Value(*integer);
  if (const auto* big = std::get_if<BigInt>(&element)) return json::Value(json::Number{big->digits});
  const double* number = std::get_if<double>(&element);
  if (number == nullptr || !std::isfinite(*number)) return std::nullopt;
  return json::Value(*number);
}

std::optional<json::Array> numbers_of(const ArrayValue& array) {
  json::Array numbers;
  for (std::size_t at = 0; at < array.memory.size(); at += itemsize(array.dtype)) {
    auto number = number_of(scalar_of(ArrayView::contiguous(array.memory.data() + at, array.dtype, Shape{})));
    if (!number) return std::nullopt;
    numbers.push_back(std::move(*number));
  }
  return numbers;
}

/// The flat list as lists in lists. An array without elements is [].
json::Value nested(json::Array numbers, const Shape& shape) {
  if (shape.rank() == 0) return std::move(numbers.front());
  if (numbers.empty()) return numbers;
  for (std::size_t axis = shape.rank() - 1; axis > 0; --axis) {
    json::Array rows;
    for (std::size_t at = 0; at < numbers.size(); at += shape[axis]) {
      const auto row = numbers.begin() + static_cast<std::ptrdiff_t>(at);
      rows.emplace_back(
          json::Array(std::make_move_iterator(row), std::make_move_iterator(row + static_cast<std::ptrdiff_t>(shape[axis]))));
    }
    numbers = std::move(rows);
  }
  return numbers;
}

class ArrayDecoder {
 public:
  ArrayDecoder(const json::Value& written, bool is_torch, const JsonPath& where) : where_(where) {
    if (!written.is_object()) fail(where, "expected an array as {dtype, shape, data}");
    const json::Object& members = written.as_object();
    for (const std::string_view key : {"dtype", "shape", "data"}) {
      if (members.find(key) == nullptr) fail(where, "an array without " + quoted(key));
    }
    if (members.size() != 3) fail(where, "an array with more than dtype, shape and data");
    read_dtype(*members.find("dtype"), is_torch);
    read_shape(*members.find("shape"));
    read_data(*members.find("data"));
  }
  ArrayValue take() { return std::move(array_); }

 private:
  void read_dtype(const json::Value& written, bool is_torch) {
    const JsonPath where = where_.key("dtype");
    if (!written.is_string()) fail(where, "expected a dtype");
    std::optional<std::string_view> name = written.as_string();
    if (is_torch) name = find_torch_dtype(*name);
    const auto dtype = name ? find_dtype(*name) : std::nullopt;
    if (!dtype) fail(where, quoted(written.as_string()) + " is no dtype of an array");
    array_.dtype = *dtype;
  }

  void read_shape(const json::Value& written) {
    const JsonPath where = where_.key("shape");
    if (!written.is_array() || written.as_array().size() > kLimits.rank_max) fail(where, "expected a list of extents");
    std::vector<std::uint64_t> dims;
    std::uint64_t size = itemsize(array_.dtype);  // of the array without its empty axes: what its strides must hold
    try {
      for (const json::Value& extent : written.as_array()) {
        dims.push_back(extent.as_uint64());
        size = checked_multiply(size, std::max<std::uint64_t>(dims.back(), 1));
      }
    } catch (const Error& error) {
      fail(where, error.message());
    }
    if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) fail(where, "an array too large");
    array_.shape = Shape(std::move(dims));
    count_ = array_.shape.element_count();
  }

  void read_data(const json::Value& written) {
    const JsonPath where = where_.key("data");
    if (written.is_object()) return read_bytes(written.as_object(), where);
    std::vector<const json::Value*> items;
    if (array_.shape.rank() == 0 && !written.is_array()) {
      items.push_back(&written);
    } else if (!written.is_array()) {
      fail(where, "expected a list of numbers");
    } else if (written.as_array().empty() || !written.as_array().front().is_array()) {
      for (const json::Value& item : written.as_array()) items.push_back(&item);
    } else {
      append_nested(written, 0, where, items);
    }
    if (items.size() != count_) {
      fail(where, std::to_string(items.size()) + " items for the shape " + array_.shape.str());
    }
    fill(items, where);
  }

  void append_nested(const json::Value& written, std::size_t axis, const JsonPath& where,
                     std::vector<const json::Value*>& items) {
    if (axis == array_.shape.rank()) return items.push_back(&written);
    if (!written.is_array() || written.as_array().size() != array_.shape[axis]) {
      fail(where, "expected a list of " + std::to_string(array_.shape[axis]));
    }
    const json::Array& rows = written.as_array();
    for (std::size_t i = 0; i < rows.size(); ++i) append_nested(rows[i], axis + 1, where.index(i), items);
  }

  void read_bytes(const json::Object& written, const JsonPath& where) {
    const json::Value* text = written.find("__bytes__");
    if (written.size() != 1 || text == nullptr || !text->is_string()) fail(where, "expected numbers or {\"__bytes__\": text}");
    const std::string& base64 = text->as_string();
    if (base64.size() / 4 != ceil_divide(count_ * itemsize(array_.dtype), 3)) fail(where, "bytes that do not fill the shape");
    auto bytes = from_base64(base64);
    if (!bytes || bytes->size() != count_ * itemsize(array_.dtype)) fail(where, "bytes that do not fill the shape");
    array_.memory = Blob::from(std::move(*bytes));
  }

  void fill(const std::vector<const json::Value*>& items, const JsonPath& where) {
    std::vector<std::byte> memory(items.size() * itemsize(array_.dtype));
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Element element = element_of_number(*items[i], where.index(i));
      const ArraySpan target = ArraySpan::contiguous(memory.data() + i * itemsize(array_.dtype), array_.dtype, Shape{});
      if (cast_array(element.view(), target).any())
        fail(where.index(i), "a number that " + std::string(name(array_.dtype)) + " does not hold");
    }
    array_.memory = Blob::from(std::move(memory));
  }

  /// The number in the widest type of the dtype's kind.
  Element element_of_number(const json::Value& item, const JsonPath& where) const {
    const DTypeKind kind = info(array_.dtype).kind;
    if (kind == DTypeKind::kBool && item.is_bool()) return *element_of(Scalar(item.as_bool()));
    if (kind == DTypeKind::kBool || !item.is_number()) fail(where, "expected an element of " + std::string(name(array_.dtype)));
    try {
      if (kind == DTypeKind::kInt) return *element_of(Scalar(item.as_int64()));
      if (kind == DTypeKind::kUint) return unsigned_element(item.as_uint64());
    } catch (const Error& error) {
      fail(where, error.message());
    }
    return *element_of(Scalar(item.as_double()));
  }

  static Element unsigned_element(std::uint64_t value) {
    const ByteView bytes = std::as_bytes(std::span(&value, 1));
    return {DType::kUint64, {bytes.begin(), bytes.end()}};
  }

  const JsonPath where_;
  ArrayValue array_;
  std::uint64_t count_ = 0;
};

}  // namespace

json::Value encode_array(const ArrayValue& array, std::string_view dtype_prefix) {
  json::Array shape;
  for (const std::uint64_t extent : array.shape) shape.emplace_back(extent);
  auto numbers = numbers_of(array);
  json::Value data =
      numbers ? nested(std::move(*numbers), array.shape) : json::Value(json::Object{{"__bytes__", to_base64(array.memory)}});
  return json::Object{{"dtype", std::string(dtype_prefix) + std::string(name(array.dtype))},
                      {"shape", std::move(shape)},
                      {"data", std::move(data)}};
}

ArrayValue decode_array(const json::Value& written, bool is_torch, const JsonPath& where) {
  return ArrayDecoder(written, is_torch, where).take();
}

}  // namespace perdure::recipe
