#pragma once
// The one exception that leaves the library: a kind (what the caller can do), a message
// (expected and found) and notes (where it happened, innermost first).
//
// Absence is not an error: functions named find_x return std::optional. Python shows each kind
// as a class of its own (python/src/errors.cc) and the notes as __notes__.
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure {

enum class ErrorKind {
  kInputType,      // a value of a type that cannot be saved or restored
  kInvalid,        // an argument that makes no sense
  kCheckpoint,     // a checkpoint that cannot be used in this way
  kMismatch,       // shape, structure, missing or unused leaves: template and checkpoint differ
  kCorrupt,        // bytes that are not what was written
  kNotFound,       // nothing is there
  kNoHandler,      // no handler for a checkpointable or a leaf
  kAlreadyExists,  // the destination exists or is being saved to
  kRecipe,         // a recipe that cannot be read or made
  kRecipeType,     // a recipe whose target or arguments do not fit
  kIo,             // the operating system refused; errno_value() says why
  kCancelled,      // asked to stop
};

/// "corrupt", "io", ...: for logs and tests.
std::string_view error_kind_name(ErrorKind kind);

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message, int errno_value = 0);

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const std::vector<std::string>& notes() const { return notes_; }
  int errno_value() const { return errno_value_; }  // 0 unless kIo
  void add_note(std::string note);

  /// Message and notes, one a line.
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  ErrorKind kind_;
  int errno_value_;
  std::string message_;
  std::vector<std::string> notes_;
  std::string what_;
};

/// A kIo error for a failed system call: "cannot open 'path': No such file or directory".
Error io_error(std::string_view what, std::string_view path, int errno_value);

/// Runs `body`; an Error that leaves it gets the note that `make_note()` returns. Free when nothing fails.
template <class MakeNote, class Body>
decltype(auto) with_note(MakeNote&& make_note, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (Error& error) {
    error.add_note(make_note());
    throw;
  }
}

}  // namespace perdure
