#pragma once
// Keys to values: the read side of every store (file directory, memory, OCDBT). To add one: a pair in
// kvstore/, a row in kvstore_table.cc, an instance of the shared suite in kvstore_test.cc.
//
// Writers are specific to their format (ocdbt/writer.h); the store of a checkpoint is written once and then only read.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/bytes.h"
#include "perdure/base/file_system.h"

namespace perdure::storage {

/// Where the bytes of a value lie.
struct ValueLocation {
  std::string file;          // path of the file, as the FileSystem takes it; empty: `inline_value` holds them
  std::uint64_t offset = 0;  // bytes from the start of the file
  std::uint64_t size_bytes = 0;
  Blob inline_value;
};

/// Immutable view of a store; any thread may call any member.
class KvStore {
 public:
  virtual ~KvStore() = default;

  /// Keys with this prefix, sorted bytewise.
  virtual std::vector<std::string> list(std::string_view prefix = {}) const = 0;
  /// Where a value is; nullopt if the key is absent. Does not read it. Throws kCorrupt if the range is not in its file.
  virtual std::optional<ValueLocation> find_location(std::string_view key) const = 0;
  /// Fills `target` from `offset` bytes into the value on. Throws kCorrupt when the value ends before.
  virtual void read_range(const ValueLocation& location, std::uint64_t offset, ByteSpan target) const = 0;

  /// The whole value; nullopt if the key is absent.
  std::optional<Blob> find(std::string_view key) const;
  /// The whole value at a location.
  Blob read(const ValueLocation& location) const;
  /// find, or kNotFound naming the key.
  Blob read(std::string_view key) const;
};

struct KvStoreOptions {
  FileSystem* file_system = nullptr;             // nullptr: posix_file_system()
  std::optional<std::uint64_t> generation = {};  // OCDBT only: nullopt is the latest
  bool follow_links = false;                     // links inside the store: refused by default
};

/// `format`: "ocdbt", "file" or "memory", the rows of kvstore_table.cc (kInvalid otherwise). Throws kNotFound if there is no such store at `path`.
std::unique_ptr<KvStore> open_kvstore(const std::string& path, std::string_view format, const KvStoreOptions& options = {});

/// The format of the store in a directory: "ocdbt" if it holds the manifest of a database, else "file". `has_file` says whether a file
/// of that name is in the directory, by the rules of the caller.
std::string_view find_store_format(const std::function<bool(std::string_view file)>& has_file);

}  // namespace perdure::storage
