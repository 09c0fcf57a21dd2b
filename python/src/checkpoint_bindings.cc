// save, load, metadata and verify over the engine. Conversions only: what is decided is decided in perdure/checkpoint.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"
#include "perdure/checkpoint/verify.h"
#include "python/src/bindings.h"
#include "python/src/convert.h"
#include "python/src/gc_pause.h"
#include "python/src/load_tree.h"
#include "python/src/python_array.h"
#include "python/src/python_host.h"
#include "python/src/python_leaf.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

/// dtype name, chunk_byte_size, shard_axes.
using StorageOptions = std::tuple<std::optional<std::string>, std::optional<std::uint64_t>, std::vector<std::uint64_t>>;

ArraySaveOptions with_storage_options(ArraySaveOptions options, const StorageOptions& own) {
  const auto& [dtype, chunk_byte_size, shard_axes] = own;
  if (dtype) options.dtype = dtype_from_name(*dtype);
  if (chunk_byte_size) options.chunk_bytes_divided = *chunk_byte_size;
  options.shard_axes = shard_axes;
  return options;
}

nb::tuple key_path(const std::vector<const tree::Node*>& path) {
  nb::list keys;
  for (const tree::Node* node : path) keys.append(key_object(node->key));
  return nb::tuple(keys);
}

/// What the user's creator says for each leaf.
std::vector<std::optional<ArraySaveOptions>> leaf_options(const tree::FlatObjects& flat, const nb::object& creator,
                                                          const ArraySaveOptions& defaults) {
  std::vector<std::optional<ArraySaveOptions>> result;
  if (creator.is_none()) return result;
  result.resize(flat.leaf_positions.size());
  tree::LeafPaths paths(flat.structure);
  while (paths.next()) {
    if (paths.node().kind != NodeKind::kLeaf) continue;
    const std::uint32_t index = paths.node().leaf_index;
    const nb::object own = creator(key_path(paths.path()), object_of(flat.leaf(index)));
    if (!own.is_none()) result[index] = with_storage_options(defaults, nb::cast<StorageOptions>(own));
  }
  return result;
}

nb::dict statistics_object(const SaveStatistics& statistics) {
  nb::dict result;
  result["write_path"] = statistics.write_path;
  result["written_bytes"] = statistics.written_bytes;
  result["copied_bytes"] = statistics.copied_bytes;
  result["file_count"] = statistics.file_count;
  result["shared_bytes"] = statistics.shared_bytes;
  return result;
}

nb::dict save_items(const nb::bytes& path, const nb::dict& items, bool overwrite, const std::string& custom_metadata,
                    bool use_ocdbt, bool use_zarr3, bool compress, const StorageOptions& storage_options,
                    const nb::object& leaf_storage_options, bool direct_io) {
  SaveOptions options;
  options.overwrite = overwrite;
  options.custom_metadata = json::parse(custom_metadata);
  options.direct_io = direct_io;
  options.arrays.use_ocdbt = use_ocdbt;
  options.arrays.use_zarr3 = use_zarr3;
  options.arrays.compress = compress;
  options.arrays = with_storage_options(options.arrays, storage_options);
  std::vector<NamedTree> trees;
  for (const auto& [name, root] : items) {
    const GcPause pause;
    PythonReader reader;
    const tree::FlatObjects flat = tree::flatten(reader, root.ptr());
    trees.push_back({nb::cast<std::string>(name),
                     {flat.structure, tree::read_leaves(reader, flat)},
                     leaf_options(flat, leaf_storage_options, options.arrays)});
  }
  const SaveStatistics statistics = without_gil([&] { return save_checkpointables(std::string(text_of(path)), trees, options); });
  return statistics_object(statistics);
}

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

/// The tree with `make_array(shape, dtype, chunk_shape)` for each array.
nb::object describe(const Checkpoint& checkpoint, const std::string& name, const nb::callable& make_array) {
  const std::unique_ptr<TreeItem> item = without_gil([&] { return checkpoint.tree(name); });
  std::vector<nb::object> leaves;
  for (const StoredLeaf& leaf : item->leaves()) {
    if (const auto* array = std::get_if<StoredArray>(&leaf)) {
      leaves.push_back(make_array(shape_object(array->shape), numpy_dtype(array->dtype), shape_object(array->chunk_shape)));
    } else {
      leaves.push_back(leaf_object(std::get<Scalar>(leaf)));
    }
  }
  return unflatten_python(item->structure(), leaves);
}

nb::tuple load_item(const Checkpoint& checkpoint, std::string name, nb::object target, std::optional<std::vector<nb::bytes>> only,
                    nb::object placeholder, nb::object leaf_types, bool partial_load, bool keep_missing, bool pad_and_truncate,
                    bool verify, bool mapped, bool as_numpy, std::optional<std::uint64_t> bytes_max) {
  using Match = tree::MatchOptions;
  LoadArguments arguments{.name = std::move(name),
                          .target = std::move(target),
                          .only = {},
                          .placeholder = std::move(placeholder),
                          .leaf_types = std::move(leaf_types),
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
  m.def("save", &save_items, nb::arg("path"), nb::arg("items"), nb::kw_only(), nb::arg("overwrite"), nb::arg("custom_metadata"),
        nb::arg("use_ocdbt"), nb::arg("use_zarr3"), nb::arg("compress"), nb::arg("storage_options"),
        nb::arg("leaf_storage_options").none(), nb::arg("direct_io"));
  m.def("is_supported_leaf", &is_supported_leaf, nb::arg("value").none());
  nb::class_<Checkpoint>(m, "Checkpoint")
      .def(nb::new_(&open_checkpoint), nb::arg("path"), nb::kw_only(), nb::arg("follow_links"))
      .def_prop_ro("item_names", &Checkpoint::item_names)
      .def_prop_ro("custom_metadata", [](const Checkpoint& self) { return json::dump(self.custom_metadata()); })
      .def_prop_ro("init_timestamp_nsecs", &Checkpoint::init_timestamp_ns)
      .def_prop_ro("commit_timestamp_nsecs", &Checkpoint::commit_timestamp_ns)
      .def("describe", &describe, nb::arg("name"), nb::arg("make_array"))
      .def("load", &load_item, nb::arg("name"), nb::arg("template").none(), nb::kw_only(), nb::arg("only").none(),
           nb::arg("placeholder"), nb::arg("leaf_types"), nb::arg("partial_load"), nb::arg("keep_missing"),
           nb::arg("pad_and_truncate"), nb::arg("verify"), nb::arg("mapped"), nb::arg("as_numpy"), nb::arg("bytes_max").none());
  bind_verify(m);
}

}  // namespace perdure::python
