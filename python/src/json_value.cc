#include "python/src/json_value.h"

#include <optional>
#include <string>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/recipe/limits.h"
#include "python/src/convert.h"
#include "python/src/plain_type.h"
#include "python/src/python_text.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using recipe::JsonPath;

struct ToJson {
  std::optional<json::Value> operator()(None) const { return json::Value(nullptr); }
  std::optional<json::Value> operator()(bool flag) const { return json::Value(flag); }
  std::optional<json::Value> operator()(std::int64_t number) const { return json::Value(number); }
  std::optional<json::Value> operator()(const BigInt& number) const { return json::Value(json::Number{number.digits}); }
  std::optional<json::Value> operator()(double number) const { return json::Value(number); }
  std::optional<json::Value> operator()(const std::complex<double>&) const { return std::nullopt; }
  std::optional<json::Value> operator()(const Text& text) const { return json::Value(text.utf8); }
  std::optional<json::Value> operator()(const Blob&) const { return std::nullopt; }
  std::optional<json::Value> operator()(const Handled&) const { return std::nullopt; }
};

class JsonReader {
 public:
  json::Value read(nb::handle object, const JsonPath& where, std::size_t depth) {
    if (depth > recipe::kLimits.depth_max) recipe::fail(where, "JSON nested too deep, or a value that contains itself");
    if (++count_ > recipe::kLimits.value_count_max) recipe::fail(where, "JSON with too many values");
    if (PyList_CheckExact(object.ptr())) return list(object, where, depth);
    if (PyDict_Check(object.ptr())) return dict(nb::borrow<nb::dict>(object), where, depth);
    if (const PlainType* const plain = find_plain_type(object.type())) {
      if (std::optional<json::Value> value = std::visit(ToJson{}, read_plain(*plain, object, where))) return std::move(*value);
    }
    recipe::fail(where, "a '" + class_name_of(object) + "' is no JSON");
  }

 private:
  static Scalar read_plain(const PlainType& plain, nb::handle object, const JsonPath& where) {
    try {
      return plain.read(object);
    } catch (const Error& error) {  // an int with too many digits
      recipe::fail(where, error.message());
    }
  }
  json::Value list(nb::handle list, const JsonPath& where, std::size_t depth) {
    json::Array items;
    for (const nb::handle item : list) items.push_back(read(item, where.index(items.size()), depth + 1));
    return items;
  }
  json::Value dict(const nb::dict& dict, const JsonPath& where, std::size_t depth) {
    json::Object members;
    for (const auto [key, item] : dict) {
      if (!PyUnicode_CheckExact(key.ptr())) recipe::fail(where, "a key that is no text is no JSON");
      std::string name = utf8_of(key);
      const JsonPath at = where.key(name);
      members.add(std::move(name), read(item, at, depth + 1));
    }
    return members;
  }

  std::size_t count_ = 0;
};

}  // namespace

json::Value json_value(nb::handle object, const JsonPath& where) { return JsonReader().read(object, where, 0); }

nb::object json_object(const json::Value& value) {
  if (value.is_null()) return nb::none();
  if (value.is_bool()) return nb::bool_(value.as_bool());
  if (value.is_string()) return text_object(value.as_string());
  if (value.is_number()) {
    const std::string& text = value.as_number().text;
    return text.find_first_of(".eE") == std::string::npos ? leaf_object(BigInt{text}) : nb::float_(value.as_double());
  }
  if (value.is_array()) {
    nb::list items;
    for (const json::Value& item : value.as_array()) items.append(json_object(item));
    return items;
  }
  nb::dict members;
  for (const auto& [key, member] : value.as_object().members()) members[text_object(key)] = json_object(member);
  return members;
}

}  // namespace perdure::python
