#include "python/src/load_tree.h"

#include <nanobind/stl/string.h>

#include <numeric>
#include <unordered_map>

#include "perdure/base/error.h"
#include "perdure/checkpoint/restore.h"
#include "perdure/tree/match.h"
#include "perdure/tree/names.h"
#include "perdure/tree/select.h"
#include "python/src/convert.h"
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
  const nb::object asked = adapters().attr("abstract")(object);
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
    nb::object& made = tied_[stored.tied_to.value_or(leaf_index)];
    if (made.is_valid()) return made;
    made = numpy_object(*array);
    if (stored.origin == "numpy.scalar") return made = made[nb::tuple()];
    if (stored.origin.empty() || stored.origin == "numpy") return made;
    return made = restore_(stored.origin, nb::none(), made, as_numpy_);
  }

  nb::object with_template(std::uint32_t leaf_index, const RestoredLeaf& leaf, nb::handle target, ObjectClass target_class) const {
    const auto* array = std::get_if<LoadedArray>(&leaf);
    if (array == nullptr) return leaf_object(std::get<Scalar>(leaf));
    nb::object made = numpy_object(*array);
    if (target_class == ObjectClass::kNumpyScalar) return made[nb::tuple()];
    if (target_class == ObjectClass::kNumpyArray) return made;
    const auto* stored = std::get_if<StoredArray>(&item_.leaves()[leaf_index]);
    return restore_(stored ? stored->origin : std::string(), target, made);
  }

 private:
  static nb::object numpy_object(const LoadedArray& array) {
    const ByteView bytes = array.view.bytes();
    return numpy_array(array.view.dtype, array.view.shape, {const_cast<std::byte*>(bytes.data()), bytes.size()}, array.owner,
                       array.writable);
  }

  const TreeItem& item_;
  bool as_numpy_;
  nb::object restore_;
  std::unordered_map<std::uint32_t, nb::object> tied_;  // by the leaf that others are tied to
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

/// Fills the leaves of a template. `restore` has the policies.
nb::object load_into(const TreeItem& item, const tree::Selection& part, const nb::object& target, const nb::object& placeholder,
                     const tree::MatchOptions& match_options, TreeRestore& restore, const ReadOptions& options) {
  PythonReader reader;
  const tree::FlatObjects flat = tree::flatten(reader, target.ptr());
  const tree::Match match = tree::match(flat.structure, part.structure, match_options);
  const std::vector<std::string> names = tree::leaf_names(flat.structure);

  std::vector<nb::object> leaves(match.stored.size());
  std::vector<std::size_t> wanted;  // positions in `leaves`
  std::unordered_map<std::uint32_t, PyObject*> templates;  // what each stored array was first asked for with
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const nb::handle object = object_of(flat.leaf(i));
    if (!match.stored[i] || object.is(placeholder)) {
      leaves[i] = nb::borrow(object);
      continue;
    }
    LeafTemplate leaf = tree::at_key_path([&] { return names[i]; }, [&] { return leaf_template(object, reader.object_class(object)); });
    const std::uint32_t leaf_index = part.leaves[*match.stored[i]];
    if (const auto* stored = std::get_if<StoredArray>(&item.leaves()[leaf_index])) {
      const auto first = templates.try_emplace(stored->tied_to.value_or(leaf_index), object.ptr()).first;
      leaf.own_memory = first->second != object.ptr();  // the template decides what is tied
    }
    restore.want(leaf_index, leaf, names[i]);
    wanted.push_back(i);
  }
  const std::vector<RestoredLeaf> restored = without_gil([&] { return restore.run(options); });
  const LeafMaker maker(item, true);
  std::unordered_map<PyObject*, nb::object> made;  // one object in the template is one object in the result
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t at = wanted[i];
    const nb::handle object = object_of(flat.leaf(at));
    const auto* array = std::get_if<LoadedArray>(&restored[i]);
    const ObjectClass object_class = reader.object_class(object);
    nb::object leaf;
    if (const auto known = made.find(object.ptr()); array != nullptr && object_class == ObjectClass::kOther && known != made.end()) {
      leaf = known->second;
    } else {
      leaf = tree::at_key_path([&] { return names[at]; }, [&] {
        return maker.with_template(part.leaves[*match.stored[at]], restored[i], object, object_class);
      });
    }
    leaves[at] = leaf;
  }
  return rebuild_python(flat, leaves);
}

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
    tree = load_into(*item, part, target, placeholder, match_options, restore, options);
  }
  nb::list lossy;
  for (const std::string& key : restore.lossy_keys()) lossy.append(key);
  return nb::make_tuple(tree, lossy);
}

}  // namespace perdure::python
