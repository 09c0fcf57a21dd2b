#include "perdure/checkpoint/load.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/directory_items.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/seen_directory.h"
#include "perdure/checkpoint/orbax/checkpoint_metadata.h"
#include "perdure/checkpoint/orbax/handler_names.h"
#include "perdure/checkpoint/read/handled_leaves.h"
#include "perdure/checkpoint/read/stored_tree.h"
#include "perdure/tree/select.h"

namespace perdure {

using checkpoint::CheckpointMetadata;
using checkpoint::DirectoryItems;
using checkpoint::ListedDirectory;
using checkpoint::SeenDirectory;

struct Checkpoint::Impl {
  SeenDirectory seen;
  Environment environment;
  DirectoryItems items;
  ListedDirectory directory;
  CheckpointMetadata metadata;

  Impl(SeenDirectory root, const OpenOptions& options);
};

namespace {

CheckpointMetadata read_metadata(const ListedDirectory& directory) {
  const std::optional<std::string> text = directory.find(checkpoint::kCheckpointMetadataFile);
  if (!text) return {};
  return with_note([&] { return "file " + join_path(directory.path(), checkpoint::kCheckpointMetadataFile); },
                   [&] { return checkpoint::parse_checkpoint_metadata(*text); });
}

/// Where perdure listed one item it listed the checkpoint too, and there the item's list.
void check_lists_belong_together(const ListedDirectory& root, const ListedDirectory& item) {
  if (root.has_list()) {
    root.find(join_path(file_name(item.path()), checkpoint::kFileListFile));  // checked on the way
  } else if (item.has_list()) {
    throw Error(ErrorKind::kCorrupt, "missing file '" + join_path(root.path(), checkpoint::kFileListFile) + "'");
  }
}

tree::FlatTree to_flat_tree(const TreeItem& item, const tree::Selection& selection, const ReadOptions& options,
                            checkpoint::HandledLeaves& handled) {
  tree::FlatTree tree{selection.structure, std::vector<Leaf>(selection.leaves.size())};
  std::vector<ArrayRequest> requests;
  std::vector<std::size_t> leaf_of_request, leaves_of_handlers;
  for (std::size_t i = 0; i < selection.leaves.size(); ++i) {
    const std::uint32_t stored = selection.leaves[i];
    if (handled.has(stored)) {
      leaves_of_handlers.push_back(i);
    } else if (const auto* scalar = std::get_if<Scalar>(&item.leaves()[stored])) {
      tree.leaves[i] = *scalar;
    } else {
      requests.push_back({.leaf_index = stored});
      leaf_of_request.push_back(i);
    }
  }
  std::vector<LoadedArray> arrays = item.read(requests, options);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto& stored = std::get<StoredArray>(item.leaves()[requests[i].leaf_index]);
    handled.spend(arrays[i]);
    ArrayLeaf leaf{.dtype = stored.dtype,
                   .shape = stored.shape,
                   .pieces = {},
                   .owner = std::move(arrays[i].owner),
                   .immutable = false,
                   .origin = stored.origin};
    leaf.pieces.push_back({Box::whole(stored.shape), std::move(arrays[i].view)});
    tree.leaves[leaf_of_request[i]] = std::move(leaf);
  }
  for (const std::size_t i : leaves_of_handlers) tree.leaves[i] = handled.make(selection.leaves[i]);
  handled.check_not_replaced();
  return tree;
}

}  // namespace

Checkpoint::Impl::Impl(SeenDirectory root, const OpenOptions& options)
    : seen(std::move(root)),
      environment(options.environment),
      items(checkpoint::find_items(file_system_of(environment), seen.path())),
      directory(file_system_of(environment), seen.path(), options.follow_links),
      metadata(read_metadata(directory)) {
  if (directory.has_list()) directory.contains(checkpoint::kIndicatorFile);
}

Checkpoint Checkpoint::open(const std::string& given_path, const OpenOptions& options) {
  FileSystem& fs = file_system_of(options.environment);
  const std::string path = fs.absolute(given_path);
  return checkpoint::read_steadily(
      [&] { return SeenDirectory(fs, path); },
      [&](const SeenDirectory& seen) { return Checkpoint(seen.reading([&] { return std::make_unique<Impl>(seen, options); })); });
}

Checkpoint::Checkpoint(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint::~Checkpoint() = default;

const std::string& Checkpoint::path() const { return impl_->seen.path(); }
bool Checkpoint::was_replaced() const { return impl_->seen.was_replaced(); }
void Checkpoint::check_not_replaced() const { impl_->seen.check_not_replaced(); }
const std::vector<std::string>& Checkpoint::item_names() const { return impl_->items.names; }
const json::Value& Checkpoint::custom_metadata() const { return impl_->metadata.custom_metadata; }
std::optional<std::uint64_t> Checkpoint::init_timestamp_ns() const { return impl_->metadata.init_timestamp_ns; }
std::optional<std::uint64_t> Checkpoint::commit_timestamp_ns() const { return impl_->metadata.commit_timestamp_ns; }

std::string Checkpoint::tree_path(std::string_view name) const {
  const ListedDirectory& directory = impl_->directory;
  const std::string item = checkpoint::choose_tree(directory.file_system(), path(), impl_->items, name);
  if (impl_->items.is_item) return path();
  return checkpoint::item_path(directory.file_system(), path(), impl_->items, item, directory.follow_links());
}

std::unique_ptr<TreeItem> Checkpoint::tree(std::string_view name) const {
  const ListedDirectory& directory = impl_->directory;
  return impl_->seen.reading([&]() -> std::unique_ptr<TreeItem> {
    const std::string path = tree_path(name);
    if (impl_->items.is_item) return checkpoint::StoredTree::open(directory, impl_->environment);
    const ListedDirectory item_directory(directory.file_system(), path, directory.follow_links());
    check_lists_belong_together(directory, item_directory);
    return checkpoint::StoredTree::open(item_directory, impl_->environment);
  });
}

std::string Checkpoint::item_path(const std::string& item) const {
  checkpoint::check_exists(path(), impl_->items, item);
  return checkpoint::item_path(impl_->directory.file_system(), path(), impl_->items, item, impl_->directory.follow_links());
}

std::string Checkpoint::typestr(const std::string& item) const {
  const std::string path = item_path(item);
  const auto& handlers = impl_->metadata.item_handlers;
  const auto recorded = std::ranges::find(handlers, item, [](const auto& row) { return row.first; });
  if (recorded != handlers.end() && !recorded->second.empty()) return recorded->second;
  return checkpoint::holds_tree(impl_->directory.file_system(), path) ? checkpoint::handler_names("TreeHandler").typestr : "";
}

std::optional<std::string> Checkpoint::find_file(const std::string& item, const std::string& file) const {
  return impl_->seen.reading([&] {
    item_path(item);
    return impl_->directory.find(join_path(item, file));
  });
}

void Checkpoint::check_files(const std::string& item) const {
  item_path(item);
  if (!impl_->directory.has_list()) return;
  const std::string prefix = item + '/';
  impl_->seen.reading([&] {
    std::uint64_t bytes = 0;
    for (const checkpoint::ListedFile& file : impl_->directory.list()) {
      if (!file.name.starts_with(prefix)) continue;
      bytes += with_note([&] { return "file " + join_path(path(), file.name); }, [&] { return impl_->directory.check(file); });
    }
    return bytes;
  });
}

std::optional<std::string> Checkpoint::metrics() const {
  if (impl_->items.is_item) return std::nullopt;
  return impl_->seen.reading(
      [&] { return impl_->directory.find(join_path(checkpoint::kMetricsItem, checkpoint::kMetricsItem)); });
}

tree::FlatTree load_tree(const std::string& path, const LoadOptions& options) {
  const auto open = [&] { return Checkpoint::open(path, options.open); };
  return checkpoint::read_steadily(open, [&](const Checkpoint& checkpoint) {
    const std::unique_ptr<TreeItem> item = checkpoint.tree(options.checkpointable_name);
    const tree::Selection selection =
        options.only.empty() ? tree::select_all(item->structure()) : tree::select(item->structure(), options.only);
    checkpoint::HandledLeaves handled(checkpoint, *item, options);
    return to_flat_tree(*item, selection, options.read, handled);
  });
}

Value load(const std::string& path, const LoadOptions& options) { return tree::unflatten(load_tree(path, options)); }

Metadata metadata(const std::string& path, std::string_view checkpointable_name, const OpenOptions& options) {
  const auto open = [&] { return Checkpoint::open(path, options); };
  return checkpoint::read_steadily(open, [&](const Checkpoint& checkpoint) {
    const std::unique_ptr<TreeItem> item = checkpoint.tree(checkpointable_name);
    return Metadata{item->structure(), item->leaves(), checkpoint.custom_metadata(), checkpoint.init_timestamp_ns(),
                    checkpoint.commit_timestamp_ns()};
  });
}

Value abstract_tree(const Metadata& metadata) {
  tree::FlatTree tree{metadata.structure, {}};
  for (const StoredLeaf& stored : metadata.leaves) {
    const auto* const array = std::get_if<StoredArray>(&stored);
    tree.leaves.push_back(array == nullptr ? Leaf(std::get<Scalar>(stored))
                                           : Value::abstract(array->shape, array->dtype).as_leaf());
  }
  return tree::unflatten(tree);
}

}  // namespace perdure
