#pragma once
// Reading a checkpoint that somebody may overwrite at any moment: all of the old one or all of the new.
#include <string>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/seen_directory.h"
#include "perdure/checkpoint/load.h"

namespace perdure::checkpoint {

/// What `read(checkpoint)` gives; read again where another save has overwritten the checkpoint meanwhile.
template <class Read>
auto load_steadily(const std::string& path, const OpenOptions& options, Read&& read) {
  for (int attempt = 1;; ++attempt) {
    const Checkpoint checkpoint = Checkpoint::open(path, options);
    try {
      return read(checkpoint);
    } catch (const Error&) {
      if (attempt == kReadAttemptsMax || !checkpoint.was_replaced()) throw;
    }
  }
}

}  // namespace perdure::checkpoint
