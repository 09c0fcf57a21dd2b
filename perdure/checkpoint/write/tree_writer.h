#pragma once
// Writes one item as planned: arrays into one OCDBT data file (or a directory each), and the files beside them.
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "perdure/base/clock.h"
#include "perdure/base/executor.h"
#include "perdure/base/file_system.h"
#include "perdure/base/progress.h"
#include "perdure/checkpoint/files/file_list.h"
#include "perdure/checkpoint/plan/save_plan.h"
#include "perdure/checkpoint/write/transfer.h"

namespace perdure::checkpoint {

/// What the parts of a save have in common.
struct WriteContext {
  FileSystem& file_system;
  Clock& clock;
  Random& random;
  Executor& executor;
  ProgressSink* progress = nullptr;
  bool direct_io = true;
  std::stop_token stop = {};
  std::uint64_t total_bytes = 0;  // of all items, for progress
  std::uint64_t done_bytes = 0;
  SaveStatistics statistics;
};

/// Collects what was written, for the file list of a directory.
class DirectoryWriter {
 public:
  DirectoryWriter(WriteContext& context, std::string directory) : context_(context), directory_(std::move(directory)) {}

  const std::string& path() const { return directory_; }
  std::string path_of(std::string_view name) const { return join_path(directory_, name); }
  /// Writes a new file.
  void put(std::string_view name, std::string_view content);
  /// Notes a file that somebody else wrote.
  void note(ListedFile file) { files_.push_back(std::move(file)); }
  /// Notes what somebody else wrote and nobody has noted, after reading it.
  void note_others();
  /// Writes _PERDURE.
  ListedFile finish();

 private:
  WriteContext& context_;
  std::string directory_;
  std::vector<ListedFile> files_;
};

/// Fills the empty directory `directory`. Gives its file list, as a file of the directory above. The plan is used up.
ListedFile write_tree(SavePlan& plan, const std::string& directory, WriteContext& context, Transfers* transfers = nullptr);

}  // namespace perdure::checkpoint
