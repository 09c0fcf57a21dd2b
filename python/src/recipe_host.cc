#include "python/src/recipe_host.h"

#include <nanobind/stl/string.h>

#include "perdure/base/error.h"
#include "python/src/plain_type.h"
#include "python/src/python_text.h"
#include "python/src/recipe_value.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using recipe::Expected;
using recipe::JsonPath;
using recipe::Object;
using recipe::Parameter;

constexpr std::pair<std::string_view, Parameter::Kind> kParameterKinds[] = {
    {"positional_only", Parameter::Kind::kPositionalOnly}, {"plain", Parameter::Kind::kPlain},
    {"var_positional", Parameter::Kind::kVarPositional},   {"keyword_only", Parameter::Kind::kKeywordOnly},
    {"var_keyword", Parameter::Kind::kVarKeyword},
};

Parameter::Kind parameter_kind(const std::string& name) {
  for (const auto& [row_name, kind] : kParameterKinds) {
    if (row_name == name) return kind;
  }
  throw Error(ErrorKind::kInvalid, "no parameter is '" + name + "'");
}

Expected::Kind expected_kind(const std::string& name) {
  if (const auto kind = recipe::find_expected_kind(name)) return *kind;
  throw Error(ErrorKind::kInvalid, "nothing is expected as '" + name + "'");
}

Expected expected_of(nb::handle described) {
  Expected expected;
  expected.kind = expected_kind(nb::cast<std::string>(described[0]));
  expected.accepts_none = nb::cast<bool>(described[1]);
  expected.repeats = nb::cast<bool>(described[2]);
  expected.name = nb::cast<std::string>(described[3]);
  for (const nb::handle item : nb::object(described[4])) expected.items.push_back(expected_of(item));
  return expected;
}

nb::object python_object(const Object& object) { return std::any_cast<nb::object>(object); }

}  // namespace

RecipeHost::RecipeHost(nb::handle host)
    : host_(nb::borrow(host)), policy_(*nb::cast<const recipe::Policy*>(host_.attr("core_policy"))) {}

recipe::Target RecipeHost::find(const std::string& path, const JsonPath& where) {
  policy_.check_path(path, where);
  const nb::object found = host_.attr("find")(path, where.str());
  return found.is_none() ? recipe::Target{} : target(found);
}

recipe::Target RecipeHost::load(const std::string& path, const JsonPath& where) {
  policy_.check_path(path, where);
  return target(host_.attr("load")(path, where.str()));
}

void RecipeHost::check(const recipe::Value& named, const JsonPath& where) {
  const auto check_class = [&](const std::string& path, const char* kind, const nb::object& detail) {
    policy_.check_path(path, where);
    host_.attr("check_class")(path, where.str(), kind, detail);
  };
  if (const auto* type = named.get_if<recipe::ClassValue>()) check_class(type->path, "class", nb::none());
  if (const auto* member = named.get_if<recipe::EnumValue>()) {
    const nb::object value = member->value == nullptr ? nb::none() : recipe_object(*member->value, host_, where, Restore::kView);
    check_class(member->path, "enum", nb::make_tuple(text_object(member->name), value));
  }
  if (const auto* record = named.get_if<recipe::RecordValue>()) {
    nb::list names;
    for (const auto& [name, value] : record->fields) names.append(text_object(name));
    check_class(record->path, "record", names);
  }
  if (const auto* registered = named.get_if<recipe::RegisteredValue>()) {
    if (!nb::cast<bool>(host_.attr("is_registered")(registered->path))) policy_.check_path(registered->path, where);
  }
  if (const auto* array = named.get_if<recipe::ArrayValue>()) {
    if (!recipe::is_known_origin(array->origin)) recipe::fail(where, "no package has arrays of " + recipe::quoted(array->origin));
  }
}

Object RecipeHost::object(const recipe::Value& value, const JsonPath& where) {
  return recipe_object(value, host_, where, Restore::kFull);
}

Object RecipeHost::sequence(bool is_tuple, std::vector<Object> items) {
  nb::list list;
  for (const Object& item : items) list.append(python_object(item));
  return is_tuple ? nb::object(nb::tuple(list)) : nb::object(list);
}

Object RecipeHost::call(Call call) {
  nb::list positional;
  for (const Object& object : call.positional) positional.append(python_object(object));
  nb::dict named;
  for (const auto& [name, object] : call.named) named[name.c_str()] = python_object(object);
  return nb::object(host_.attr("call")(python_object(call.target.callable), positional, named, call.spec.cls_path(),
                                       text_object(call.spec.timestamp())));
}

recipe::Target RecipeHost::target(const nb::object& found) const {
  auto signature = std::make_shared<recipe::Signature>();
  for (const nb::handle described : nb::object(found[1])) signature->parameters.push_back(parameter(described));
  return {std::move(signature), nb::object(found[0])};
}

Parameter RecipeHost::parameter(nb::handle described) const {
  Parameter parameter;
  parameter.name = nb::cast<std::string>(described[0]);
  parameter.kind = parameter_kind(nb::cast<std::string>(described[1]));
  parameter.has_default = nb::cast<bool>(described[2]);
  parameter.expected = expected_of(nb::object(described[3]));
  const nb::object shown = described[4];
  if (shown.ptr() == Py_Ellipsis) return parameter;
  if (shown.is_none()) parameter.expected.accepts_none = true;
  try {
    parameter.written_default = recipe::encode(recipe_value(shown, host_, JsonPath()), {}, JsonPath());
  } catch (const std::exception&) {  // a default that no recipe can hold is never in one
  }
  return parameter;
}

}  // namespace perdure::python
