// Recipes over the engine. Conversions only: what is decided is decided in perdure/recipe.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <exception>

#include "perdure/recipe/canonical.h"
#include "perdure/recipe/engine.h"
#include "python/src/bindings.h"
#include "python/src/errors.h"
#include "python/src/json_value.h"
#include "python/src/python_text.h"
#include "python/src/recipe_host.h"
#include "python/src/recipe_spec.h"
#include "python/src/recipe_value.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using recipe::JsonPath;
using recipe::Policy;
using recipe::Spec;
using Named = std::vector<std::pair<nb::object, nb::object>>;

/// What perdure._core.RecipeSpec holds: a Spec that other specs may share.
struct SpecHolder {
  std::shared_ptr<const Spec> spec;
};

void raise_recipe_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const recipe::RecipeError& error) {
    try {
      nb::object exception = error_object(error);
      exception.attr("json_path") = text_object(error.json_path());
      exception.attr("rule") = error.rule().empty() ? nb::none() : text_object(error.rule());
      PyErr_SetObject(exception.type().ptr(), exception.ptr());
    } catch (nb::python_error& failure) {
      failure.restore();
    }
  }
}

SpecHolder held(Spec spec) { return {std::make_shared<const Spec>(std::move(spec))}; }

SpecHolder read_spec(nb::handle host, nb::handle source) {
  RecipeHost python(host);
  if (PyUnicode_Check(source.ptr())) return held(recipe::read(std::string_view(utf8_of(source)), python));
  if (!PyDict_Check(source.ptr())) recipe::fail_type(JsonPath(), "expected a recipe as a dict or JSON text");
  return held(recipe::read(recipe::canonical_json(json_value(source, JsonPath()), JsonPath()), python));
}

/// Whether two values are written the same.
bool is_same(nb::handle host, nb::handle one, nb::handle other) {
  const auto written = [&](nb::handle object) { return recipe::encode(recipe_value(object, host, JsonPath()), {}, JsonPath()); };
  return written(one) == written(other);
}

SpecHolder make_spec(nb::handle host, nb::handle path_text, nb::handle timestamp_text, const Named& arguments, bool is_bound) {
  RecipeHost python(host);
  const std::string path = utf8_of(path_text), timestamp = utf8_of(timestamp_text);
  std::vector<recipe::NamedValue> values;
  for (const auto& [name, object] : arguments) {
    values.emplace_back(utf8_of(name), recipe_value(object, host, JsonPath().key(utf8_of(name))));
  }
  return held(is_bound ? recipe::make(path, timestamp, values, python) : recipe::make_unbound(path, timestamp, values, python));
}

nb::object build_spec(const SpecHolder& holder, nb::handle host, const std::vector<nb::object>& positional, const Named& named) {
  RecipeHost python(host);
  recipe::Injected injected;
  for (const nb::object& object : positional) injected.positional.emplace_back(object);
  for (const auto& [name, object] : named) injected.named.emplace_back(utf8_of(name), object);
  return std::any_cast<nb::object>(recipe::build(*holder.spec, python, std::move(injected)));
}

nb::object field(const SpecHolder& holder, nb::handle host, nb::handle name) {
  RecipeHost python(host);
  const std::string utf8 = utf8_of(name);
  return recipe_object(recipe::field_value(*holder.spec, utf8, python), host, JsonPath().key(utf8), Restore::kView);
}

void refuse(const std::string& path, const std::string& rule, const std::string& where) {
  recipe::refuse(path, rule, JsonPath::parsed(where));
}

}  // namespace

std::shared_ptr<const Spec> find_spec(nb::handle object) {
  const nb::object inner = nb::getattr(object.type(), "_is_recipe_spec", nb::none());
  if (inner.is_none()) return nullptr;
  const nb::object held = nb::getattr(object, "_spec", nb::none());
  return nb::isinstance<SpecHolder>(held) ? nb::cast<SpecHolder>(held).spec : nullptr;
}

nb::object spec_object(std::shared_ptr<const Spec> spec) { return nb::cast(SpecHolder{std::move(spec)}); }

void bind_recipe(nb::module_& m) {
  nb::register_exception_translator(raise_recipe_error);
  nb::class_<Policy>(m, "RecipePolicy")
      .def(nb::init<std::optional<std::vector<std::string>>, std::vector<std::string>>(), nb::arg("modules").none(),
           nb::arg("allow"))
      .def("refuses_path", &Policy::refuses_path, nb::arg("path"))
      .def("refuses_object", &Policy::refuses_object, nb::arg("name"))
      .def("refuses_origin", &Policy::refuses_origin, nb::arg("name"))
      .def("refuses_base", &Policy::refuses_base, nb::arg("name"))
      .def("is_allowed_by_name", &Policy::is_allowed_by_name, nb::arg("path"))
      .def(
          "check_path",
          [](const Policy& policy, const std::string& path, const std::string& where) {
            policy.check_path(path, JsonPath::parsed(where));
          },
          nb::arg("path"), nb::arg("where"));
  nb::class_<SpecHolder>(m, "RecipeSpec")
      .def_prop_ro("cls_path", [](const SpecHolder& holder) { return holder.spec->cls_path(); })
      .def_prop_ro("timestamp", [](const SpecHolder& holder) { return text_object(holder.spec->timestamp()); })
      .def("names", [](const SpecHolder& holder) { return holder.spec->names(); })
      .def("text", [](const SpecHolder& holder) { return holder.spec->text(); })
      .def("to_json", [](const SpecHolder& holder) { return json_object(holder.spec->json()); })
      .def(
          "equals", [](const SpecHolder& holder, const SpecHolder& other) { return *holder.spec == *other.spec; },
          nb::arg("other"))
      .def("field", field, nb::arg("host"), nb::arg("name"))
      .def("build", build_spec, nb::arg("host"), nb::arg("positional"), nb::arg("named"));
  m.def("recipe_read", read_spec, nb::arg("host"), nb::arg("source").none());
  m.def("recipe_same", is_same, nb::arg("host"), nb::arg("one").none(), nb::arg("other").none());
  m.def("recipe_make", make_spec, nb::arg("host"), nb::arg("path"), nb::arg("timestamp"), nb::arg("arguments"),
        nb::arg("is_bound"));
  m.def("recipe_refuse", refuse, nb::arg("path"), nb::arg("rule"), nb::arg("where"));
}

}  // namespace perdure::python
