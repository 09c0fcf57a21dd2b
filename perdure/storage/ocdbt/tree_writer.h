#pragma once
// Builds the nodes of a B+tree bottom up: leaves, then levels of interior nodes until one node is left.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perdure/storage/ocdbt/version_tree.h"
#include "perdure/storage/ocdbt/writer.h"

namespace perdure::storage::ocdbt {

/// Data files by path, in order, as tables of nodes want them. Borrows the paths.
class FileIndex {
 public:
  explicit FileIndex(const std::vector<std::string>& paths);
  /// The table of the files for which `used` holds; sets `rows[file]` to where each stands in it.
  DataFileTable table(const std::vector<bool>& used, std::vector<std::uint64_t>& rows) const;
  std::size_t size() const { return paths_.size(); }
  /// Bytes that a table of all files takes, at most.
  std::uint64_t table_bytes_max() const;

 private:
  const std::vector<std::string>& paths_;
  std::vector<std::size_t> order_;  // indices of the paths, sorted by path
};

struct TreeOptions {
  std::uint32_t nodes_file = 0;    // where the nodes will stand
  std::uint64_t nodes_offset = 0;  // bytes
  std::uint64_t max_decoded_node_bytes = 0;
  bool compress = true;
};

struct WrittenTree {
  std::string nodes;  // encoded, one after another
  std::uint8_t height = 0;
  std::uint64_t offset = 0;  // of the root, in the file
  std::uint64_t length = 0;
  Statistics statistics;
};

/// `entries`: at least one, keys ascending.
WrittenTree write_tree(std::span<const Entry* const> entries, const FileIndex& files, const TreeOptions& options);

}  // namespace perdure::storage::ocdbt
