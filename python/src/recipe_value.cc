#include "python/src/recipe_value.h"

#include <nanobind/stl/string.h>

#include <concepts>
#include <string>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/recipe/limits.h"
#include "python/src/errors.h"
#include "python/src/json_value.h"
#include "python/src/plain_type.h"
#include "python/src/python_host.h"
#include "python/src/python_text.h"
#include "python/src/recipe_spec.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using recipe::JsonPath;
using recipe::Value;

Value value_of_scalar(Scalar scalar) {
  return std::visit(
      []<class Part>(Part&& part) -> Value {
        if constexpr (std::is_constructible_v<decltype(Value::data), Part>) {
          return {std::move(part)};
        } else {
          static_assert(std::same_as<Part, Handled>, "every other kind of plain value is one of recipes");
          throw Error(ErrorKind::kInputType, "a recipe cannot carry a value of a type handler");
        }
      },
      std::move(scalar));
}

/// Takes a Python object apart. Depth and count are bounded: an object may contain itself, or one list a thousand times.
class ValueReader {
 public:
  explicit ValueReader(nb::handle host) : host_(host) {}

  Value read(nb::handle object, const JsonPath& where, std::size_t depth) {
    if (depth > recipe::kLimits.depth_max) recipe::fail(where, "a value nested too deep, or one that contains itself");
    ++count_;
    if (has_too_many_parts()) recipe::fail(where, "a value with too many parts");
    if (const PlainType* const plain = find_plain_type(object.type())) return value_of_scalar(plain->read(object));
    if (PyList_CheckExact(object.ptr())) return {recipe::ListValue{items(object, where, depth)}};
    if (PyTuple_CheckExact(object.ptr())) return {recipe::TupleValue{items(object, where, depth)}};
    if (PyDict_CheckExact(object.ptr())) return dict(nb::borrow<nb::dict>(object), where, depth);
    if (const auto spec = find_spec(object)) return {spec};
    return described(object, where, depth);
  }

 private:
  bool has_too_many_parts() const { return count_ > recipe::kLimits.value_count_max; }

  std::vector<Value> items(nb::handle sequence, const JsonPath& where, std::size_t depth) {
    std::vector<Value> values;
    for (const nb::handle item : sequence) values.push_back(read(item, where.index(values.size()), depth + 1));
    return values;
  }

  Value dict(const nb::dict& dict, const JsonPath& where, std::size_t depth) {
    recipe::DictValue value;
    for (const auto [key, item] : dict) {
      const JsonPath at = PyUnicode_CheckExact(key.ptr()) ? where.key(utf8_of(key)) : where.index(value.items.size());
      value.items.push_back({read(key, at, depth + 1), read(item, at, depth + 1)});
    }
    return {std::move(value)};
  }

  Value described(nb::handle object, const JsonPath& where, std::size_t depth) {
    const nb::object parts = host_.attr("describe")(object, where.str());
    const std::string kind = nb::cast<std::string>(parts[0]);
    if (kind == "array") return with_our_errors([&] { return array(object); });
    if (kind == "dtype") return {recipe::DtypeValue{utf8_of(parts[1])}};
    if (kind == "device") return {recipe::DeviceValue{utf8_of(parts[1])}};
    if (kind == "class") return {recipe::ClassValue{utf8_of(parts[1])}};
    if (kind == "path") return {recipe::PathValue{utf8_of(parts[1]), utf8_of(parts[2])}};
    if (kind == "registered") return {recipe::RegisteredValue{utf8_of(parts[1]), json_value(parts[2], where)}};
    if (kind == "enum") return member(parts, where, depth);
    if (kind == "record") return record(parts, where, depth);
    throw Error(ErrorKind::kInvalid, "no value of a recipe is described as '" + kind + "'");
  }

  static Value array(nb::handle object) {
    PythonReader reader;
    return {recipe::array_value(std::get<ArrayLeaf>(reader.leaf(object.ptr())))};
  }

  Value member(const nb::object& parts, const JsonPath& where, std::size_t depth) {
    recipe::EnumValue value{utf8_of(parts[1]), utf8_of(parts[2]), nullptr};
    try {
      value.value = std::make_shared<const Value>(read(parts[3], where, depth + 1));
    } catch (const std::exception& error) {
      const bool is_optional = !value.name.empty();  // a member with a name comes back by it
      if (!is_optional || has_too_many_parts() || !is_refusal(error)) throw;
    }
    return {std::move(value)};
  }

  Value record(const nb::object& parts, const JsonPath& where, std::size_t depth) {
    recipe::RecordValue value{utf8_of(parts[1]), {}};
    for (const nb::handle field : nb::object(parts[2])) {
      const std::string name = utf8_of(nb::object(field[0]));
      value.fields.push_back({name, read(nb::object(field[1]), where.key(name), depth + 1)});
    }
    return {std::move(value)};
  }

  nb::handle host_;
  std::size_t count_ = 0;
};

}  // namespace

Value recipe_value(nb::handle object, nb::handle host, const JsonPath& where) {
  try {
    return ValueReader(host).read(object, where, 0);
  } catch (const recipe::RecipeError&) {
    throw;
  } catch (const Error& error) {
    recipe::fail_type(where, error.message());
  }
}

}  // namespace perdure::python
