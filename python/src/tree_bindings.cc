// Looking into the tree layer, for tests: no policy, nothing that perdure's own Python code calls.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "perdure/base/error.h"
#include "perdure/checkpoint/item_document.h"
#include "perdure/tree/names.h"
#include "python/src/bindings.h"
#include "python/src/python_array.h"
#include "python/src/python_host.h"
#include "python/src/python_leaf.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

nb::object array_object(const ArrayLeaf& leaf) {
  const ArraySpan whole = ArraySpan::contiguous(nullptr, leaf.dtype, leaf.shape);
  const auto memory = std::make_shared<std::vector<std::byte>>(whole.view().size_bytes());
  const ArraySpan target = ArraySpan::contiguous(memory->data(), leaf.dtype, leaf.shape);
  for (const ArrayPiece& piece : leaf.pieces) copy_array(piece.view, target.sub(piece.box));
  return numpy_array(leaf.dtype, leaf.shape, *memory, memory, true);
}

nb::object object_of_leaf(const Leaf& leaf) {
  if (const Scalar* scalar = std::get_if<Scalar>(&leaf)) return leaf_object(*scalar);
  return array_object(std::get<ArrayLeaf>(leaf));
}

nb::list leaves_of(nb::handle root, nb::handle leaf_types) {
  PythonReader reader({.leaf_types = leaf_types});
  const tree::FlatObjects flat = tree::flatten(reader, root.ptr());
  const std::vector<std::string> names = tree::leaf_names(flat.structure);
  nb::list result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    result.append(nb::make_tuple(key_object(std::string_view(names[i])), object_of(flat.leaf(i))));
  }
  return result;
}

nb::object describe_leaf(nb::handle object) {
  PythonReader reader;
  const Leaf leaf = reader.leaf(object.ptr());
  const ArrayLeaf* const array = std::get_if<ArrayLeaf>(&leaf);
  if (array == nullptr) return nb::none();
  nb::dict facts;
  facts["dtype"] = std::string(name(array->dtype));
  facts["origin"] = array->origin;
  facts["immutable"] = array->immutable;
  facts["addresses"] = nb::list();
  for (const ArrayPiece& piece : array->pieces) {
    nb::borrow<nb::list>(facts["addresses"]).append(reinterpret_cast<std::uintptr_t>(piece.view.data));
  }
  facts["array"] = array_object(*array);
  return facts;
}

tree::Structure stored_and_read(const tree::Structure& structure) {
  const std::vector<checkpoint::DocumentLeaf> leaves(structure.leaf_count());
  return checkpoint::parse_item_document(checkpoint::encode_item_document(structure, leaves)).structure;
}

/// The same tree, through its leaves and the stored form of its structure.
nb::object copy_tree(nb::handle root) {
  const tree::FlatTree flat = flatten_python(root);
  const tree::Structure structure = stored_and_read(flat.structure);
  std::vector<nb::object> leaves;
  for (const Leaf& leaf : flat.leaves) leaves.push_back(object_of_leaf(leaf));
  return unflatten_python(structure, leaves);
}

/// A tree like `target`, with other leaves.
nb::object rebuild(nb::handle target, const nb::list& objects) {
  PythonReader reader;
  const tree::FlatObjects flat = tree::flatten(reader, target.ptr());
  if (objects.size() != flat.leaf_positions.size()) throw Error(ErrorKind::kInvalid, "as many leaves as the target has");
  std::vector<nb::object> leaves;
  for (const nb::handle object : objects) leaves.push_back(nb::borrow(object));
  return rebuild_python(reader, flat, leaves);
}

void read_all(nb::handle root) { flatten_python(root); }
std::size_t count_nodes(nb::handle root) {
  PythonReader reader;
  return tree::flatten(reader, root.ptr()).structure.nodes().size();
}
void check_names(nb::handle root) {
  PythonReader reader;
  tree::check_unique_names(tree::flatten(reader, root.ptr()).structure);
}
/// A named tuple, or a record, of leaves.
nb::object make_stored(bool is_named_tuple, const std::vector<std::string>& fields, const std::string& module,
                       const std::string& qualname, const nb::list& objects) {
  if (objects.size() != fields.size()) throw Error(ErrorKind::kInvalid, "as many leaves as fields");
  tree::Structure structure;
  const NodeKind kind = is_named_tuple ? NodeKind::kNamedTuple : NodeKind::kRecord;
  structure.append(kind, Key(), structure.add_type({module, qualname}));
  structure.set_child_count(0, static_cast<std::uint32_t>(fields.size()));
  for (const std::string& field : fields) structure.append(NodeKind::kLeaf, field);
  std::vector<nb::object> leaves;
  for (const nb::handle object : objects) leaves.push_back(nb::borrow(object));
  return unflatten_python(stored_and_read(structure), leaves);
}

}  // namespace

void bind_tree(nb::module_& m) {
  bind_memory(m);
  m.def("_tree_leaves", leaves_of, nb::arg("root").none(), nb::arg("leaf_types") = nb::none(),
        "Dotted key path and object of each leaf.");
  m.def("_tree_describe", describe_leaf, nb::arg("leaf").none(),
        "What the engine sees of an array leaf; None for a plain value.");
  m.def("_tree_copy", copy_tree, nb::arg("root").none(), "The tree, taken apart and made again.");
  m.def("_tree_rebuild", rebuild, nb::arg("target").none(), nb::arg("leaves"), "The containers of `target` with other leaves.");
  m.def("_tree_read", read_all, nb::arg("root").none(), "Reads every leaf and forgets it.");
  m.def("_tree_structure", count_nodes, nb::arg("root").none(), "Flattens, and tells how many nodes the structure has.");
  m.def("_tree_check_names", check_names, nb::arg("root").none(), "Refuses two key paths of one name.");
  m.def("_tree_make", make_stored, nb::arg("is_named_tuple"), nb::arg("fields"), nb::arg("module"), nb::arg("qualname"),
        nb::arg("leaves"), "The named tuple or record of a stored structure.");
}

}  // namespace perdure::python
