// Containers made of a structure and leaves.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>

#include "perdure/tree/names.h"
#include "python/src/convert.h"
#include "python/src/imported.h"
#include "python/src/plain_type.h"
#include "python/src/python_enum.h"
#include "python/src/python_host.h"
#include "python/src/python_rebuild.h"
#include "python/src/python_text.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

constinit Imported dataclass_fields("dataclasses", "fields");
constinit Imported namedtuple("collections", "namedtuple");
constinit Imported sys_modules("sys", "modules");

using Children = std::span<NewChild>;

/// Keys of positions are not made.
std::vector<NewChild> new_children(const tree::Structure& structure, NodeKind kind, std::span<tree::Built<nb::object>> built) {
  std::vector<NewChild> children;
  children.reserve(built.size());
  for (tree::Built<nb::object>& child : built) {
    const Key& key = structure.nodes()[child.position].key;
    children.push_back({has_positions(kind) ? nb::object() : key_object(key), std::move(child.object)});
  }
  return children;
}

/// A tuple of the class, without its constructor.
nb::object make_tuple_of(nb::handle cls, nb::handle items) {
  return nb::handle(reinterpret_cast<PyObject*>(&PyTuple_Type)).attr("__new__")(cls, items);
}

/// The class of that name, if its module is loaded. Looks into dictionaries only: a module's __getattr__ may import.
nb::object find_class(const TypeName& type) {
  nb::object found = (*sys_modules).attr("get")(text_object(type.module));
  if (!found.is_valid() || !PyModule_Check(found.ptr())) return nb::none();
  for (std::size_t begin = 0; begin <= type.qualname.size();) {
    const std::size_t end = std::min(type.qualname.find('.', begin), type.qualname.size());
    found = nb::getattr(found, "__dict__").attr("get")(text_object(std::string_view(type.qualname).substr(begin, end - begin)));
    if (!PyType_Check(found.ptr())) return nb::none();
    begin = end + 1;
  }
  return found;
}

/// Whether records with these fields may become objects of the class.
bool fits_dataclass(nb::handle cls, nb::handle names) {
  if (!PyType_Check(cls.ptr()) || !nb::hasattr(cls, "__dataclass_fields__") || nb::hasattr(cls, "__del__")) return false;
  const nb::object fields = (*dataclass_fields)(cls);
  std::size_t known = 0;
  for (const nb::handle field : fields) {
    const bool given = nb::cast<bool>(names.attr("__contains__")(field.attr("name")));
    if (!given && nb::cast<bool>(field.attr("init"))) return false;
    known += given;
  }
  return known == nb::len(names);
}

bool fits_named_tuple(nb::handle cls, nb::handle names) {
  if (!PyType_Check(cls.ptr()) || nb::hasattr(cls, "__del__")) return false;
  const bool is_tuple = (PyType_GetFlags(reinterpret_cast<PyTypeObject*>(cls.ptr())) & Py_TPFLAGS_TUPLE_SUBCLASS) != 0;
  return is_tuple && nb::getattr(cls, "_fields", nb::none()).equal(names);
}

/// Makes the named tuples, records and members of enums of one structure.
class ClassMaker {
 public:
  explicit ClassMaker(const tree::Structure& structure) : structure_(structure), classes_(structure.types().size()) {}

  /// The plain value, or the member of an enum that it was.
  nb::object leaf(std::size_t position, const nb::object& value) {
    if (structure_.nodes()[position].type_index == 0) return value;
    nb::object member = find_enum_member(class_of(position), value);
    return member.is_none() ? value : member;
  }

  nb::object container(std::size_t position, std::span<tree::Built<nb::object>> built) {
    const NodeKind kind = structure_.nodes()[position].kind;
    std::vector<NewChild> children = new_children(structure_, kind, built);
    switch (kind) {
      case NodeKind::kList: return list_of(children);
      case NodeKind::kTuple: return tuple_of(children);
      case NodeKind::kNamedTuple: return named_tuple(position, children);
      case NodeKind::kRecord: return record(position, children);
      default: return dict_of(children);
    }
  }

 private:
  nb::object named_tuple(std::size_t position, Children children) {
    const nb::object names = field_names(children);
    nb::object cls = class_of(position);
    if (!fits_named_tuple(cls, names)) cls = anonymous_class(position, names);
    return cls.is_none() ? dict_of(children) : make_tuple_of(cls, tuple_of(children));
  }

  nb::object record(std::size_t position, Children children) {
    const nb::object cls = class_of(position);
    if (!fits_dataclass(cls, field_names(children))) return dict_of(children);
    const nb::object object = nb::handle(reinterpret_cast<PyObject*>(&PyBaseObject_Type)).attr("__new__")(cls);
    for (const NewChild& child : children) check(PyObject_GenericSetAttr(object.ptr(), child.key.ptr(), child.object.ptr()));
    return object;
  }

  static nb::object field_names(Children children) {
    nb::object names = checked(PyTuple_New(static_cast<Py_ssize_t>(children.size())));
    for (std::size_t i = 0; i < children.size(); ++i) {
      check(PyTuple_SetItem(names.ptr(), static_cast<Py_ssize_t>(i), nb::object(children[i].key).release().ptr()));
    }
    return names;
  }

  nb::object class_of(std::size_t position) {
    const std::uint32_t index = structure_.nodes()[position].type_index;
    nb::object& cls = classes_[index];
    if (!cls.is_valid()) cls = find_class(structure_.types()[index]);
    return cls;
  }

  /// None for names that no named tuple can have.
  nb::object anonymous_class(std::size_t position, const nb::object& names) {
    const std::string& qualname = structure_.types()[structure_.nodes()[position].type_index].qualname;
    const nb::object name = text_object(std::string_view(qualname).substr(qualname.rfind('.') + 1));
    const nb::object key = nb::make_tuple(name, names);
    if (anonymous_.contains(key)) return anonymous_[key];
    nb::object cls = nb::none();
    try {
      const bool is_name = nb::cast<bool>(name.attr("isidentifier")());
      cls = (*namedtuple)(is_name ? name : text_object("NamedTuple"), names);
    } catch (const nb::python_error& error) {
      if (!error.matches(PyExc_ValueError)) throw;
    }
    anonymous_[key] = cls;
    return cls;
  }

  const tree::Structure& structure_;
  std::vector<nb::object> classes_;  // by type index; None: not to be had
  nb::dict anonymous_;               // (name, fields) -> class or None
};

nb::object loaded_by_serializer(PythonReader& reader, const tree::Structure& structure, std::size_t position, nb::handle target,
                                const nb::object& relative) {
  try {
    return reader.serializer(target)->load(target, relative);
  } catch (...) {
    reader.add_note(std::current_exception(), "while restoring '" + tree::dotted_at(structure, position) + "'");
    throw;
  }
}

}  // namespace

nb::object unflatten_python(const tree::Structure& structure, std::span<const nb::object> leaves) {
  ClassMaker classes(structure);
  return tree::build<nb::object>(
      structure, [&](std::size_t position) { return classes.leaf(position, leaves[structure.nodes()[position].leaf_index]); },
      [&](std::size_t position, std::span<tree::Built<nb::object>> built) { return classes.container(position, built); });
}

nb::object rebuild_python(PythonReader& reader, const tree::FlatObjects& flat, std::span<const nb::object> leaves) {
  const tree::Structure& structure = flat.structure;
  ClassMaker classes(structure);
  return tree::build<nb::object>(
      structure, [&](std::size_t position) { return leaves[structure.nodes()[position].leaf_index]; },
      [&](std::size_t position, std::span<tree::Built<nb::object>> built) {
        const ObjectRef object = flat.objects[position];
        if (object == nullptr) return classes.container(position, built);
        const NodeKind kind = structure.nodes()[position].kind;
        std::vector<NewChild> children = new_children(structure, kind, built);
        if (reader.object_class(object_of(object)) != ObjectClass::kSerialized)
          return object_like(object_of(object), kind, children);
        return loaded_by_serializer(reader, structure, position, object_of(object), dict_of(children));
      });
}

}  // namespace perdure::python
