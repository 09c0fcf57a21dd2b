// load, metadata and verify over the engine. Conversions only: what is decided is decided in perdure/checkpoint.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "perdure/checkpoint/delete.h"
#include "perdure/checkpoint/files/item_name.h"
#include "perdure/checkpoint/files/seen_directory.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/verify.h"
#include "perdure/tree/names.h"
#include "python/src/bindings.h"
#include "python/src/convert.h"
#include "python/src/gc_pause.h"
#include "python/src/load_tree.h"
#include "python/src/plain_type.h"
#include "python/src/python_array.h"
#include "python/src/python_host.h"
#include "python/src/python_text.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

bool is_supported_leaf(nb::handle object) {
  PythonReader reader;
  if (reader.kind(object.ptr()) != NodeKind::kLeaf) return false;
  try {
    reader.leaf(object.ptr());
    return true;
  } catch (const Error&) {
    return false;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    return false;
  }
}

/// A container, or a leaf that can be saved.
bool is_tree(nb::handle object) {
  PythonReader reader;
  return reader.kind(object.ptr()) != NodeKind::kLeaf || is_supported_leaf(object);
}

bool has_array(nb::handle root) {
  PythonReader reader;
  const tree::FlatObjects flat = tree::flatten(reader, root.ptr());
  for (std::size_t i = 0; i < flat.leaf_positions.size(); ++i) {
    const nb::handle leaf = object_of(flat.leaf(i));
    if (nb::hasattr(leaf, "dtype") && nb::hasattr(leaf, "shape")) return true;
  }
  return false;
}

std::unique_ptr<Checkpoint> open_checkpoint(const nb::bytes& path, bool follow_links) {
  OpenOptions options;
  options.follow_links = follow_links;
  return without_gil([&] { return std::make_unique<Checkpoint>(Checkpoint::open(std::string(text_of(path)), options)); });
}

VerifyReport verify_checkpoint(const nb::bytes& path, bool follow_links) {
  OpenOptions options;
  options.follow_links = follow_links;
  return without_gil([&] { return verify(std::string(text_of(path)), options); });
}

std::optional<nb::bytes> find_file(const Checkpoint& checkpoint, const std::string& item, const std::string& file) {
  const std::optional<std::string> content = without_gil([&] { return checkpoint.find_file(item, file); });
  return content ? std::optional(bytes_object(*content)) : std::nullopt;
}

/// The tree with `make_array(shape, dtype, chunk_shape)` for each array.
nb::object describe(const Checkpoint& checkpoint, const std::string& name, const nb::callable& make_array,
                    const nb::callable& describe_handled) {
  const std::unique_ptr<TreeItem> item = without_gil([&] { return checkpoint.tree(name); });
  std::vector<nb::object> leaves;
  const std::vector<std::string> names = tree::leaf_names(item->structure());
  for (const StoredLeaf& leaf : item->leaves()) {
    if (const Handled* const handled = find_handled(leaf)) {
      const nb::object name_object = text_object(names[leaves.size()]);
      leaves.push_back(describe_handled(name_object, handled->typestr));
    } else if (const auto* array = std::get_if<StoredArray>(&leaf)) {
      leaves.push_back(make_array(shape_object(array->shape), numpy_dtype(array->dtype), shape_object(array->chunk_shape)));
    } else {
      leaves.push_back(leaf_object(std::get<Scalar>(leaf)));
    }
  }
  return unflatten_python(item->structure(), leaves);
}

nb::tuple load_item(const Checkpoint& checkpoint, std::string name, nb::object target, std::optional<std::vector<nb::bytes>> only,
                    nb::object placeholder, nb::object leaf_types, nb::object type_handlers, nb::object load_handled,
                    nb::object handled_typestrs, bool partial_load, bool keep_missing, bool pad_and_truncate, bool verify,
                    bool mapped, bool as_numpy, std::optional<std::uint64_t> bytes_max,
                    std::optional<std::uint64_t> bytes_at_once_max) {
  using Match = tree::MatchOptions;
  LoadArguments arguments{.name = std::move(name),
                          .target = std::move(target),
                          .only = {},
                          .placeholder = std::move(placeholder),
                          .leaf_types = std::move(leaf_types),
                          .type_handlers = std::move(type_handlers),
                          .load_handled = std::move(load_handled),
                          .handled_typestrs = std::move(handled_typestrs),
                          .as_numpy = as_numpy,
                          .options = {},
                          .read = {}};
  if (only) {
    arguments.only.emplace();
    for (const nb::bytes& path : *only) arguments.only->emplace_back(text_of(path));
  }
  arguments.options.match.unused = partial_load ? Match::Unused::kIgnore : Match::Unused::kError;
  arguments.options.match.missing = keep_missing ? Match::Missing::kKeep : Match::Missing::kError;
  arguments.options.restore.pad_and_truncate = pad_and_truncate;
  arguments.read.verify = verify;
  arguments.read.map = mapped;
  if (bytes_max) arguments.read.bytes_max = *bytes_max;
  if (bytes_at_once_max) arguments.read.bytes_at_once_max = *bytes_at_once_max;
  return load_tree(checkpoint, arguments);
}

std::string fault_repr(const Fault& fault) {
  return "Fault(leaf='" + fault.leaf + "', chunk='" + fault.chunk + "', file='" + fault.file +
         "', offset=" + std::to_string(fault.offset) + ", what='" + fault.what + "')";
}

void bind_verify(nb::module_& m) {
  nb::class_<Fault>(m, "Fault")
      .def_ro("leaf", &Fault::leaf)
      .def_ro("chunk", &Fault::chunk)
      .def_ro("file", &Fault::file)
      .def_ro("offset", &Fault::offset)
      .def_ro("what", &Fault::what)
      .def("__repr__", &fault_repr);
  nb::class_<VerifyReport>(m, "VerifyReport")
      .def_ro("faults", &VerifyReport::faults)
      .def_ro("bytes_checked", &VerifyReport::bytes_checked)
      .def_prop_ro("ok", &VerifyReport::ok);
  m.def("verify", &verify_checkpoint, nb::arg("path"), nb::kw_only(), nb::arg("follow_links"));
}

}  // namespace

void bind_checkpoint(nb::module_& m) {
  m.def("is_supported_leaf", &is_supported_leaf, nb::arg("value").none());
  m.def("is_tree", &is_tree, nb::arg("value").none(),
        "Whether it is a container, whatever it holds, or a leaf that can be saved.");
  m.def("has_array", &has_array, nb::arg("tree").none());
  m.def(
      "delete_checkpoint", [](const nb::bytes& path) { without_gil([&] { delete_checkpoint(std::string(text_of(path))); }); },
      nb::arg("path"));
  m.attr("READ_ATTEMPTS_MAX") = checkpoint::kReadAttemptsMax;
  m.def("check_item_name", &checkpoint::check_item_name, nb::arg("name"));
  nb::class_<Checkpoint>(m, "Checkpoint")
      .def(nb::new_(&open_checkpoint), nb::arg("path"), nb::kw_only(), nb::arg("follow_links"))
      .def_prop_ro("item_names", &Checkpoint::item_names)
      .def_prop_ro("custom_metadata", [](const Checkpoint& self) { return json::dump(self.custom_metadata()); })
      .def_prop_ro("init_timestamp_nsecs", &Checkpoint::init_timestamp_ns)
      .def_prop_ro("commit_timestamp_nsecs", &Checkpoint::commit_timestamp_ns)
      .def_prop_ro("metrics", &Checkpoint::metrics)
      .def_prop_ro("was_replaced", &Checkpoint::was_replaced)
      .def("check_not_replaced", &Checkpoint::check_not_replaced, nb::call_guard<GilRelease>())
      .def("typestr", &Checkpoint::typestr, nb::arg("name"))
      .def(
          "item_path", [](const Checkpoint& self, const std::string& name) { return bytes_object(self.item_path(name)); },
          nb::arg("name"))
      .def(
          "tree_path",
          [](const Checkpoint& self, const std::string& name) {
            return bytes_object(without_gil([&] { return self.tree_path(name); }));
          },
          nb::arg("name"))
      .def("find_file", &find_file, nb::arg("name"), nb::arg("file"))
      .def("check_files", &Checkpoint::check_files, nb::arg("name"), nb::call_guard<GilRelease>())
      .def("describe", &describe, nb::arg("name"), nb::arg("make_array"), nb::arg("describe_handled"))
      .def("load", &load_item, nb::arg("name"), nb::arg("template").none(), nb::kw_only(), nb::arg("only").none(),
           nb::arg("placeholder"), nb::arg("leaf_types"), nb::arg("type_handlers").none(), nb::arg("load_handled"),
           nb::arg("handled_typestrs"), nb::arg("partial_load"), nb::arg("keep_missing"), nb::arg("pad_and_truncate"),
           nb::arg("verify"), nb::arg("mapped"), nb::arg("as_numpy"), nb::arg("bytes_max").none(),
           nb::arg("bytes_at_once_max").none());
  bind_verify(m);
}

}  // namespace perdure::python
