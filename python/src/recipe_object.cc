// Python objects made of a recipe's values.
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <vector>

#include "perdure/base/origin.h"
#include "perdure/recipe/value_codec.h"
#include "python/src/adapters.h"
#include "python/src/errors.h"
#include "python/src/json_value.h"
#include "python/src/plain_type.h"
#include "python/src/python_array.h"
#include "python/src/python_text.h"
#include "python/src/recipe_spec.h"
#include "python/src/recipe_value.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using recipe::JsonPath;
using recipe::Value;

bool is_loaded(const char* package) { return !nb::module_::import_("sys").attr("modules").attr("get")(package).is_none(); }

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
      if (!is_refusal(error)) throw;
      recipe::fail(where_, "no array of " + package + ": " + error.what());
    }
  }
  nb::object object(const recipe::DtypeValue& dtype) {
    const std::string package = dtype.name.substr(0, dtype.name.rfind('.'));
    if (how_ == Restore::kView && !is_loaded(package.c_str())) return text_object(dtype.name);
    need_package(package);
    return host_.attr("restore_dtype")(dtype.name);
  }
  nb::object object(const recipe::DeviceValue& device) {
    if (how_ == Restore::kView && !is_loaded("torch")) return text_object(device.name);
    need_package("torch");
    return host_.attr("restore_device")(device.name);
  }
  nb::object object(const recipe::ClassValue& named) {
    if (how_ == Restore::kFull) return host_.attr("load_class")(named.path, where());
    nb::object found = host_.attr("find_class")(named.path, where());
    return found.is_none() ? text_object(named.path) : found;
  }
  nb::object object(const recipe::EnumValue& member) {
    if (how_ == Restore::kView) return as_written({member});
    const nb::object value = member.value == nullptr ? nb::none() : make(*member.value);
    return host_.attr("restore_enum")(member.path, text_object(member.name), value, where());
  }
  nb::object object(const recipe::PathValue& path) {
    return host_.attr("restore_path")(path.type, text_object(path.text), where());
  }
  nb::object object(const recipe::RecordValue& record) {
    if (how_ == Restore::kView) return as_written({record});
    nb::dict fields;
    for (const auto& [name, value] : record.fields) fields[text_object(name)] = make(value);
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

}  // namespace

nb::object recipe_object(const Value& value, nb::handle host, const JsonPath& where, Restore how) {
  return ObjectMaker(host, where, how).make(value);
}

}  // namespace perdure::python
