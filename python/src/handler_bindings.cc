// The names of the built-in handlers (perdure/checkpoint/orbax/handler_names.h), and the rules of
// perdure/checkpoint/handler_resolution.h with Python handlers that answer.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "perdure/checkpoint/handler_resolution.h"
#include "perdure/checkpoint/orbax/handler_names.h"
#include "python/src/bindings.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using checkpoint::HandlerEntry;

/// typestr, name, secondary typestrs.
using Row = std::tuple<std::string, std::optional<std::string>, std::vector<std::string>>;

std::vector<HandlerEntry> entries_of(const std::vector<Row>& rows) {
  std::vector<HandlerEntry> entries;
  for (const auto& [typestr, name, secondary] : rows) entries.push_back({typestr, name, secondary});
  return entries;
}

class PythonAnswers final : public checkpoint::HandlerAnswers {
 public:
  explicit PythonAnswers(nb::handle ask) : ask_(ask) {}
  bool takes(std::size_t entry) override { return nb::cast<bool>(nb::bool_(ask_(entry))); }
  std::optional<bool> takes_abstract(std::size_t entry) override {
    const nb::object answer = ask_(entry);
    return answer.is_none() ? std::nullopt : std::optional(nb::cast<bool>(nb::bool_(answer)));
  }

 private:
  nb::handle ask_;
};

std::optional<std::size_t> handler_to_save(const std::vector<Row>& rows, const std::string& name, bool is_stateful,
                                           const nb::callable& takes) {
  PythonAnswers answers(takes);
  return checkpoint::handler_to_save(entries_of(rows), name, is_stateful, answers);
}

std::optional<std::size_t> handler_to_load(const std::vector<Row>& rows, const std::string& name, const std::string& typestr,
                                           bool has_template, bool is_stateful, const nb::callable& takes) {
  PythonAnswers answers(takes);
  return checkpoint::handler_to_load(
      entries_of(rows), {.name = name, .typestr = typestr, .has_template = has_template, .is_stateful = is_stateful}, answers);
}

nb::tuple handler_names(const std::string& name) {
  const checkpoint::HandlerNames& names = checkpoint::handler_names(name);
  return nb::make_tuple(names.typestr, nb::tuple(nb::cast(names.secondary_typestrs)), nb::tuple(nb::cast(names.files)));
}

}  // namespace

void bind_handlers(nb::module_& m) {
  m.def("handler_names", &handler_names, nb::arg("name"),
        nb::sig("def handler_names(name: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]"),
        "What checkpoints call a built-in handler, its names in checkpoints of others, its files by precedence.");
  m.def("handler_to_save", &handler_to_save, nb::arg("entries"), nb::arg("name"), nb::arg("is_stateful"), nb::arg("takes"),
        "Index of the entry (typestr, name, secondary typestrs) that saves; ``takes(index) -> bool`` is asked where it matters.");
  m.def("handler_to_load", &handler_to_load, nb::arg("entries"), nb::arg("name"), nb::arg("typestr"), nb::arg("has_template"),
        nb::arg("is_stateful"), nb::arg("takes"),
        "Index of the entry that loads; ``takes(index) -> bool | None`` is asked where it matters. ``typestr``: as recorded, or "
        "empty.");
}

}  // namespace perdure::python
