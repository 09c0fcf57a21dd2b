// Saving over the engine: writers of items, the steps of a save, saves in the background. Conversions only.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "perdure/base/background.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/save_async.h"
#include "perdure/checkpoint/write/save_job.h"
#include "perdure/checkpoint/write/stage.h"
#include "perdure/checkpoint/write/tree_item_writer.h"
#include "perdure/checkpoint/write/unasked_failures.h"
#include "python/src/array_leaf.h"
#include "python/src/bindings.h"
#include "python/src/convert.h"
#include "python/src/foreign_writer.h"
#include "python/src/gc_pause.h"
#include "python/src/leaf_status.h"
#include "python/src/python_enum.h"
#include "python/src/python_host.h"
#include "python/src/python_leaf.h"
#include "python/src/storage_options.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using checkpoint::SaveJob;

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

/// An ItemWriter that Python holds until a job takes it.
struct HeldWriter {
  std::unique_ptr<ItemWriter> writer;
  /// Leaves that handlers of the user write, beside what the writer does: (storage name, key path, object, typestr).
  nb::list handled;
  bool use_ocdbt = true;

  /// Where nobody would call the handlers.
  std::unique_ptr<ItemWriter> take_alone() {
    if (nb::len(handled) > 0) {
      throw Error(ErrorKind::kInvalid, "leaf '" + nb::cast<std::string>(handled[0][0]) +
                                           "' has a leaf handler of its own, which works "
                                           "in trees that are checkpointables by themselves only");
    }
    return take();
  }

  ItemWriter& get() {
    if (!writer) throw Error(ErrorKind::kInvalid, "a writer can be used once");
    return *writer;
  }

  std::unique_ptr<ItemWriter> take() {
    get();
    return std::move(writer);
  }
};

/// What status callbacks, or the function for priorities, say of each array. `status_of`: the callback of a class of leaves, or None.
TransferOptions transfer_options(const NamedTree& item, const tree::FlatObjects& flat, const nb::object& status_of,
                                 const nb::object& key_priority, std::optional<std::uint64_t> transfer_bytes_max,
                                 std::optional<std::uint64_t> write_bytes_max) {
  TransferOptions options;
  if (transfer_bytes_max) options.bytes_max = *transfer_bytes_max;
  if (write_bytes_max) options.write_limiter = std::make_shared<ByteLimiter>(*write_bytes_max);
  if (status_of.is_none() && key_priority.is_none()) return options;
  options.priorities.resize(item.tree.leaves.size());
  std::vector<LeafStatus> told(item.tree.leaves.size());
  tree::LeafPaths paths(flat.structure);
  while (paths.next()) {
    if (paths.node().kind != NodeKind::kLeaf) continue;
    const std::uint32_t index = paths.node().leaf_index;
    if (!std::holds_alternative<ArrayLeaf>(item.tree.leaves[index])) continue;
    LeafStatus& leaf = told[index];
    leaf = {status_of.is_none() ? nb::none() : status_of(object_of(flat.leaf(index)).type()), key_path(paths.path())};
    const nb::object priority = leaf.callback.is_none() ? key_priority : nb::object(leaf.callback.attr("key_priority"));
    if (!priority.is_none()) options.priorities[index] = read_priority(priority(leaf.key_path), tree::dotted(paths.path()));
  }
  if (!status_of.is_none()) options.status = make_status_sink(std::move(told));
  return options;
}

bool is_handled(const Leaf& leaf) {
  const auto* scalar = std::get_if<Scalar>(&leaf);
  return scalar != nullptr && std::holds_alternative<Handled>(*scalar);
}

nb::list handled_leaves(const NamedTree& item, const tree::FlatObjects& flat) {
  nb::list handled;
  if (std::ranges::none_of(item.tree.leaves, is_handled)) return handled;
  tree::LeafPaths paths(flat.structure);
  while (paths.next()) {
    if (paths.node().kind != NodeKind::kLeaf) continue;
    const std::uint32_t index = paths.node().leaf_index;
    const Leaf& leaf = item.tree.leaves[index];
    if (!is_handled(leaf)) continue;
    const nb::object name = key_object(std::string_view(tree::dotted(paths.path())));
    handled.append(nb::make_tuple(name, key_path(paths.path()), object_of(flat.leaf(index)),
                                  std::get<Handled>(std::get<Scalar>(leaf)).typestr));
  }
  return handled;
}

HeldWriter tree_writer(const nb::object& root, bool use_ocdbt, bool use_zarr3, bool compress,
                       const StorageOptions& storage_options, const nb::object& leaf_storage_options, bool copies,
                       const nb::object& leaf_handlers, const nb::object& status_of, const nb::object& key_priority,
                       std::optional<std::uint64_t> transfer_bytes_max, std::optional<std::uint64_t> write_bytes_max) {
  ArraySaveOptions options;
  options.use_ocdbt = use_ocdbt;
  options.use_zarr3 = use_zarr3;
  if (compress) options.compression.emplace();
  options = with_storage_options(options, storage_options);
  const GcPause pause;
  PythonReader reader({.leaf_handlers = leaf_handlers});
  const tree::FlatObjects flat = tree::flatten(reader, root.ptr());
  NamedTree item{{}, {flat.structure, tree::read_leaves(reader, flat)}, leaf_options(flat, leaf_storage_options, options), {}};
  name_enum_classes(reader, flat, item.tree.structure);
  item.transfer = transfer_options(item, flat, status_of, key_priority, transfer_bytes_max, write_bytes_max);
  if (!copies) {
    for (Leaf& leaf : item.tree.leaves) {
      if (auto* array = std::get_if<ArrayLeaf>(&leaf)) array->immutable = true;  // so its owner has promised
    }
  }
  nb::list handled = handled_leaves(item, flat);
  return {without_gil([&] { return std::make_unique<checkpoint::TreeItemWriter>(std::move(item), options); }), std::move(handled),
          use_ocdbt};
}

HeldWriter files_writer(const nb::dict& files) {
  std::vector<std::pair<std::string, std::string>> contents;
  for (const auto& [name, content] : files) {
    contents.emplace_back(nb::cast<std::string>(name), text_of(nb::cast<nb::bytes>(content)));
  }
  return {make_files_writer(std::move(contents)), {}, true};
}

HeldWriter parts_writer(const nb::dict& parts) {
  std::vector<std::pair<std::string, std::unique_ptr<ItemWriter>>> writers;
  for (const auto& [name, part] : parts) {
    writers.emplace_back(nb::cast<std::string>(name), nb::cast<HeldWriter&>(part).take_alone());
  }
  return {make_parts_writer(std::move(writers)), {}, true};
}

/// Into a directory that exists already, outside any save of ours: for handlers that use a writer of ours for a part.
void write_to(HeldWriter& held, const nb::bytes& path, bool direct_io) {
  std::unique_ptr<ItemWriter> writer = held.take();
  without_gil([&] {
    checkpoint::WriteContext context = checkpoint::make_context({.direct_io = direct_io}, {});
    ItemDirectory directory(std::string(text_of(path)), context);
    writer->write(directory);
    writer.reset();
  });
}

void stage_alone(HeldWriter& held) {
  ItemWriter* const writers[] = {&held.get()};
  without_gil([&] { checkpoint::stage_writers(writers, {}); });
}

std::unique_ptr<SaveJob> make_job(const nb::bytes& path, bool overwrite, const std::string& custom_metadata, bool direct_io,
                                  std::optional<std::uint64_t> stage_bytes_max) {
  SaveOptions options;
  options.overwrite = overwrite;
  options.custom_metadata = json::parse(custom_metadata);
  options.direct_io = direct_io;
  if (stage_bytes_max) options.stage_bytes_max = *stage_bytes_max;
  return std::make_unique<SaveJob>(std::string(text_of(path)), std::move(options));
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

std::vector<ItemWriter*> writers_of(const nb::list& held) {
  std::vector<ItemWriter*> writers;
  for (nb::handle writer : held) writers.push_back(&nb::cast<HeldWriter&>(writer).get());
  return writers;
}

/// A job that Python drives until it is finished, abandoned or started.
struct HeldJob {
  std::unique_ptr<SaveJob> job;

  SaveJob& get() {
    if (!job) throw Error(ErrorKind::kCancelled, "this save has ended");
    return *job;
  }

  bool stage(const nb::list& others) {
    return without_gil([this, writers = writers_of(others)] { return get().stage(writers); });
  }

  void keep(const nb::list& others) {
    without_gil([this, writers = writers_of(others)] { get().keep(writers); });
  }

  nb::dict finish() {
    std::unique_ptr<SaveJob> running = std::move(job);
    return statistics_object(without_gil([&] {
      const SaveStatistics statistics = running->finish();
      running.reset();
      return statistics;
    }));
  }

  void abandon() {
    without_gil([&] { job.reset(); });
  }
};

std::shared_ptr<ForeignPart> add_foreign(HeldJob& held, const std::string& name, std::string typestr) {
  auto part = std::make_shared<ForeignPart>();
  held.get().add(name, std::move(typestr), std::make_unique<ForeignWriter>(part));
  return part;
}

/// With `waits` the save is over when it returns; its outcome is still in the result.
SaveFuture start(HeldJob& held, bool waits) {
  std::unique_ptr<SaveJob> job = std::move(held.job);
  return without_gil([&] {
    SaveFuture future = SaveFuture::start(std::move(job));
    while (waits && !future.wait_for(std::chrono::hours(1))) {
    }
    return future;
  });
}

bool wait_for(const SaveFuture& future, double seconds) {
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
  return without_gil([&] { return future.wait_for(time); });
}

void on_complete(const SaveFuture& future, const nb::object& callback) {
  const std::shared_ptr<const void> held = owner_of(callback);  // may be dropped, and is called, on another thread
  future.on_complete([held] {
    const GilAcquire gil;
    const nb::handle function(static_cast<PyObject*>(const_cast<void*>(held.get())));
    try {
      function(nb::none());
    } catch (nb::python_error& error) {
      error.discard_as_unraisable(function);
    }
  });
}

/// Whether one has failed about which nobody had asked.
bool finish_background_saves() {
  return without_gil([] {
    wait_for_background_tasks();
    return checkpoint::report_unasked_failures();
  });
}

void bind_job(nb::module_& m) {
  nb::class_<ForeignPart>(m, "ForeignPart")
      .def("start", &ForeignPart::start)
      .def(
          "make_directory", [](ForeignPart& self, const nb::bytes& path) { self.make_directory(std::string(text_of(path))); },
          nb::arg("path"))
      .def("finish", &ForeignPart::finish, nb::arg("failure").none());
  nb::class_<HeldJob>(m, "SaveJob")
      .def(
          "__init__",
          [](HeldJob* self, const nb::bytes& path, bool overwrite, const std::string& custom_metadata, bool direct_io,
             std::optional<std::uint64_t> stage_bytes_max) {
            new (self) HeldJob{make_job(path, overwrite, custom_metadata, direct_io, stage_bytes_max)};
          },
          nb::arg("path"), nb::kw_only(), nb::arg("overwrite"), nb::arg("custom_metadata"), nb::arg("direct_io"),
          nb::arg("stage_bytes_max").none())
      .def(
          "add",
          [](HeldJob& self, const std::string& name, std::string typestr, HeldWriter& writer) {
            self.get().add(name, std::move(typestr), writer.take_alone());
          },
          nb::arg("name"), nb::arg("typestr"), nb::arg("writer"))
      .def("add_foreign", &add_foreign, nb::arg("name"), nb::arg("typestr"))
      .def(
          "add_metrics", [](HeldJob& self, std::string text) { self.get().add_metrics(std::move(text)); }, nb::arg("json"))
      .def("begin", [](HeldJob& self) { without_gil([&] { self.get().begin(); }); })
      .def(
          "item_path", [](HeldJob& self, const std::string& name) { return bytes_object(self.get().item_path(name)); },
          nb::arg("name"))
      .def("stage", &HeldJob::stage, nb::arg("others"))
      .def("keep", &HeldJob::keep, nb::arg("others"))
      .def("finish", &HeldJob::finish)
      .def("start", &start, nb::arg("waits"))
      .def("abandon", &HeldJob::abandon);
}

}  // namespace

void bind_save(nb::module_& m) {
  nb::class_<HeldWriter>(m, "ItemWriter")
      .def_prop_ro("handled", [](const HeldWriter& held) { return held.handled; })
      .def_ro("use_ocdbt", &HeldWriter::use_ocdbt)
      .def("stage", &stage_alone)
      .def("write_to", &write_to, nb::arg("path"), nb::arg("direct_io"));
  m.def("tree_writer", &tree_writer, nb::arg("root").none(), nb::kw_only(), nb::arg("use_ocdbt"), nb::arg("use_zarr3"),
        nb::arg("compress"), nb::arg("storage_options"), nb::arg("leaf_storage_options").none(), nb::arg("copies"),
        nb::arg("leaf_handlers").none(), nb::arg("status_of").none(), nb::arg("key_priority").none(),
        nb::arg("transfer_bytes_max").none(), nb::arg("write_bytes_max").none());
  m.def("files_writer", &files_writer, nb::arg("files"));
  m.def("parts_writer", &parts_writer, nb::arg("parts"));
  nb::class_<SaveFuture>(m, "SaveFuture")
      .def("wait_for", &wait_for, nb::arg("seconds"))
      .def("result", [](const SaveFuture& self) { return statistics_object(without_gil([&] { return self.result(); })); })
      .def("cancel", &SaveFuture::cancel)
      .def("on_complete", &on_complete, nb::arg("callback"));
  bind_job(m);
  m.def("finish_background_saves", &finish_background_saves);
}

}  // namespace perdure::python
