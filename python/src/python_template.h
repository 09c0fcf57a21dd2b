#pragma once
// Python objects as templates of a load. All of it needs the GIL.
#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "perdure/checkpoint/read/load_template.h"
#include "python/src/python_host.h"

namespace perdure::python {

/// Containers as in python_host.h; a serialized object takes all that was saved below its key. A leaf asks for its like, a plain type
/// (`int`) for any value of it.
class PythonTemplate final : public checkpoint::TemplateReader {
 public:
  /// `placeholder`: the object that leaves its leaf alone. The others as in ReaderPolicy.
  PythonTemplate(nanobind::handle placeholder, nanobind::handle leaf_types, nanobind::handle type_handlers);

  PythonReader& objects() override { return reader_; }
  Adapters& adapters() { return reader_.adapters(); }
  /// What the engine makes of an object, also where a handler of the user takes its class.
  ObjectClass native_class(nanobind::handle object) { return native_.object_class(object); }
  /// What `metadata` gives for a leaf: it asks for shape and dtype, of whatever kind was saved.
  bool is_metadata(nanobind::handle object) const { return nanobind::isinstance(object, leaf_types_); }
  /// A leaf that the engine stored cannot become one of a class that only a handler of the user knows: throws kMismatch naming `key`.
  void check_is_native(nanobind::handle target, bool is_array, const std::string& key);
  bool takes_all_below(ObjectRef leaf) override;
  std::optional<checkpoint::LeafTemplate> asked_for(ObjectRef leaf) override;

 private:
  bool is_described(nanobind::handle object) const;

  nanobind::handle placeholder_;
  nanobind::handle leaf_types_;
  PythonReader reader_;
  PythonReader native_;
};

}  // namespace perdure::python
