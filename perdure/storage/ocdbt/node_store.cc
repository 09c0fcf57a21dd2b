#include "perdure/storage/ocdbt/node_store.h"

#include "perdure/base/error.h"

namespace perdure::storage::ocdbt {
namespace {

// A leaf of 100 MB is read whole to find one key, and a tree of 100 MB leaves has few nodes; small nodes are cheap to read again.
constexpr std::size_t kNodesKept = 64;

/// Tables may have an empty path, for roots that are not there, and end in a slash where no file is meant; such a row must not be
/// used. Every other row must stay below the root.
std::string resolve(const FileSet& files, std::string_view relative) {
  if (relative.empty() || relative.ends_with('/')) return {};
  return files.path(relative);
}

std::shared_ptr<const LoadedNode> decode(FileSet& files, const NodeLocation& at, const Blob& envelope) {
  auto loaded = std::make_shared<LoadedNode>();
  loaded->node = decode_btree_node(envelope);
  loaded->transitive = at.transitive;
  const DataFileTable& table = loaded->node.files;
  for (std::size_t i = 0; i < table.size(); ++i) {
    loaded->paths.push_back(resolve(files, at.transitive + std::string(table.paths[i])));
  }
  return loaded;
}

}  // namespace

const std::string& LoadedNode::path(std::uint64_t file) const {
  if (paths[file].empty()) throw Error(ErrorKind::kCorrupt, "data file " + std::to_string(file) + " has no name");
  return paths[file];
}

NodeLocation locate(const FileSet& files, const DataFileTable& table, const std::string& transitive, const DataRange& range,
                    std::uint8_t height) {
  return {files.path(transitive + std::string(table.paths[range.file])), transitive + std::string(table.base_path(range.file)),
          range.offset, range.length, height};
}

std::shared_ptr<NodeStore::Slot> NodeStore::slot(const NodeLocation& at) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_place_.find(&at); found != by_place_.end()) {
    slots_.splice(slots_.begin(), slots_, found->second);
    return *found->second;
  }
  slots_.push_front(std::make_shared<Slot>(at));
  by_place_.emplace(&slots_.front()->at, slots_.begin());
  if (slots_.size() > kNodesKept) {
    by_place_.erase(&slots_.back()->at);
    slots_.pop_back();
  }
  return slots_.front();
}

std::shared_ptr<const LoadedNode> NodeStore::load(const NodeLocation& at) {
  const std::shared_ptr<Slot> kept = slot(at);
  const std::lock_guard lock(kept->mutex);
  if (!kept->node) kept->node = read_node(files_, at, [&](const Blob& envelope) { return decode(files_, at, envelope); });
  if (kept->node->node.height != at.height) {
    throw Error(ErrorKind::kCorrupt, "B+tree node of height " + std::to_string(kept->node->node.height) + ", expected " +
                                         std::to_string(at.height) + ", at byte " + std::to_string(at.offset) + " of " + at.file);
  }
  return kept->node;
}

}  // namespace perdure::storage::ocdbt
