#pragma once
// The files that a manifest, a version node or a B+tree node refers to. Rows refer to a file by its index here.
//
// A file lies at (transitive path of the node) + base path + relative path below the root of the database; a node in it gets
// (transitive path) + base path as its own transitive path. So a node copied by reference keeps its table.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "perdure/base/byte_io.h"
#include "perdure/storage/ocdbt/columns.h"
#include "perdure/storage/ocdbt/text_column.h"

namespace perdure::storage::ocdbt {

struct DataFileTable {
  TextColumn paths;                              // base path and relative path, put together
  std::vector<std::uint64_t> base_path_lengths;  // one for each path

  std::size_t size() const { return paths.size(); }
  std::string_view base_path(std::size_t index) const { return paths[index].substr(0, base_path_lengths[index]); }
  void add(std::string_view base_path, std::string_view relative_path);
  bool operator==(const DataFileTable&) const = default;
};

/// Of neighbours with different base paths, foreign readers want the shared part to lie in both base paths.
inline void limit_shared(ByteReader&, const DataFileTable&, std::span<SharedLengths>) {}
void limit_shared(ByteWriter&, const DataFileTable& table, std::span<SharedLengths> rows);

template <class Io, class Table>
void data_file_table(Io& io, Table& table) {
  auto rows = text_count(io, table.paths, 1 + 1);
  limit_shared(io, table, rows);
  text_length_columns(io, rows);
  match_rows(io, table.base_path_lengths, rows.size());
  for (auto& length : table.base_path_lengths) io.varint(length);
  text_column(io, rows, table.paths);
}

/// Throws kCorrupt for a base path longer than its path.
void check(const DataFileTable& table);
/// Throws kCorrupt if `file` is not a row of the table.
void check_file_id(const DataFileTable& table, std::uint64_t file);

}  // namespace perdure::storage::ocdbt
