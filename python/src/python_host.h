#pragma once
// Python objects as trees: what the walk of perdure/tree/walk.h needs to know of them, and containers made again.
//
// A class with a serializer (serializers.h) comes first. Containers are mappings (dict and whatever is a collections.abc.Mapping),
// list, tuple, named tuples, dataclass instances, and subclasses of these; and what perdure._src.adapters.nodes_of takes. Everything
// else is a leaf (python_leaf.h, adapters.h). All of it needs the GIL.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "perdure/tree/flatten.h"
#include "python/src/adapters.h"
#include "python/src/serializers.h"

namespace perdure::python {

/// How objects of one type are walked and read.
enum class ObjectClass : std::uint8_t {
  kDict,     // exactly dict
  kMapping,  // a subclass, or another Mapping
  kList,     // list and subclasses
  kTuple,    // tuple and subclasses without fields
  kNamedTuple,
  kDataclass,
  kNode,        // perdure._src.adapters.nodes_of knows; walked as a mapping
  kSerialized,  // a serializer takes it apart
  kPlain,       // exactly one of plain_type.h
  kEnum,        // a member of an enum that is a plain value too (python_enum.h)
  kNumpyArray,
  kNumpyScalar,
  kHandled,  // a type handler of the user takes it
  kOther,    // an adapter knows, or nobody
};

/// What differs between walks of Python objects.
struct ReaderPolicy {
  bool opens_serialized = true;      // the relative dict of a serialized object is walked like a dict; else it is a leaf
  bool opens_nodes = true;           // jax's pytree nodes are containers; else they are leaves
  bool keys_are_text = false;        // any mapping key, by str(); else plain keys only
  bool keeps_keys = false;           // children of mappings and dataclasses have their key_object
  bool leaf_serializers = false;     // a class whose serializer says that it is one value is a serialized leaf too
  nanobind::handle leaf_types = {};  // a tuple of classes whose instances are leaves although they look like containers
  /// A function: class -> typestr of the user's type handler that takes it, or None. Asked once for each class, before all else. None: there
  /// are no such handlers.
  nanobind::handle type_handlers = {};
};

/// Objects and children that it has handed out stay alive, whatever the containers do meanwhile, until it is destroyed.
class PythonReader final : public ObjectReader {
 public:
  explicit PythonReader(const ReaderPolicy& policy = {});
  ~PythonReader() override;
  PythonReader(const PythonReader&) = delete;
  PythonReader& operator=(const PythonReader&) = delete;

  NodeKind kind(ObjectRef object) override;
  void append_children(ObjectRef object, NodeKind kind, std::vector<Child>& out) override;
  TypeName type_name(ObjectRef object) override;
  Leaf leaf(ObjectRef object) override;
  void add_note(const std::exception_ptr& thrown, const std::string& note) override;

  ObjectClass object_class(nanobind::handle object) { return facts(object).object_class; }
  /// Of a kSerialized object.
  FoundSerializer serializer(nanobind::handle object) { return facts(object).serializer; }
  /// What takes a kHandled object is called.
  const std::string& typestr(nanobind::handle object) { return facts(object).typestr; }
  /// Keeps the object alive as long as the reader.
  ObjectRef hold(nanobind::object object);
  Adapters& adapters() { return adapters_; }

 private:
  struct FieldName {
    Key key;
    nanobind::object name;
  };
  struct TypeFacts {
    ObjectClass object_class = ObjectClass::kOther;
    FoundSerializer serializer;
    std::vector<FieldName> fields;  // of a dataclass or named tuple
    std::string typestr = {};       // of kHandled
  };
  const TypeFacts& facts(nanobind::handle object);
  TypeFacts facts_of(nanobind::handle type, nanobind::handle object);
  ObjectClass classify(nanobind::handle type, nanobind::handle object);
  static std::vector<FieldName> fields_of(nanobind::handle type, ObjectClass object_class);
  void append_dict(nanobind::handle dict, std::vector<Child>& out);
  void append_mapping(nanobind::handle mapping, std::vector<Child>& out);
  void append_node(nanobind::handle node, std::vector<Child>& out);
  void append_sequence(nanobind::handle sequence, std::vector<Child>& out);
  void append_named_tuple(nanobind::handle tuple, std::vector<Child>& out);
  void append_dataclass(nanobind::handle object, std::vector<Child>& out);
  void append_serialized(nanobind::handle object, std::vector<Child>& out);
  void append(Key key, nanobind::object object, std::vector<Child>& out);
  void append_item(nanobind::handle key, nanobind::object object, std::vector<Child>& out);
  void append_field(const FieldName& field, nanobind::object object, std::vector<Child>& out);

  const ReaderPolicy policy_;
  const nanobind::object leaf_types_;
  const nanobind::object type_handlers_;
  Adapters adapters_;
  std::unordered_map<PyObject*, TypeFacts> types_;
  std::uint64_t generation_ = 0;  // of the serializers that types_ knows of
  PyObject* last_type_ = nullptr;
  const TypeFacts* last_facts_ = nullptr;
  std::vector<PyObject*> held_;  // one reference each
};

inline nanobind::handle object_of(ObjectRef ref) { return nanobind::handle(static_cast<PyObject*>(const_cast<void*>(ref))); }

/// The object of a structure. Mappings become dict, lists list, tuples tuple. Nothing is imported and no code of a class runs: a
/// named tuple or dataclass becomes its own class only if its module is loaded and the name there is such a class with
/// these fields; else a named tuple becomes an anonymous one and a record a dict.
nanobind::object unflatten_python(const tree::Structure& structure, std::span<const nanobind::object> leaves);

/// The object of a template with other leaves: every container is of the template's class, subclasses and attributes that are no
/// fields included; what its serializer makes of the relative dict, for a serialized object; as it was saved, for nodes without an
/// object (tree/graft.h). The template stays untouched. `flat` is of `reader`.
nanobind::object rebuild_python(PythonReader& reader, const tree::FlatObjects& flat, std::span<const nanobind::object> leaves);

}  // namespace perdure::python
