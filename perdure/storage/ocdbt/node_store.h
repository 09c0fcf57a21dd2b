#pragma once
// Nodes of a database by where they lie: read, decoded, kept.
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "perdure/storage/kvstore/file_set.h"
#include "perdure/storage/ocdbt/btree_node.h"
#include "perdure/storage/ocdbt/envelope.h"

namespace perdure::storage::ocdbt {

/// A reference to a node, resolved.
struct NodeLocation {
  std::string file;        // path for the FileSet
  std::string transitive;  // what the paths in the node are relative to: "" or "ocdbt.process_0/"
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint8_t height = 0;
};

/// Resolves a row of a table that stands in a node with this transitive path. Throws kCorrupt for a path that leaves the
/// database.
NodeLocation locate(const FileSet& files, const DataFileTable& table, const std::string& transitive, const DataRange& range,
                    std::uint8_t height);

/// Reads the bytes of a node. Errors name the file and the offset.
template <class Decode>
auto read_node(FileSet& files, const NodeLocation& at, Decode decode) {
  return with_note([&] { return "at byte " + std::to_string(at.offset) + " of " + at.file; },
                   [&] {
                     check_envelope_size(at.length);
                     return decode(files.read(at.file, at.offset, at.length));
                   });
}

struct LoadedNode {
  BtreeNode node;
  std::string transitive;
  std::vector<std::string> paths;  // of the data files, for the FileSet; empty where the table names no file

  /// Throws kCorrupt for a row that names no file.
  const std::string& path(std::uint64_t file) const;
};

/// Any thread may call any member.
class NodeStore {
 public:
  explicit NodeStore(FileSet& files) : files_(files) {}

  /// Throws kCorrupt; also if the height is not the one that was promised. Two threads that ask for one node decode it once.
  std::shared_ptr<const LoadedNode> load(const NodeLocation& at);

 private:
  struct Slot {
    explicit Slot(const NodeLocation& node_at) : at(node_at) {}
    const NodeLocation at;
    std::mutex mutex;
    std::shared_ptr<const LoadedNode> node;  // guarded by mutex
  };
  /// Of all of a location but its height, which is what the referrer says of the node. Each lookup of a key comes here: no strings
  /// are made.
  struct PlaceHash {
    std::size_t operator()(const NodeLocation* at) const { return static_cast<std::size_t>(at->offset * 0x9e3779b97f4a7c15u); }
  };
  struct SamePlace {
    bool operator()(const NodeLocation* a, const NodeLocation* b) const {
      return a->offset == b->offset && a->length == b->length && a->file == b->file && a->transitive == b->transitive;
    }
  };
  std::shared_ptr<Slot> slot(const NodeLocation& at);

  FileSet& files_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Slot>> slots_;  // guarded by mutex_: latest use first
  // guarded by mutex_: the keys lie in the slots
  std::unordered_map<const NodeLocation*, std::list<std::shared_ptr<Slot>>::iterator, PlaceHash, SamePlace> by_place_;
};

}  // namespace perdure::storage::ocdbt
