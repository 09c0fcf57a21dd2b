#pragma once
// The new files of one directory of a checkpoint: whatever a save writes passes through here, small files and data files.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/checkpoint/files/file_list.h"
#include "perdure/checkpoint/write/write_context.h"
#include "perdure/storage/data_file_writer.h"

namespace perdure::checkpoint {

/// Names are relative to the directory, which exists; directories in them are made. Collects what was written, for a file list: that
/// of the directory, or of the one above. For one thread.
class DirectoryWriter {
 public:
  DirectoryWriter(WriteContext& context, std::string directory) : context_(context), directory_(std::move(directory)) {}

  const std::string& path() const { return directory_; }
  WriteContext& context() { return context_; }

  /// Writes a new file.
  void put(std::string_view name, std::string_view content);
  /// A new file with data of arrays, for finish_data_file.
  std::unique_ptr<storage::DataFileWriter> create_data_file(std::string_view name, std::uint64_t size_likely_bytes = 0);
  /// Makes it durable, notes it and counts it.
  ListedFile finish_data_file(std::string_view name, storage::DataFileWriter& file);
  /// Notes a file that somebody else wrote.
  void note(ListedFile file) { files_.push_back(std::move(file)); }
  /// Notes what somebody else wrote and nobody has noted, after reading it. Throws kInvalid for what is no plain file.
  void note_others();

  /// Writes _PERDURE, the list of all files: it then stands for them.
  void write_list();
  /// Name, size and CRC of every file. If the directory has a list of its own: only of that.
  std::vector<ListedFile> list();

 private:
  void write(std::string_view name, std::string_view content);
  std::string make_path(std::string_view name);

  WriteContext& context_;
  std::string directory_;
  std::vector<ListedFile> files_;
  bool has_list_ = false;
};

}  // namespace perdure::checkpoint
