#pragma once
// Which directory a path led to when somebody began to read below it. An overwrite puts another one there in one step, and a
// deletion none: what is read by its path before and after that is not of one checkpoint, and has to be read again.
#include <exception>
#include <optional>
#include <string>

#include "perdure/base/error.h"
#include "perdure/base/file_system.h"

namespace perdure::checkpoint {

/// Any thread may call any member.
class SeenDirectory {
 public:
  /// What can be read at `path` (readable_path), be it nothing.
  SeenDirectory(FileSystem& fs, std::string path);

  const std::string& path() const { return path_; }
  /// Whether its path leads elsewhere by now, or to nothing.
  bool was_replaced() const;
  /// Throws kCheckpoint if so.
  void check_not_replaced() const;

  /// What `read` gives, if all of it was of this directory. Throws kCheckpoint instead of what went wrong where that is why.
  template <class Read>
  auto reading(Read&& read) const {
    return explaining([&] {
      auto result = read();
      check_not_replaced();
      return result;
    });
  }
  /// The same where `read` cannot mistake one directory for another.
  template <class Read>
  auto explaining(Read&& read) const {
    try {
      return read();
    } catch (const Error&) {
      check_not_replaced();
      throw;
    }
  }

 private:
  FileSystem* fs_;
  std::string path_;
  std::optional<FileInfo> seen_;
};

/// How often something is read that is replaced each time.
inline constexpr int kReadAttemptsMax = 10;

/// What `read(opened)` gives of what `open()` gives, a SeenDirectory or a Checkpoint: both again after a failure if it was
/// replaced meanwhile.
template <class Open, class Read>
auto read_steadily(Open&& open, Read&& read) {
  for (int attempt = 1;; ++attempt) {
    const auto opened = open();
    try {
      return read(opened);
    } catch (const std::exception&) {  // handlers of the program throw what they like
      if (attempt == kReadAttemptsMax || !opened.was_replaced()) throw;
    }
  }
}

}  // namespace perdure::checkpoint
