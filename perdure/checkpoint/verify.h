#pragma once
// Checks every byte, reference and private file of a checkpoint, and says everything that is wrong with it.
#include <cstdint>
#include <string>
#include <vector>

#include "perdure/checkpoint/load.h"

namespace perdure {

/// One thing that is wrong. Fields that do not apply are empty (offset 0).
struct Fault {
  std::string leaf = {};   // key path
  std::string chunk = {};  // "c/0/1"
  std::string file = {};   // relative to the checkpoint
  std::uint64_t offset = 0;
  std::string what = {};  // "crc32c: stored 0x..., computed 0x..."

  bool operator==(const Fault&) const = default;
};

struct VerifyReport {
  std::vector<Fault> faults;
  std::uint64_t bytes_checked = 0;
  bool ok() const { return faults.empty(); }
};

/// Never stops at the first fault. Throws kNotFound only when there is no checkpoint at all, kCheckpoint only when other saves
/// have overwritten it again and again.
VerifyReport verify(const std::string& path, const OpenOptions& options = {});

}  // namespace perdure
