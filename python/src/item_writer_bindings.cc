// Writers of items: trees, files, parts.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "perdure/base/byte_limiter.h"
#include "perdure/checkpoint/write/save_job.h"
#include "perdure/checkpoint/write/tree_item_writer.h"
#include "python/src/bindings.h"
#include "python/src/convert.h"
#include "python/src/gc_pause.h"
#include "python/src/held_writer.h"
#include "python/src/plain_type.h"
#include "python/src/python_enum.h"
#include "python/src/python_host.h"
#include "python/src/python_text.h"
#include "python/src/storage_options.h"
#include "python/src/transfer_arguments.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

nb::tuple key_path(const std::vector<const tree::Node*>& path) {
  nb::list keys;
  for (const tree::Node* node : path) keys.append(key_object(node->key));
  return nb::tuple(keys);
}

/// `visit(leaf index, nodes from the root)`.
template <class Visit>
void for_each_leaf(const tree::FlatObjects& flat, Visit&& visit) {
  tree::LeafPaths paths(flat.structure);
  while (paths.next()) {
    if (paths.node().kind == NodeKind::kLeaf) visit(paths.node().leaf_index, paths.path());
  }
}

/// What the user's creator says for each leaf.
std::vector<std::optional<ArraySaveOptions>> leaf_options(const tree::FlatObjects& flat, const nb::object& creator,
                                                          const ArraySaveOptions& defaults) {
  std::vector<std::optional<ArraySaveOptions>> result;
  if (creator.is_none()) return result;
  result.resize(flat.leaf_positions.size());
  for_each_leaf(flat, [&](std::uint32_t index, const auto& path) {
    const nb::object own = creator(key_path(path), object_of(flat.leaf(index)));
    if (!own.is_none()) result[index] = with_storage_options(defaults, nb::cast<StorageOptions>(own));
  });
  return result;
}

/// Tells `arguments` of each array what its status callback, or else the function for priorities, says. `status_of`: the callback for a class
/// of leaves, or None.
void ask_for_each_array(const tree::FlatTree& tree, const tree::FlatObjects& flat, const nb::object& status_of,
                        const nb::object& key_priority, TransferArguments& arguments) {
  if (status_of.is_none() && key_priority.is_none()) return;
  arguments.told.resize(tree.leaves.size());
  arguments.priorities.resize(tree.leaves.size());
  for_each_leaf(flat, [&](std::uint32_t index, const auto& path) {
    if (!std::holds_alternative<ArrayLeaf>(tree.leaves[index])) return;
    LeafStatus& leaf = arguments.told[index];
    leaf = {status_of.is_none() ? nb::none() : status_of(object_of(flat.leaf(index)).type()), key_path(path)};
    const nb::object priority = leaf.callback.is_none() ? key_priority : nb::object(leaf.callback.attr("key_priority"));
    if (!priority.is_none()) arguments.priorities[index] = read_priority(priority(leaf.key_path), tree::dotted(path));
  });
}

nb::list handled_leaves(const tree::FlatTree& tree, const tree::FlatObjects& flat) {
  nb::list handled;
  if (std::ranges::none_of(tree.leaves, find_handled<ArrayLeaf>)) return handled;
  for_each_leaf(flat, [&](std::uint32_t index, const auto& path) {
    const Handled* leaf = find_handled(tree.leaves[index]);
    if (leaf == nullptr) return;
    const nb::object name = text_object(tree::dotted(path));
    handled.append(nb::make_tuple(name, key_path(path), object_of(flat.leaf(index)), leaf->typestr));
  });
  return handled;
}

HeldWriter tree_writer(const nb::object& root, bool use_ocdbt, bool use_zarr3, bool compress,
                       const StorageOptions& storage_options, const nb::object& leaf_storage_options, bool copies,
                       const nb::object& type_handlers, const nb::object& status_of, const nb::object& key_priority,
                       std::optional<std::uint64_t> transfer_bytes_max, std::optional<std::uint64_t> write_bytes_max) {
  ArraySaveOptions options;
  options.use_ocdbt = use_ocdbt;
  options.use_zarr3 = use_zarr3;
  if (compress) options.compression.emplace();
  options = with_storage_options(options, storage_options);
  TransferArguments transfer{.bytes_max = transfer_bytes_max};
  if (write_bytes_max) transfer.write_limiter = std::make_shared<ByteLimiter>(*write_bytes_max);
  const GcPause pause;
  PythonReader reader({.type_handlers = type_handlers});
  const tree::FlatObjects flat = tree::flatten(reader, root.ptr());
  NamedTree item{{}, {flat.structure, tree::read_leaves(reader, flat)}, leaf_options(flat, leaf_storage_options, options), {}};
  name_enum_classes(reader, flat, item.tree.structure);
  ask_for_each_array(item.tree, flat, status_of, key_priority, transfer);
  item.transfer = transfer_options(std::move(transfer));
  item.transfer.copies = copies;
  nb::list handled = handled_leaves(item.tree, flat);
  return {without_gil([&] { return std::make_unique<checkpoint::TreeItemWriter>(std::move(item), options, nullptr); }),
          std::move(handled), use_ocdbt};
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
    checkpoint::WriteContext context = checkpoint::make_context({}, direct_io);
    ItemDirectory directory(std::string(text_of(path)), context);
    writer->write(directory);
    writer.reset();
  });
}

void stage_alone(HeldWriter& held) {
  ItemWriter* const writers[] = {&held.get()};
  without_gil([&] { checkpoint::stage_writers(writers, {}); });
}

}  // namespace

void bind_item_writers(nb::module_& m) {
  nb::class_<HeldWriter>(m, "ItemWriter")
      .def_prop_ro("handled", [](const HeldWriter& held) { return held.handled; })
      .def_ro("use_ocdbt", &HeldWriter::use_ocdbt)
      .def("stage", &stage_alone)
      .def("write_to", &write_to, nb::arg("path"), nb::arg("direct_io"));
  m.def("tree_writer", &tree_writer, nb::arg("root").none(), nb::kw_only(), nb::arg("use_ocdbt"), nb::arg("use_zarr3"),
        nb::arg("compress"), nb::arg("storage_options"), nb::arg("leaf_storage_options").none(), nb::arg("copies"),
        nb::arg("type_handlers").none(), nb::arg("status_of").none(), nb::arg("key_priority").none(),
        nb::arg("transfer_bytes_max").none(), nb::arg("write_bytes_max").none());
  m.def("files_writer", &files_writer, nb::arg("files"));
  m.def("parts_writer", &parts_writer, nb::arg("parts"));
}

}  // namespace perdure::python
