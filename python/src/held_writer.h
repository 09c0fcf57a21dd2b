#pragma once
// An item of a save as Python holds it.
#include <nanobind/nanobind.h>

#include <memory>

#include "perdure/base/error.h"
#include "perdure/checkpoint/item_writer.h"

namespace perdure::python {

/// An ItemWriter, until a job takes it.
struct HeldWriter {
  std::unique_ptr<ItemWriter> writer;
  /// Leaves that type handlers write, beside what the writer does: (storage name, key path, object, typestr).
  nanobind::list handled;
  bool use_ocdbt = true;

  /// Throws kInvalid for a writer that was taken already.
  ItemWriter& get() {
    if (!writer) throw Error(ErrorKind::kInvalid, "a writer can be used once");
    return *writer;
  }

  std::unique_ptr<ItemWriter> take() {
    get();
    return std::move(writer);
  }

  /// take(), where nobody would call the type handlers. Throws kInvalid naming a leaf that has one.
  std::unique_ptr<ItemWriter> take_alone() {
    if (nanobind::len(handled) > 0) {
      throw Error(ErrorKind::kInvalid, "leaf '" + nanobind::cast<std::string>(handled[0][0]) +
                                           "' has a type handler of its own, which works in trees that are checkpointables by "
                                           "themselves only");
    }
    return take();
  }
};

}  // namespace perdure::python
