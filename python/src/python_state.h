#pragma once
// Python objects as the flat dict of perdure.tree sees them. Needs the GIL.
#include <nanobind/nanobind.h>

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "perdure/tree/state_host.h"
#include "python/src/python_host.h"

namespace perdure::python {

class PythonState final : public tree::StateHost {
 public:
  enum class For { kSaving, kRestoring };

  /// `copies`: restored values share no memory with the flat dict that they come from.
  explicit PythonState(For purpose, bool copies = true);

  /// What was put, in order.
  nanobind::dict take_flat() { return std::move(flat_); }
  /// The items of any mapping, to be restored from. Throws kInputType for a key that is no str.
  std::vector<tree::FlatEntry> entries_of(nanobind::handle mapping);

  NodeKind kind(ObjectRef object) override { return reader_.kind(object); }
  void append_children(ObjectRef object, NodeKind kind, std::vector<Child>& out) override {
    reader_.append_children(object, kind, out);
  }
  TypeName type_name(ObjectRef object) override { return reader_.type_name(object); }
  Leaf leaf(ObjectRef object) override { return reader_.leaf(object); }
  void add_note(const std::exception_ptr& thrown, const std::string& note) override { reader_.add_note(thrown, note); }

  tree::LeafRole role(ObjectRef leaf) override;
  std::string type_text(ObjectRef object) override;
  ObjectRef save_leaf(ObjectRef leaf, tree::LeafRole role) override;
  void save_serialized(ObjectRef leaf, std::vector<tree::FlatEntry>& out) override;
  bool put(std::string_view key, ObjectRef value) override;
  ObjectRef restore_leaf(ObjectRef target, tree::LeafRole role, ObjectRef value) override;
  ObjectRef restore_serialized(ObjectRef target, std::span<const tree::FlatEntry> slice) override;
  ObjectRef rebuild(ObjectRef target, NodeKind kind, std::span<const Child> children) override;

 private:
  ObjectRef own_copy(ObjectRef value);
  std::string_view key_text(nanobind::handle key);
  void append_entries(nanobind::handle mapping, std::vector<tree::FlatEntry>& out);
  nanobind::handle constructor_parameters(nanobind::handle type);

  PythonReader reader_;
  const bool copies_;
  nanobind::dict flat_;
  std::deque<std::string> texts_;                               // of keys that are not UTF-8
  std::unordered_map<PyObject*, nanobind::object> parameters_;  // of the constructors of dataclasses
};

}  // namespace perdure::python
