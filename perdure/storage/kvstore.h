#pragma once
// Keys to values: the read side of every store (file directory, memory, OCDBT). To add one: a pair in
// kvstore/, a row in kvstore_table.cc, a maker for the shared suite in kvstore_test.cc.
//
// Writers are specific to their format (ocdbt/writer.h); the store of a checkpoint is written once and then only read.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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

inline constexpr std::string_view kOcdbtStore = "ocdbt", kFileStore = "file";  // the formats of checkpoints

/// A format that stores have.
struct KvStoreRow {
  std::string_view format;
  std::string_view marker;  // the file that tells this format from a mere directory of files; "" for none
  std::unique_ptr<KvStore> (*open)(const std::string& path, const KvStoreOptions& options);
};
std::span<const KvStoreRow> kvstore_table();

/// Throws kInvalid for a format that has no row, naming those that have one; kNotFound if there is no such store at `path`.
std::unique_ptr<KvStore> open_kvstore(const std::string& path, std::string_view format, const KvStoreOptions& options = {});

/// The format whose marker is in a directory; kFileStore if there is none. `has_file` says whether a file of that name is there, by the
/// rules of the caller.
std::string_view find_store_format(const std::function<bool(std::string_view file)>& has_file);

/// The store in a directory, whatever its format.
std::unique_ptr<KvStore> open_any_kvstore(const std::string& path, const KvStoreOptions& options = {});

}  // namespace perdure::storage
