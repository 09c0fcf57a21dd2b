#include "python/src/load_tree.h"

#include <nanobind/stl/string.h>

#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/checkpoint/restore.h"
#include "perdure/tree/match.h"
#include "perdure/tree/names.h"
#include "perdure/tree/select.h"
#include "python/src/convert.h"
#include "python/src/errors.h"
#include "python/src/python_host.h"
#include "python/src/python_array.h"
#include "python/src/python_leaf.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using checkpoint::LeafTemplate;
using checkpoint::RestoredLeaf;
using checkpoint::TreeRestore;

/// The Python side of arrays: perdure._src.adapters.
nb::object adapters() { return nb::module_::import_("perdure._src.adapters"); }

LeafTemplate array_template(std::optional<DType> dtype, const nb::object& shape) {
  LeafTemplate result;
  result.kind = LeafTemplate::Kind::kArray;
  result.dtype = dtype;
  std::vector<std::uint64_t> dims;
  for (nb::handle dim : shape) dims.push_back(nb::cast<std::uint64_t>(dim));
  result.shape = Shape(std::move(dims));
  return result;
}

LeafTemplate scalar_template(ScalarKind kind) {
  LeafTemplate result;
  result.kind = LeafTemplate::Kind::kScalar;
  result.scalar_kind = kind;
  return result;
}

/// `int` stands for any int, and so on.
std::optional<ScalarKind> scalar_class(nb::handle object) {
  const std::pair<void*, ScalarKind> classes[] = {
      {&PyBool_Type, ScalarKind::kBool},       {&PyLong_Type, ScalarKind::kInt},     {&PyFloat_Type, ScalarKind::kFloat},
      {&PyComplex_Type, ScalarKind::kComplex}, {&PyUnicode_Type, ScalarKind::kText}, {&PyBytes_Type, ScalarKind::kBytes}};
  for (const auto& [type, kind] : classes) {
    if (object.ptr() == type) return kind;
  }
  return std::nullopt;
}

LeafTemplate other_template(nb::handle object) {
  if (const auto kind = scalar_class(object)) return scalar_template(*kind);
  const nb::object asked = with_our_errors([&] { return nb::object(adapters().attr("abstract")(object)); });
  if (asked.is_none()) {
    throw Error(ErrorKind::kInputType, "a template cannot hold a '" + nb::cast<std::string>(object.type().attr("__name__")) + "'");
  }
  const nb::object dtype = asked[0];
  return array_template(dtype.is_none() ? std::nullopt : std::optional(dtype_from_name(nb::cast<std::string>(dtype))), asked[1]);
}

LeafTemplate leaf_template(nb::handle object, ObjectClass object_class) {
  switch (object_class) {
    case ObjectClass::kNone: return scalar_template(ScalarKind::kNone);
    case ObjectClass::kBool: return scalar_template(ScalarKind::kBool);
    case ObjectClass::kInt: return scalar_template(ScalarKind::kInt);
    case ObjectClass::kFloat: return scalar_template(ScalarKind::kFloat);
    case ObjectClass::kComplex: return scalar_template(ScalarKind::kComplex);
    case ObjectClass::kStr: return scalar_template(ScalarKind::kText);
    case ObjectClass::kBytes: return scalar_template(ScalarKind::kBytes);
    case ObjectClass::kNumpyArray:
    case ObjectClass::kNumpyScalar:
      return array_template(dtype_from_name(nb::cast<std::string>(object.attr("dtype").attr("name"))), object.attr("shape"));
    default: return other_template(object);
  }
}

/// Makes leaf objects of what was read.
class LeafMaker {
 public:
  LeafMaker(const TreeItem& item, bool as_numpy) : item_(item), as_numpy_(as_numpy), restore_(adapters().attr("restore")) {}

  nb::object without_template(std::uint32_t leaf_index, const RestoredLeaf& leaf) {
    const auto* array = std::get_if<LoadedArray>(&leaf);
    if (array == nullptr) return leaf_object(std::get<Scalar>(leaf));
    const StoredArray& stored = std::get<StoredArray>(item_.leaves()[leaf_index]);
    const std::uint32_t source = stored.tied_to.value_or(leaf_index);
    nb::object& made = tied_[{source, stored.origin}];
    if (made.is_valid()) return made;
    made = numpy_object(*array);
    if (source != leaf_index && !shares_memory(source, stored)) made = made.attr("copy")();
    if (stored.origin == "numpy.scalar") return made = made[nb::tuple()];
    if (stored.origin.empty() || stored.origin == "numpy") return made;
    return made = restored(stored.origin, nb::none(), made);
  }

  nb::object with_template(std::uint32_t leaf_index, const RestoredLeaf& leaf, nb::handle target, ObjectClass target_class) const {
    const auto* array = std::get_if<LoadedArray>(&leaf);
    if (array == nullptr) return leaf_object(std::get<Scalar>(leaf));
    nb::object made = numpy_object(*array);
    if (target_class == ObjectClass::kNumpyScalar) return made[nb::tuple()];
    if (target_class == ObjectClass::kNumpyArray) return made;
    const auto* stored = std::get_if<StoredArray>(&item_.leaves()[leaf_index]);
    return restored(stored ? stored->origin : std::string(), target, made);
  }

 private:
  /// A parameter and its data are two tensors on one memory. Elsewhere not: nobody else may write to an array of JAX.
  bool shares_memory(std::uint32_t source, const StoredArray& tied) const {
    return tied.origin.starts_with("torch") && std::get<StoredArray>(item_.leaves()[source]).origin.starts_with("torch");
  }

  nb::object restored(const std::string& origin, nb::handle target, const nb::object& array) const {
    return with_our_errors([&] { return nb::object(restore_(origin, target, array, as_numpy_)); });
  }

  static nb::object numpy_object(const LoadedArray& array) {
    const ByteView bytes = array.view.bytes();
    return numpy_array(array.view.dtype, array.view.shape, {const_cast<std::byte*>(bytes.data()), bytes.size()}, array.owner,
                       array.writable);
  }

  const TreeItem& item_;
  bool as_numpy_;
  nb::object restore_;
  std::map<std::pair<std::uint32_t, std::string>, nb::object> tied_;  // by the leaf that others are tied to, and kind
};

tree::Selection selected(const tree::Structure& structure, const std::optional<std::vector<std::string>>& only) {
  if (only) return tree::select(structure, *only);
  tree::Selection all{structure, std::vector<std::uint32_t>(structure.leaf_count())};
  std::iota(all.leaves.begin(), all.leaves.end(), 0);
  return all;
}

nb::object load_as_saved(const TreeItem& item, const tree::Selection& part, TreeRestore& restore, const ReadOptions& options,
                         bool as_numpy) {
  const std::vector<std::string> names = tree::leaf_names(part.structure);
  for (std::size_t i = 0; i < part.leaves.size(); ++i) restore.want(part.leaves[i], LeafTemplate{}, names[i]);
  const std::vector<RestoredLeaf> restored = without_gil([&] { return restore.run(options); });
  LeafMaker maker(item, as_numpy);
  std::vector<nb::object> leaves;
  leaves.reserve(restored.size());
  for (std::size_t i = 0; i < restored.size(); ++i) leaves.push_back(maker.without_template(part.leaves[i], restored[i]));
  return unflatten_python(part.structure, leaves);
}

/// Fills the leaves of a template: ask for those that are stored, read, make objects, rebuild the containers.
class TemplateLoad {
 public:
  TemplateLoad(const TreeItem& item, const tree::Selection& part, const nb::object& target, const tree::MatchOptions& match_options)
      : item_(item),
        part_(part),
        flat_(tree::flatten(reader_, target.ptr())),
        match_(tree::match(flat_.structure, part.structure, match_options)),
        names_(tree::leaf_names(flat_.structure)),
        leaves_(match_.stored.size()) {}

  /// Leaves that are not stored, and those that are `placeholder`, keep the template's object.
  void ask(TreeRestore& restore, const nb::object& placeholder) {
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (!match_.stored[i] || target(i).is(placeholder)) {
        leaves_[i] = nb::borrow(target(i));
      } else {
        restore.want(stored(i), asked_for(i), names_[i]);
        wanted_.push_back(i);
      }
    }
  }

  nb::object build(const std::vector<RestoredLeaf>& restored) {
    const LeafMaker maker(item_, true);
    for (std::size_t k = 0; k < wanted_.size(); ++k) {
      const std::size_t i = wanted_[k];
      nb::object& leaf = is_tied(i) ? made_[source(i)] : leaves_[i];
      if (!leaf.is_valid()) {
        leaf = tree::at_key_path([&] { return names_[i]; }, [&] {
          return maker.with_template(stored(i), restored[k], target(i), reader_.object_class(target(i)));
        });
      }
      leaves_[i] = leaf;
    }
    return rebuild_python(flat_, leaves_);
  }

 private:
  nb::handle target(std::size_t i) const { return object_of(flat_.leaf(i)); }
  std::uint32_t stored(std::size_t i) const { return part_.leaves[*match_.stored[i]]; }

  /// The leaf that it is tied to, or itself.
  std::uint32_t source(std::size_t i) const {
    const auto* array = std::get_if<StoredArray>(&item_.leaves()[stored(i)]);
    return array == nullptr ? stored(i) : array->tied_to.value_or(stored(i));
  }
  /// Leaves that were one object come back as one where they are one object in the template too.
  bool is_tied(std::size_t i) const { return asked_with_.at(source(i)) == target(i).ptr(); }

  LeafTemplate asked_for(std::size_t i) {
    LeafTemplate result =
        tree::at_key_path([&] { return names_[i]; }, [&] { return leaf_template(target(i), reader_.object_class(target(i))); });
    asked_with_.try_emplace(source(i), target(i).ptr());
    result.own_memory = !is_tied(i);
    return result;
  }

  const TreeItem& item_;
  const tree::Selection& part_;
  PythonReader reader_;
  tree::FlatObjects flat_;
  tree::Match match_;
  std::vector<std::string> names_;
  std::vector<nb::object> leaves_;
  std::vector<std::size_t> wanted_;                            // indices into leaves_, in the order of the want() calls
  std::unordered_map<std::uint32_t, PyObject*> asked_with_;  // by source: the template object that asked first
  std::unordered_map<std::uint32_t, nb::object> made_;       // by source
};

}  // namespace

nb::tuple load_tree(const Checkpoint& checkpoint, const std::string& name, const nb::object& target,
                    std::optional<std::vector<std::string>> only, const nb::object& placeholder, bool partial_load, bool keep_missing,
                    bool pad_and_truncate, bool verify, bool mapped, bool as_numpy, std::optional<std::uint64_t> bytes_max) {
  const std::unique_ptr<TreeItem> item = without_gil([&] { return checkpoint.tree(name); });
  const tree::Selection part = selected(item->structure(), only);
  ReadOptions options;
  options.verify = verify;
  options.map = mapped;
  if (bytes_max) options.bytes_max = *bytes_max;
  TreeRestore restore(*item, {.pad_and_truncate = pad_and_truncate});
  nb::object tree;
  if (target.is_none()) {
    tree = load_as_saved(*item, part, restore, options, as_numpy);
  } else {
    tree::MatchOptions match_options;
    if (partial_load) match_options.unused = tree::MatchOptions::Unused::kIgnore;
    if (keep_missing) match_options.missing = tree::MatchOptions::Missing::kKeep;
    TemplateLoad load(*item, part, target, match_options);
    load.ask(restore, placeholder);
    tree = load.build(without_gil([&] { return restore.run(options); }));
  }
  nb::list lossy;
  for (const std::string& key : restore.lossy_keys()) lossy.append(key);
  return nb::make_tuple(tree, lossy);
}

}  // namespace perdure::python
