#pragma once
// What Python says of transfers, as the engine takes it: who is told, what comes first, the limits.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perdure/checkpoint/transfer_options.h"

namespace perdure::python {

/// Who is told of a leaf: an object with the methods of SerializationStatusCallback, or None. Those of the four events that it lacks are not
/// called. What it raises passes through the engine.
struct LeafStatus {
  nanobind::object callback;
  nanobind::object key_path;
};

struct TransferArguments {
  std::vector<LeafStatus> told{};                // by leaf index; empty: nobody
  std::vector<TransferPriority> priorities{};    // as in TransferOptions
  std::optional<std::uint64_t> bytes_max{};      // none: no limit
  std::shared_ptr<ByteLimiter> write_limiter{};  // may be null
};
/// The sink in the result may be told, and dropped, by any thread without the GIL.
TransferOptions transfer_options(TransferArguments arguments);

/// The value of a TransferPriority: its number. Throws kInvalid naming `key` for UNKNOWN and what is none.
TransferPriority read_priority(nanobind::handle priority, const std::string& key);

}  // namespace perdure::python
