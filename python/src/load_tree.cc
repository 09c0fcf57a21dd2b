#include "python/src/load_tree.h"

#include <nanobind/stl/string.h>

#include <utility>

#include "perdure/base/leaf_note.h"
#include "perdure/checkpoint/document/leaf_kind_table.h"
#include "perdure/checkpoint/read/restore.h"
#include "perdure/tree/names.h"
#include "perdure/tree/select.h"
#include "python/src/convert.h"
#include "python/src/errors.h"
#include "python/src/gc_pause.h"
#include "python/src/leaf_maker.h"
#include "python/src/python_host.h"
#include "python/src/python_template.h"
#include "python/src/python_text.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using checkpoint::LeafTemplate;
using checkpoint::RestoredLeaf;
using checkpoint::TreeRestore;

/// The leaves that handlers of the user make.
class HandledLeaves {
 public:
  HandledLeaves(const TreeItem& item, const LoadArguments& arguments) : item_(item), arguments_(arguments) {}

  /// Whether a stored leaf is one; if so it will go to `leaves[slot]`. `target`: None without a template.
  bool take(std::size_t slot, std::uint32_t stored_leaf, nb::handle target) {
    const std::optional<std::string> typestr = find_typestr(stored_leaf);
    if (!typestr) return false;
    if (names_.empty()) names_ = tree::leaf_names(item_.structure());
    asked_.append(nb::make_tuple(text_object(names_[stored_leaf]), *typestr, target));
    slots_.push_back(slot);
    return true;
  }

  void make(std::vector<nb::object>& leaves) const {
    if (slots_.empty()) return;
    const nb::list made = with_our_errors([&] { return nb::list(arguments_.load_handled(asked_)); });
    for (std::size_t i = 0; i < slots_.size(); ++i) leaves[slots_[i]] = made[i];
  }

 private:
  std::optional<std::string> find_typestr(std::uint32_t stored_leaf) const {
    const StoredLeaf& leaf = item_.leaves()[stored_leaf];
    if (const Handled* const handled = find_handled(leaf)) return handled->typestr;
    if (nb::len(arguments_.handled_typestrs) == 0) return std::nullopt;
    checkpoint::DocumentLeaf document = checkpoint::StoredArrayRef{};
    if (const auto* scalar = std::get_if<Scalar>(&leaf)) {
      document = *scalar;
    } else {
      std::get<checkpoint::StoredArrayRef>(document).origin = std::get<StoredArray>(leaf).origin;
    }
    std::string typestr(checkpoint::stored_form(document).value_type);
    const bool is_handled = nb::cast<bool>(arguments_.handled_typestrs.attr("__contains__")(typestr));
    return is_handled ? std::optional(std::move(typestr)) : std::nullopt;
  }

  const TreeItem& item_;
  const LoadArguments& arguments_;
  std::vector<std::string> names_;  // of all leaves
  nb::list asked_;
  std::vector<std::size_t> slots_;
};

nb::object load_as_saved(const TreeItem& item, const tree::Selection& part, const LoadArguments& arguments) {
  const std::vector<std::string> names = tree::leaf_names(part.structure);
  TreeRestore restore(item, {});
  HandledLeaves handled(item, arguments);
  std::vector<std::size_t> native;
  for (std::size_t i = 0; i < part.leaves.size(); ++i) {
    if (handled.take(i, part.leaves[i], nb::none())) continue;
    restore.want(part.leaves[i], LeafTemplate{}, names[i]);
    native.push_back(i);
  }
  const std::vector<RestoredLeaf> restored = without_gil([&] { return restore.run(arguments.read); });
  const GcPause pause;
  Adapters adapters;
  LeafMaker maker(item, arguments.as_numpy, adapters);
  std::vector<nb::object> leaves(part.leaves.size());
  for (std::size_t k = 0; k < native.size(); ++k) {
    const std::size_t i = native[k];
    leaves[i] = with_leaf_note(names[i], [&] { return maker.without_template(part.leaves[i], restored[k]); });
  }
  handled.make(leaves);
  return unflatten_python(part.structure, leaves);
}

nb::object load_into(const TreeItem& item, const tree::Selection& part, const LoadArguments& arguments, nb::list& lossy) {
  PythonTemplate reader(arguments.placeholder, arguments.leaf_types, arguments.type_handlers);
  checkpoint::TemplateLoad load(item, part, reader, arguments.target.ptr(), arguments.options);
  const tree::FlatObjects& target = load.target();
  const std::vector<RestoredLeaf> restored = without_gil([&] { return load.read(arguments.read); });

  const GcPause pause;
  std::vector<nb::object> leaves;
  for (std::size_t i = 0; i < target.leaf_positions.size(); ++i) leaves.push_back(nb::borrow(object_of(target.leaf(i))));
  LeafMaker maker(item, arguments.as_numpy, reader.adapters());
  const auto make = [&](const checkpoint::FilledLeaf& filled, const RestoredLeaf& leaf) {
    const ObjectRef object = target.leaf(filled.leaf);
    if (object == nullptr) return maker.without_template(filled.stored_leaf, leaf);
    const nb::handle like = object_of(object);
    if (reader.objects().object_class(like) == ObjectClass::kHandled) {
      reader.check_is_native(like, std::holds_alternative<LoadedArray>(leaf), load.key(filled.leaf));
    }
    const ObjectClass native = reader.native_class(like);
    const auto* const array = std::get_if<LoadedArray>(&leaf);
    if (array != nullptr && native == ObjectClass::kOther && reader.is_metadata(like)) {
      return maker.of_saved_kind(filled.stored_leaf, *array);
    }
    return maker.with_template(filled.stored_leaf, leaf, like, native);
  };
  HandledLeaves handled(item, arguments);
  for (std::size_t k = 0; k < restored.size(); ++k) {
    const checkpoint::FilledLeaf& filled = load.filled()[k];
    const ObjectRef object = target.leaf(filled.leaf);
    if (handled.take(filled.leaf, filled.stored_leaf, object == nullptr ? nb::none() : nb::borrow(object_of(object)))) continue;
    leaves[filled.leaf] =
        filled.same_as ? leaves[load.filled()[*filled.same_as].leaf]
                       : tree::at_key_path([&] { return load.key(filled.leaf); }, [&] { return make(filled, restored[k]); });
  }
  handled.make(leaves);
  for (const std::string& key : load.lossy_keys()) lossy.append(text_object(key));
  return rebuild_python(reader.objects(), target, leaves);
}

}  // namespace

nb::tuple load_tree(const Checkpoint& checkpoint, const LoadArguments& arguments) {
  const std::unique_ptr<TreeItem> item = without_gil([&] { return checkpoint.tree(arguments.name); });
  const tree::Selection part =
      arguments.only ? tree::select(item->structure(), *arguments.only) : tree::select_all(item->structure());
  nb::list lossy;
  nb::object tree = arguments.target.is_none() ? load_as_saved(*item, part, arguments) : load_into(*item, part, arguments, lossy);
  return nb::make_tuple(tree, lossy);
}

}  // namespace perdure::python
