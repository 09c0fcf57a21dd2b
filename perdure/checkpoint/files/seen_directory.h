#pragma once
// Which directory a path led to when somebody began to read below it. An overwrite puts another one there in one step, and a deletion
// none: what is read by its path before and after that is not of one checkpoint.
#include <optional>
#include <string>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/base/file_system.h"

namespace perdure::checkpoint {

/// Any thread may call any member.
class SeenDirectory {
 public:
  SeenDirectory(FileSystem& fs, std::string path);

  const std::string& path() const { return path_; }
  /// Whether the path still leads to what it led to, be it nothing.
  bool is_there() const;
  /// Throws kCheckpoint unless it is.
  void check() const;

  /// What `read` gives, if all of it was of this directory. Throws kCheckpoint instead of what went wrong where that is why.
  template <class Read>
  auto reading(Read&& read) const {
    return explaining([&] {
      auto result = read();
      check();
      return result;
    });
  }
  /// The same where `read` cannot mistake one directory for another.
  template <class Read>
  auto explaining(Read&& read) const {
    try {
      return read();
    } catch (const Error&) {
      check();
      throw;
    }
  }

 private:
  FileSystem* fs_;
  std::string path_;
  std::optional<FileInfo> seen_;
};

/// How often what was overwritten meanwhile is read again.
inline constexpr int kReadAttemptsMax = 10;

}  // namespace perdure::checkpoint
