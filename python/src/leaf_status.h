#pragma once
// A Python status callback as the engine tells it.
#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "perdure/checkpoint/write/transfer.h"

namespace perdure::python {

/// Who is told of a leaf: an object with the methods of SerializationStatusCallback, or None. Those of the four events that it lacks are not
/// called.
struct LeafStatus {
  nanobind::object callback;
  nanobind::object key_path;
};

/// `leaves`: by leaf index. The sink may be told, and dropped, by any thread without the GIL. What a callback raises passes through the
/// engine.
std::shared_ptr<LeafStatusSink> make_status_sink(std::vector<LeafStatus> leaves);

/// The value of a TransferPriority: its number. Throws kInvalid naming `key` for UNKNOWN and what is none.
TransferPriority read_priority(nanobind::handle priority, const std::string& key);

}  // namespace perdure::python
