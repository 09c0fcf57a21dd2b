#include "perdure/base/error.h"

#include <cstring>

namespace perdure {

std::string_view error_kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInputType: return "input type";
    case ErrorKind::kInvalid: return "invalid";
    case ErrorKind::kCheckpoint: return "checkpoint";
    case ErrorKind::kMismatch: return "mismatch";
    case ErrorKind::kCorrupt: return "corrupt";
    case ErrorKind::kNotFound: return "not found";
    case ErrorKind::kNoHandler: return "no handler";
    case ErrorKind::kAlreadyExists: return "already exists";
    case ErrorKind::kRecipe: return "recipe";
    case ErrorKind::kRecipeType: return "recipe type";
    case ErrorKind::kIo: return "io";
    case ErrorKind::kCancelled: return "cancelled";
  }
  return "unknown";
}

Error::Error(ErrorKind kind, std::string message, int errno_value)
    : kind_(kind), errno_value_(errno_value), message_(std::move(message)), what_(message_) {}

void Error::add_note(std::string note) {
  what_ += "\n" + note;
  notes_.push_back(std::move(note));
}

Error io_error(std::string_view what, std::string_view path, int errno_value) {
  return Error(ErrorKind::kIo, std::string(what) + " '" + std::string(path) + "': " + std::strerror(errno_value), errno_value);
}

}  // namespace perdure
