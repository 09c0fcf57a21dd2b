#pragma once
// Leaves that handlers have written into the database of an item whose manifest does not name them yet.
//
// Handlers write in several calls, each into data files of its own; then one of them finalizes the directory: one B+tree and one
// manifest for all. While a save holds the directory it is the save that does so: what handlers wrote in between becomes part of the
// item's one commit.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "perdure/base/environment.h"
#include "perdure/checkpoint/files/file_list.h"
#include "perdure/storage/ocdbt/writer.h"

namespace perdure::checkpoint {

struct WrittenLeaves {
  std::vector<ListedFile> data_files;                                // relative to the item, "d/..."
  std::map<std::string, std::vector<storage::ocdbt::Entry>> arrays;  // by storage name; `file` indexes data_files
  std::vector<std::pair<std::string, std::string>> strings;          // name, text

  /// Adds `other`; what both have is taken from it.
  void merge(WrittenLeaves other);
};

/// Keeps what was written below `directory`. Any thread.
void add_written_leaves(const std::string& directory, WrittenLeaves leaves);

/// Completes the database: what it holds already stays, unless it was written anew. Nothing to do if nothing was written since, or if a
/// save holds the directory. Any thread, one at a time for a directory.
void finalize_leaves(const std::string& directory, const Environment& environment = {});

/// A directory while a save writes it. What was not taken is forgotten when it goes.
class HeldDirectory {
 public:
  explicit HeldDirectory(std::string directory);
  ~HeldDirectory();
  HeldDirectory(const HeldDirectory&) = delete;
  HeldDirectory& operator=(const HeldDirectory&) = delete;

 private:
  std::string directory_;
};
bool is_held(const std::string& directory);
/// What was written below `directory` so far.
WrittenLeaves take_written_leaves(const std::string& directory);

}  // namespace perdure::checkpoint
