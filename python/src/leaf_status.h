#pragma once
// A Python status callback as the engine tells it.
#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "perdure/checkpoint/write/transfer.h"

namespace perdure::python {

/// `callback` has the methods of SerializationStatusCallback; those of the four events that it lacks are not called. `key_paths`: by leaf
/// index. The sink may be told, and dropped, by any thread without the GIL. What the callback raises passes through the engine.
std::shared_ptr<LeafStatusSink> make_status_sink(nanobind::object callback, std::vector<nanobind::object> key_paths);

/// The value of a TransferPriority: its number. Throws kInvalid naming `key` for UNKNOWN and what is none.
TransferPriority read_priority(nanobind::handle priority, const std::string& key);

}  // namespace perdure::python
