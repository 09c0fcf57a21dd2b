#include "python/src/load_tree.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/base/origin.h"
#include "perdure/checkpoint/document/leaf_handler_table.h"
#include "perdure/checkpoint/read/restore.h"
#include "perdure/tree/names.h"
#include "perdure/tree/select.h"
#include "python/src/adapters.h"
#include "python/src/convert.h"
#include "python/src/errors.h"
#include "python/src/gc_pause.h"
#include "python/src/python_array.h"
#include "python/src/python_enum.h"
#include "python/src/python_host.h"
#include "python/src/python_leaf.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using checkpoint::LeafTemplate;
using checkpoint::RestoredLeaf;
using checkpoint::TreeRestore;

LeafTemplate array_template(std::optional<DType> dtype, const nb::object& shape) {
  LeafTemplate result;
  result.kind = LeafTemplate::Kind::kArray;
  result.dtype = dtype;
  std::vector<std::uint64_t> dims;
  for (nb::handle dim : shape) dims.push_back(nb::cast<std::uint64_t>(dim));
  result.shape = Shape(std::move(dims));
  return result;
}

DType dtype_of(const nb::object& numpy_dtype) {
  const std::optional<DType> found = find_dtype_of(numpy_dtype);
  return found ? *found : dtype_from_name(nb::cast<std::string>(numpy_dtype.attr("name")));
}

LeafTemplate scalar_template(ScalarKind kind) {
  LeafTemplate result;
  result.kind = LeafTemplate::Kind::kScalar;
  result.scalar_kind = kind;
  return result;
}

/// `int` stands for any int, and so on.
std::optional<ScalarKind> scalar_class(nb::handle object) {
  const std::pair<void*, ScalarKind> classes[] = {{&PyBool_Type, ScalarKind::kBool},    {&PyLong_Type, ScalarKind::kInt},
                                                  {&PyFloat_Type, ScalarKind::kFloat},  {&PyComplex_Type, ScalarKind::kComplex},
                                                  {&PyUnicode_Type, ScalarKind::kText}, {&PyBytes_Type, ScalarKind::kBytes}};
  for (const auto& [type, kind] : classes) {
    if (object.ptr() == type) return kind;
  }
  return std::nullopt;
}

LeafTemplate other_template(nb::handle object, Adapters& adapters) {
  if (const auto kind = scalar_class(object)) return scalar_template(*kind);
  const nb::object asked = adapters.abstract(object), dtype = asked[0];
  return array_template(dtype.is_none() ? std::nullopt : std::optional(dtype_from_name(nb::cast<std::string>(dtype))), asked[1]);
}

LeafTemplate leaf_template(nb::handle object, ObjectClass object_class, Adapters& adapters) {
  switch (object_class) {
    case ObjectClass::kNone: return scalar_template(ScalarKind::kNone);
    case ObjectClass::kBool: return scalar_template(ScalarKind::kBool);
    case ObjectClass::kInt: return scalar_template(ScalarKind::kInt);
    case ObjectClass::kFloat: return scalar_template(ScalarKind::kFloat);
    case ObjectClass::kComplex: return scalar_template(ScalarKind::kComplex);
    case ObjectClass::kStr: return scalar_template(ScalarKind::kText);
    case ObjectClass::kBytes: return scalar_template(ScalarKind::kBytes);
    case ObjectClass::kNumpyArray:
    case ObjectClass::kNumpyScalar: return array_template(dtype_of(object.attr("dtype")), object.attr("shape"));
    default: return other_template(object, adapters);
  }
}

/// Makes leaf objects of what was read.
class LeafMaker {
 public:
  LeafMaker(const TreeItem& item, bool as_numpy, Adapters& adapters)
      : item_(item), as_numpy_(as_numpy), has_ties_(std::ranges::any_of(item.leaves(), is_tied)), adapters_(adapters) {}

  nb::object without_template(std::uint32_t leaf_index, const RestoredLeaf& leaf) {
    const auto* array = std::get_if<LoadedArray>(&leaf);
    if (array == nullptr) return leaf_object(std::get<Scalar>(leaf));
    const StoredArray& stored = std::get<StoredArray>(item_.leaves()[leaf_index]);
    if (!has_ties_) return as_saved(stored, numpy_object(*array));
    const std::uint32_t source = checkpoint::source_leaf(item_, leaf_index);
    nb::object& made = tied_[{source, stored.origin}];
    if (made.is_valid()) return made;
    made = numpy_object(*array);
    if (source != leaf_index && !shares_memory(source, stored)) made = made.attr("copy")();
    return made = as_saved(stored, std::move(made));
  }

  nb::object with_template(std::uint32_t leaf_index, const RestoredLeaf& leaf, nb::handle target,
                           ObjectClass target_class) const {
    const auto* array = std::get_if<LoadedArray>(&leaf);
    if (array == nullptr) return scalar_like(target, std::get<Scalar>(leaf));
    nb::object made = numpy_object(*array);
    if (target_class == ObjectClass::kNumpyScalar) return made[nb::tuple()];
    if (target_class == ObjectClass::kNumpyArray) return made;
    const auto* stored = std::get_if<StoredArray>(&item_.leaves()[leaf_index]);
    return adapters_.restore_like(target, stored ? stored->origin : std::string(), made);
  }

 private:
  static bool is_tied(const StoredLeaf& leaf) {
    const auto* array = std::get_if<StoredArray>(&leaf);
    return array != nullptr && array->tied_to.has_value();
  }

  nb::object as_saved(const StoredArray& stored, nb::object made) const {
    if (stored.origin == origins::kNumpyScalar) return made[nb::tuple()];
    if (as_numpy_ || stored.origin.empty() || stored.origin == origins::kNumpy) return made;
    return adapters_.restore(stored.origin, made);
  }

  /// A parameter and its data are two tensors on one memory. Elsewhere not: nobody else may write to an array of JAX.
  bool shares_memory(std::uint32_t source, const StoredArray& tied) const {
    return tied.origin.starts_with("torch") && std::get<StoredArray>(item_.leaves()[source]).origin.starts_with("torch");
  }

  static nb::object scalar_like(nb::handle target, const Scalar& scalar) {
    nb::object value = leaf_object(scalar);
    if (!enum_value_class(target.type())) return value;
    nb::object member = find_enum_member(target.type(), value);
    if (!member.is_none()) return member;
    throw Error(ErrorKind::kMismatch, "the checkpoint has " + std::string(nb::repr(value).c_str()) +
                                          ", which is no member of the template's '" + class_name_of(target) + "'");
  }

  static nb::object numpy_object(const LoadedArray& array) {
    const ByteView bytes = array.view.bytes();
    return numpy_array(array.view.dtype, array.view.shape, {const_cast<std::byte*>(bytes.data()), bytes.size()}, array.owner,
                       array.writable);
  }

  const TreeItem& item_;
  bool as_numpy_;
  bool has_ties_;
  Adapters& adapters_;
  std::map<std::pair<std::uint32_t, std::string>, nb::object> tied_;  // by the leaf that others are tied to, and kind
};

/// The leaves that handlers of the user make.
class HandledLeaves {
 public:
  HandledLeaves(const TreeItem& item, const LoadArguments& arguments) : item_(item), arguments_(arguments) {}

  /// Whether a stored leaf is one; if so it will go to `leaves[slot]`. `target`: None without a template.
  bool take(std::size_t slot, std::uint32_t stored_leaf, nb::handle target) {
    const std::optional<std::string> typestr = find_typestr(stored_leaf);
    if (!typestr) return false;
    if (names_.empty()) names_ = tree::leaf_names(item_.structure());
    asked_.append(nb::make_tuple(key_object(std::string_view(names_[stored_leaf])), *typestr, target));
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
    const auto* scalar = std::get_if<Scalar>(&leaf);
    if (scalar != nullptr && std::holds_alternative<Handled>(*scalar)) return std::get<Handled>(*scalar).typestr;
    if (nb::len(arguments_.handled_typestrs) == 0) return std::nullopt;
    checkpoint::DocumentLeaf document = checkpoint::StoredArrayRef{};
    if (scalar != nullptr) {
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
    leaves[i] =
        with_note([&] { return "leaf " + names[i]; }, [&] { return maker.without_template(part.leaves[i], restored[k]); });
  }
  handled.make(leaves);
  return unflatten_python(part.structure, leaves);
}

/// Python objects as templates.
class PythonTemplate final : public checkpoint::TemplateReader {
 public:
  PythonTemplate(nb::handle placeholder, nb::handle leaf_types, nb::handle type_handlers)
      : placeholder_(placeholder),
        leaf_types_(leaf_types),
        reader_({.opens_serialized = false, .leaf_types = leaf_types, .type_handlers = type_handlers}),
        native_({.opens_serialized = false, .leaf_types = leaf_types}) {}

  PythonReader& objects() override { return reader_; }
  Adapters& adapters() { return reader_.adapters(); }
  /// What the engine makes of an object, also where a handler of the user takes its class.
  ObjectClass native_class(nb::handle object) { return native_.object_class(object); }
  bool takes_all_below(ObjectRef leaf) override { return reader_.object_class(object_of(leaf)) == ObjectClass::kSerialized; }
  std::optional<LeafTemplate> asked_for(ObjectRef leaf) override {
    if (object_of(leaf).is(placeholder_)) return std::nullopt;
    const nb::handle object = object_of(leaf);
    if (reader_.object_class(object) == ObjectClass::kHandled || is_described(object)) return LeafTemplate{};
    return leaf_template(object, reader_.object_class(object), reader_.adapters());
  }

 private:
  /// By a handler of the user, for a leaf that is no array.
  bool is_described(nb::handle object) const { return nb::isinstance(object, leaf_types_) && !nb::hasattr(object, "dtype"); }

  nb::handle placeholder_;
  nb::handle leaf_types_;
  PythonReader reader_;
  PythonReader native_;
};

/// A leaf that the engine stored cannot become one of a class that only a handler of the user knows.
void check_is_native(PythonTemplate& reader, nb::handle target, bool is_array, const std::string& key) {
  try {
    leaf_template(target, reader.native_class(target), reader.adapters());
  } catch (const Error&) {
    throw Error(ErrorKind::kMismatch, "'" + key + "' is " + (is_array ? "an array" : "a plain value") +
                                          " in the checkpoint, a '" + class_name_of(target) + "' in the template");
  }
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
      check_is_native(reader, like, std::holds_alternative<LoadedArray>(leaf), load.key(filled.leaf));
    }
    return maker.with_template(filled.stored_leaf, leaf, like, reader.native_class(like));
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
  for (const std::string& key : load.lossy_keys()) lossy.append(key);
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
