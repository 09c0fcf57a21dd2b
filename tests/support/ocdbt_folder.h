#pragma once
// An OCDBT database built piece by piece, right or wrong, in a temporary directory.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "perdure/base/file_system.h"
#include "perdure/base/json.h"
#include "perdure/storage/kvstore.h"
#include "perdure/storage/ocdbt/dump.h"
#include "tests/support/failures.h"
#include "tests/support/temporary_directory.h"

namespace perdure::test {

class OcdbtFolder {
 public:
  const std::string& path() const { return directory_.path(); }
  std::string operator/(std::string_view name) const { return directory_ / name; }

  void put_file(const std::string& name, std::string_view content) {
    make_directories(posix_file_system(), parent_path(directory_ / name));
    if (posix_file_system().find_info(directory_ / name)) posix_file_system().remove_file(directory_ / name);
    write_new_file(posix_file_system(), directory_ / name, as_bytes(content));
  }

  /// Appends to the data file d/x; the range names row 0 of a table.
  storage::ocdbt::DataRange append(std::string_view bytes) {
    const storage::ocdbt::DataRange range{0, data_.size(), bytes.size()};
    data_ += bytes;
    put_file("d/x", data_);
    return range;
  }
  storage::ocdbt::DataRange append_node(const json::Value& node) {
    return append(storage::ocdbt::encode_btree_node(storage::ocdbt::btree_node_from_json(node), false));
  }

  void put_manifest(const storage::ocdbt::Manifest& manifest, const std::string& name = "manifest.ocdbt") {
    put_file(name, storage::ocdbt::encode_manifest(manifest, false));
  }
  /// A manifest of one generation with that root, in d/x.
  void put_root(const storage::ocdbt::DataRange& root, std::uint8_t height = 0) {
    storage::ocdbt::Manifest manifest;
    manifest.files.add("", "d/x");
    manifest.generations.push_back({1, height, root, {}, 0});
    put_manifest(manifest);
  }

  std::unique_ptr<storage::KvStore> open(const storage::KvStoreOptions& options = {}) const {
    return storage::open_kvstore(path(), "ocdbt", options);
  }

 private:
  TemporaryDirectory directory_;
  std::string data_;
};

/// A leaf as dump shows it. `entries`: JSON objects; `file`: the one data file, base path and relative path apart.
inline json::Value leaf_json(const std::string& entries, const std::string& base_path = "",
                             const std::string& relative_path = "d/x") {
  return json::parse(R"({"height": 0, "data_files": [{"base_path": ")" + base_path + R"(", "relative_path": ")" + relative_path +
                     R"("}], "entries": [)" + entries + "]}");
}

}  // namespace perdure::test
