#pragma once
// What leaf handlers have written for the leaves of one item: arrays, texts and files by name.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "perdure/checkpoint/files/listed_directory.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/read/leaf_reader.h"

namespace perdure::checkpoint {

/// Opens what it is asked for, once. For one thread.
class StoredParts {
 public:
  /// `directory`: of the item. `read.bytes_max`: of all arrays together.
  StoredParts(std::string directory, const OpenOptions& open, const ReadOptions& read)
      : directory_(std::move(directory)), open_(open), read_(read) {}

  /// Of arrays that others have read already.
  void spend(std::uint64_t bytes);

  // Each throws kNotFound naming what is not there; kCorrupt; kInvalid beyond the limits.
  LoadedArray read_array(const std::string& name, std::optional<DType> dtype);
  std::string read_text(const std::string& name);
  std::string read_file(const std::string& name);

 private:
  const ListedDirectory& listed();
  /// Arrays whose codecs have no checksum are covered by those of their files.
  void check_files_of(const std::string& array);

  std::string directory_;
  OpenOptions open_;
  ReadOptions read_;
  std::optional<ListedDirectory> listed_;
  std::optional<LeafReader> arrays_;
  std::optional<std::unordered_map<std::string, std::string>> texts_;
  bool is_database_checked_ = false;
};

}  // namespace perdure::checkpoint
