#include "python/src/recipe_value.h"

#include <nanobind/stl/string.h>

#include "perdure/base/object.h"
#include "perdure/base/origin.h"
#include "perdure/recipe/limits.h"
#include "perdure/recipe/spec.h"
#include "perdure/recipe/value_codec.h"
#include "python/src/adapters.h"
#include "python/src/errors.h"
#include "python/src/python_array.h"
#include "python/src/python_host.h"
#include "python/src/python_leaf.h"
#include "python/src/recipe_spec.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using recipe::JsonPath;
using recipe::Value;

std::string text_of_str(nb::handle object) { return std::get<Text>(read_key(object).value).utf8; }

Value value_of_scalar(Scalar scalar) {
  return std::visit(
      []<class Part>(Part&& part) -> Value {
        if constexpr (std::is_constructible_v<decltype(Value::data), Part>) return {std::move(part)};
        throw Error(ErrorKind::kInputType, "a recipe cannot carry a value of a type handler");
      },
      std::move(scalar));
}

/// Takes a Python object apart. Depth and count are bounded: an object may contain itself, or one list a thousand times.
class ValueReader {
 public:
  explicit ValueReader(nb::handle host) : host_(host) {}

  Value read(nb::handle object, const JsonPath& where, std::size_t depth) {
    if (depth > recipe::kLimits.depth_max) recipe::fail(where, "a value nested too deep, or one that contains itself");
    if (++count_ > recipe::kLimits.value_count_max) recipe::fail(where, "a value with too many parts");
    if (const auto plain = find_plain(object)) return value_of_scalar(std::get<Scalar>(read_leaf(object, *plain, adapters_)));
    if (PyList_CheckExact(object.ptr())) return {recipe::ListValue{items(object, where, depth)}};
    if (PyTuple_CheckExact(object.ptr())) return {recipe::TupleValue{items(object, where, depth)}};
    if (PyDict_CheckExact(object.ptr())) return dict(nb::borrow<nb::dict>(object), where, depth);
    if (const auto spec = find_spec(object)) return {spec};
    return described(object, where, depth);
  }

 private:
  static std::optional<ObjectClass> find_plain(nb::handle object) {
    const std::pair<void*, ObjectClass> classes[] = {
        {&PyBool_Type, ObjectClass::kBool},       {&PyLong_Type, ObjectClass::kInt},    {&PyFloat_Type, ObjectClass::kFloat},
        {&PyComplex_Type, ObjectClass::kComplex}, {&PyUnicode_Type, ObjectClass::kStr}, {&PyBytes_Type, ObjectClass::kBytes}};
    if (object.is_none()) return ObjectClass::kNone;
    for (const auto& [type, object_class] : classes) {
      if (object.type().ptr() == type) return object_class;
    }
    return std::nullopt;
  }

  std::vector<Value> items(nb::handle sequence, const JsonPath& where, std::size_t depth) {
    std::vector<Value> values;
    for (const nb::handle item : sequence) values.push_back(read(item, where.index(values.size()), depth + 1));
    return values;
  }

  Value dict(const nb::dict& dict, const JsonPath& where, std::size_t depth) {
    recipe::DictValue value;
    for (const auto [key, item] : dict) {
      const JsonPath at = PyUnicode_CheckExact(key.ptr()) ? where.key(text_of_str(key)) : where.index(value.items.size());
      value.items.push_back({read(key, at, depth + 1), read(item, at, depth + 1)});
    }
    return {std::move(value)};
  }

  Value described(nb::handle object, const JsonPath& where, std::size_t depth) {
    const nb::object parts = host_.attr("describe")(object, where.str());
    const std::string kind = nb::cast<std::string>(parts[0]);
    if (kind == "array") return with_our_errors([&] { return array(object); });
    if (kind == "dtype") return {recipe::DtypeValue{text_of_str(parts[1])}};
    if (kind == "device") return {recipe::DeviceValue{text_of_str(parts[1])}};
    if (kind == "class") return {recipe::ClassValue{text_of_str(parts[1])}};
    if (kind == "path") return {recipe::PathValue{text_of_str(parts[1]), text_of_str(parts[2])}};
    if (kind == "registered") return {recipe::RegisteredValue{text_of_str(parts[1]), json_value(parts[2], where)}};
    if (kind == "enum") return member(parts, where, depth);
    return record(parts, where, depth);
  }

  static Value array(nb::handle object) {
    PythonReader reader;
    const ArrayLeaf leaf = std::get<ArrayLeaf>(reader.leaf(object.ptr()));
    std::vector<std::byte> memory(ArrayView::contiguous(nullptr, leaf.dtype, leaf.shape).size_bytes());
    const ArraySpan target = ArraySpan::contiguous(memory.data(), leaf.dtype, leaf.shape);
    for (const ArrayPiece& piece : leaf.pieces) copy_array(piece.view, target.sub(piece.box));
    const std::string origin =
        leaf.origin == "torch.grad" ? "torch" : leaf.origin;  // a recipe is no state: no gradient is asked of it
    return {recipe::ArrayValue{origin, leaf.dtype, leaf.shape, Blob::from(std::move(memory))}};
  }

  Value member(const nb::object& parts, const JsonPath& where, std::size_t depth) {
    recipe::EnumValue value{text_of_str(parts[1]), text_of_str(parts[2]), nullptr};
    try {
      value.value = std::make_shared<const Value>(read(parts[3], where, depth + 1));
    } catch (const std::exception&) {
      if (value.name.empty()) throw;  // a member with a name needs no value
    }
    return {std::move(value)};
  }

  Value record(const nb::object& parts, const JsonPath& where, std::size_t depth) {
    recipe::RecordValue value{text_of_str(parts[1]), {}};
    for (const nb::handle field : nb::object(parts[2])) {
      const std::string name = text_of_str(nb::object(field[0]));
      value.fields.push_back({name, read(nb::object(field[1]), where.key(name), depth + 1)});
    }
    return {std::move(value)};
  }

  nb::handle host_;
  Adapters adapters_;
  std::size_t count_ = 0;
};

bool is_loaded(const char* package) {
  return nb::cast<bool>(nb::module_::import_("sys").attr("modules").attr("__contains__")(package));
}

/// Makes Python objects of values.
class ObjectMaker {
 public:
  ObjectMaker(nb::handle host, const JsonPath& where, Restore how) : host_(nb::borrow(host)), where_(where), how_(how) {}

  nb::object make(const Value& value) {
    return std::visit([&](const auto& part) { return nb::object(object(part)); }, value.data);
  }

 private:
  template <class Plain>
  nb::object object(const Plain& plain) {
    return leaf_object(Scalar(plain));
  }
  nb::object object(const recipe::ListValue& list) {
    nb::list made;
    for (const Value& item : list.items) made.append(make(item));
    return made;
  }
  nb::object object(const recipe::TupleValue& tuple) {
    nb::list made;
    for (const Value& item : tuple.items) made.append(make(item));
    return nb::tuple(made);
  }
  nb::object object(const recipe::DictValue& dict) {
    nb::dict made;
    for (const auto& [key, item] : dict.items) made[make(key)] = make(item);
    if (made.size() != dict.items.size()) recipe::fail(where_, "a dict with two equal keys");
    return made;
  }
  nb::object object(const recipe::ArrayValue& array) {
    const std::string package = recipe::package_of(array);
    if (how_ == Restore::kView && !is_loaded(package.c_str())) return as_written({array});
    need_package(package);
    const auto memory = std::make_shared<std::vector<std::byte>>(array.memory.view().begin(), array.memory.view().end());
    try {
      const nb::object made = numpy_array(array.dtype, array.shape, *memory, memory, true);
      if (array.origin == origins::kNumpyScalar) return made[nb::tuple()];
      return array.origin == origins::kNumpy ? made : Adapters().restore(array.origin, made);
    } catch (const std::exception& error) {  // shape and dtype are those of an array, but not of this package's
      recipe::fail(where_, "no array of " + package + ": " + error.what());
    }
  }
  nb::object object(const recipe::DtypeValue& dtype) {
    const std::string package = dtype.name.substr(0, dtype.name.rfind('.'));
    if (how_ == Restore::kView && !is_loaded(package.c_str())) return leaf_object(Text{dtype.name});
    need_package(package);
    return host_.attr("restore_dtype")(dtype.name);
  }
  nb::object object(const recipe::DeviceValue& device) {
    if (how_ == Restore::kView && !is_loaded("torch")) return leaf_object(Text{device.name});
    need_package("torch");
    return host_.attr("restore_device")(device.name);
  }
  nb::object object(const recipe::ClassValue& named) {
    if (how_ == Restore::kFull) return host_.attr("load_class")(named.path, where());
    nb::object found = host_.attr("find_class")(named.path, where());
    return found.is_none() ? leaf_object(Text{named.path}) : found;
  }
  nb::object object(const recipe::EnumValue& member) {
    if (how_ == Restore::kView) return as_written({member});
    const nb::object value = member.value == nullptr ? nb::none() : make(*member.value);
    return host_.attr("restore_enum")(member.path, leaf_object(Text{member.name}), value, where());
  }
  nb::object object(const recipe::PathValue& path) {
    return host_.attr("restore_path")(path.type, leaf_object(Text{path.text}), where());
  }
  nb::object object(const recipe::RecordValue& record) {
    if (how_ == Restore::kView) return as_written({record});
    nb::dict fields;
    for (const auto& [name, value] : record.fields) fields[leaf_object(Text{name})] = make(value);
    return host_.attr("restore_record")(record.path, fields, where());
  }
  nb::object object(const recipe::RegisteredValue& registered) {
    if (how_ == Restore::kView) return json_object(registered.written);
    return host_.attr("restore_registered")(registered.path, json_object(registered.written), where());
  }
  nb::object object(const recipe::SpecValue& spec) { return host_.attr("wrap_spec")(spec_object(spec)); }

  static nb::object as_written(const Value& value) { return json_object(recipe::encode(value, {}, JsonPath())); }
  void need_package(const std::string& package) { host_.attr("need_package")(package, where()); }
  std::string where() const { return where_.str(); }

  nb::object host_;
  const JsonPath& where_;
  Restore how_;
};

class JsonReader {
 public:
  json::Value read(nb::handle object, const JsonPath& where, std::size_t depth) {
    PyObject* const raw = object.ptr();
    if (depth > recipe::kLimits.depth_max) recipe::fail(where, "JSON nested too deep, or a value that contains itself");
    if (++count_ > recipe::kLimits.value_count_max) recipe::fail(where, "JSON with too many values");
    if (object.is_none()) return nullptr;
    if (PyBool_Check(raw)) return raw == Py_True;
    if (PyUnicode_CheckExact(raw)) return text_of_str(object);
    if (PyFloat_CheckExact(raw)) return PyFloat_AsDouble(raw);
    if (PyLong_CheckExact(raw)) return integer(object, where);
    if (PyList_CheckExact(raw)) return list(object, where, depth);
    if (PyDict_Check(raw)) return dict(nb::borrow<nb::dict>(object), where, depth);
    recipe::fail(where, "a '" + nb::cast<std::string>(object.type().attr("__name__")) + "' is no JSON");
  }

 private:
  static json::Value integer(nb::handle object, const JsonPath& where) {
    try {
      const Key::Value number = read_key(object).value;
      if (const auto* small = std::get_if<std::int64_t>(&number)) return *small;
      return json::Number{std::get<BigInt>(number).digits};
    } catch (const Error& error) {
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
      std::string name = text_of_str(key);
      const JsonPath at = where.key(name);
      members.add(std::move(name), read(item, at, depth + 1));
    }
    return members;
  }

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

nb::object recipe_object(const Value& value, nb::handle host, const JsonPath& where, Restore how) {
  return ObjectMaker(host, where, how).make(value);
}

json::Value json_value(nb::handle object, const JsonPath& where) { return JsonReader().read(object, where, 0); }

nb::object json_object(const json::Value& value) {
  if (value.is_null()) return nb::none();
  if (value.is_bool()) return nb::bool_(value.as_bool());
  if (value.is_string()) return leaf_object(Text{value.as_string()});
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
  for (const auto& [key, member] : value.as_object().members()) members[leaf_object(Text{key})] = json_object(member);
  return members;
}

}  // namespace perdure::python
