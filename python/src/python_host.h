#pragma once
// Python objects as trees: what the walk of perdure/tree/flatten.h needs to know of them, and containers made again.
//
// Containers are mappings (dict and whatever is a collections.abc.Mapping), list, tuple, named tuples, dataclass instances, and
// subclasses of these; and what perdure._src.adapters.is_node says. Everything else is a leaf (python_leaf.h, adapters.h). All of it needs the GIL.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "perdure/tree/flatten.h"
#include "python/src/adapters.h"

namespace perdure::python {

/// How objects of one type are walked and read.
enum class ObjectClass : std::uint8_t {
  kDict,     // exactly dict
  kMapping,  // a subclass, or another Mapping
  kList,     // list and subclasses
  kTuple,    // tuple and subclasses without fields
  kNamedTuple,
  kDataclass,
  kNode,  // perdure._src.adapters.is_node knows; walked as a mapping
  kNone,
  kBool,
  kInt,
  kFloat,
  kComplex,
  kStr,
  kBytes,  // exactly these types
  kNumpyArray,
  kNumpyScalar,
  kOther,  // an adapter knows, or nobody
};

/// Objects and children that it has handed out stay alive, whatever the containers do meanwhile, until it is destroyed.
class PythonReader final : public ObjectReader {
 public:
  /// `leaf_types`: a tuple of classes whose instances are leaves although they look like containers.
  explicit PythonReader(nanobind::handle leaf_types = {});
  ~PythonReader() override;
  PythonReader(const PythonReader&) = delete;
  PythonReader& operator=(const PythonReader&) = delete;

  NodeKind kind(ObjectRef object) override;
  void append_children(ObjectRef object, NodeKind kind, std::vector<Child>& out) override;
  TypeName type_name(ObjectRef object) override;
  Leaf leaf(ObjectRef object) override;

  ObjectClass object_class(nanobind::handle object);
  Adapters& adapters() { return adapters_; }

 private:
  ObjectClass classify(nanobind::handle type, nanobind::handle object);
  ObjectRef hold(nanobind::object object);
  void append_dict(nanobind::handle dict, std::vector<Child>& out);
  void append_mapping(nanobind::handle mapping, std::vector<Child>& out);
  void append_node(nanobind::handle node, std::vector<Child>& out);
  void append_sequence(nanobind::handle sequence, std::vector<Child>& out);
  void append_named_tuple(nanobind::handle tuple, std::vector<Child>& out);
  void append_dataclass(nanobind::handle object, std::vector<Child>& out);
  void append(Key key, nanobind::object object, std::vector<Child>& out);

  nanobind::object leaf_types_;
  Adapters adapters_;
  std::unordered_map<PyObject*, ObjectClass> classes_;
  PyObject* last_type_ = nullptr;
  ObjectClass last_class_ = ObjectClass::kOther;
  std::vector<PyObject*> held_;  // one reference each
};

inline nanobind::handle object_of(ObjectRef ref) { return nanobind::handle(static_cast<PyObject*>(const_cast<void*>(ref))); }

/// The whole state with its leaves; these keep what they point to alive. Throws kInputType naming type and key path.
tree::FlatTree flatten_python(nanobind::handle root);

/// The object of a structure. Mappings become dict, lists list, tuples tuple. Nothing is imported and no code of a class runs: a
/// named tuple or dataclass becomes its own class only if its module is loaded and the name there is such a class with
/// these fields; else a named tuple becomes an anonymous one and a record a dict.
nanobind::object unflatten_python(const tree::Structure& structure, std::span<const nanobind::object> leaves);

/// The object of a template with other leaves: every container is of the template's class, subclasses and attributes that are no
/// fields included. The template stays untouched. `flat` is of a PythonReader that is still alive.
nanobind::object rebuild_python(const tree::FlatObjects& flat, std::span<const nanobind::object> leaves);

}  // namespace perdure::python
