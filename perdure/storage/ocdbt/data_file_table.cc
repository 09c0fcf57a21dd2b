#include "perdure/storage/ocdbt/data_file_table.h"

#include <algorithm>

namespace perdure::storage::ocdbt {

void DataFileTable::add(std::string_view base_path, std::string_view relative_path) {
  paths.push_back(std::string(base_path).append(relative_path));
  base_path_lengths.push_back(base_path.size());
}

void limit_shared(ByteWriter&, const DataFileTable& table, std::span<SharedLengths> rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (table.base_path(i) == table.base_path(i - 1)) continue;
    const std::uint64_t limit = std::min(table.base_path_lengths[i], table.base_path_lengths[i - 1]);
    rows[i].suffix += rows[i].shared - std::min(rows[i].shared, limit);
    rows[i].shared = std::min(rows[i].shared, limit);
  }
}

void check(const DataFileTable& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.base_path_lengths[i] > table.paths[i].size()) {
      throw Error(ErrorKind::kCorrupt, "base path of " + std::to_string(table.base_path_lengths[i]) + " bytes in a path of " +
                                           std::to_string(table.paths[i].size()));
    }
  }
}

void check_file_id(const DataFileTable& table, std::uint64_t file) {
  if (file < table.size()) return;
  throw Error(ErrorKind::kCorrupt, "data file " + std::to_string(file) + " of a table of " + std::to_string(table.size()));
}

}  // namespace perdure::storage::ocdbt
