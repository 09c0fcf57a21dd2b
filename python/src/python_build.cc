// Containers made again: from a structure alone (unflatten_python), or like those of a template (rebuild_python).
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>

#include "python/src/convert.h"
#include "python/src/imported.h"
#include "python/src/python_host.h"
#include "python/src/python_leaf.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

constinit Imported namedtuple("collections", "namedtuple");
constinit Imported node_like("perdure._src.adapters", "node_like");
constinit Imported shallow_copy("copy", "copy");
constinit Imported sys_modules("sys", "modules");

using Children = std::span<tree::Built<nb::object>>;

nb::object make_list(Children children) {
  nb::object list = checked(PyList_New(static_cast<Py_ssize_t>(children.size())));
  for (std::size_t i = 0; i < children.size(); ++i) {
    check(PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(i), children[i].object.release().ptr()));
  }
  return list;
}

nb::object make_tuple(Children children) {
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(children.size())));
  for (std::size_t i = 0; i < children.size(); ++i) {
    check(PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), children[i].object.release().ptr()));
  }
  return tuple;
}

nb::object make_dict(const tree::Structure& structure, Children children) {
  nb::object dict = checked(PyDict_New());
  for (const tree::Built<nb::object>& child : children) {
    check(PyDict_SetItem(dict.ptr(), key_object(structure.nodes()[child.position].key).ptr(), child.object.ptr()));
  }
  return dict;
}

/// A tuple of the class, without its constructor.
nb::object make_tuple_of(nb::handle cls, nb::handle items) {
  return nb::handle(reinterpret_cast<PyObject*>(&PyTuple_Type)).attr("__new__")(cls, items);
}

/// The class of that name, if its module is loaded. Looks into dictionaries only: a module's __getattr__ may import.
nb::object find_class(const TypeName& type) {
  nb::object found = (*sys_modules).attr("get")(key_object(std::string_view(type.module)));
  if (!found.is_valid() || !PyModule_Check(found.ptr())) return nb::none();
  for (std::size_t begin = 0; begin <= type.qualname.size();) {
    const std::size_t end = std::min(type.qualname.find('.', begin), type.qualname.size());
    found = nb::getattr(found, "__dict__").attr("get")(key_object(std::string_view(type.qualname).substr(begin, end - begin)));
    if (!PyType_Check(found.ptr())) return nb::none();
    begin = end + 1;
  }
  return found;
}

/// Whether records with these fields may become objects of the class.
bool fits_dataclass(nb::handle cls, nb::handle names) {
  if (!PyType_Check(cls.ptr()) || !nb::hasattr(cls, "__dataclass_fields__") || nb::hasattr(cls, "__del__")) return false;
  const nb::object fields = (*imported::dataclass_fields)(cls);
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

/// Makes the named tuples and records of one structure.
class ClassMaker {
 public:
  explicit ClassMaker(const tree::Structure& structure) : structure_(structure), classes_(structure.types().size()) {}

  nb::object named_tuple(std::size_t position, Children children) {
    const nb::object names = field_names(children);
    nb::object cls = class_of(position);
    if (!fits_named_tuple(cls, names)) cls = anonymous_class(position, names);
    return cls.is_none() ? make_dict(structure_, children) : make_tuple_of(cls, make_tuple(children));
  }

  nb::object record(std::size_t position, Children children) {
    const nb::object cls = class_of(position);
    if (!fits_dataclass(cls, field_names(children))) return make_dict(structure_, children);
    const nb::object object = nb::handle(reinterpret_cast<PyObject*>(&PyBaseObject_Type)).attr("__new__")(cls);
    for (const tree::Built<nb::object>& child : children) {
      check(PyObject_GenericSetAttr(object.ptr(), key_of(child).ptr(), child.object.ptr()));
    }
    return object;
  }

 private:
  nb::object key_of(const tree::Built<nb::object>& child) const { return key_object(structure_.nodes()[child.position].key); }

  nb::object field_names(Children children) const {
    nb::object names = checked(PyTuple_New(static_cast<Py_ssize_t>(children.size())));
    for (std::size_t i = 0; i < children.size(); ++i) {
      check(PyTuple_SetItem(names.ptr(), static_cast<Py_ssize_t>(i), key_of(children[i]).release().ptr()));
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
    const nb::object name = key_object(std::string_view(qualname).substr(qualname.rfind('.') + 1));
    const nb::object key = nb::make_tuple(name, names);
    if (anonymous_.contains(key)) return anonymous_[key];
    nb::object cls = nb::none();
    try {
      const bool is_name = nb::cast<bool>(name.attr("isidentifier")());
      cls = (*namedtuple)(is_name ? name : key_object("NamedTuple"), names);
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

nb::object copy_of(nb::handle object) { return (*shallow_copy)(object); }

nb::object like_mapping(nb::handle original, const tree::Structure& structure, Children children) {
  if (PyDict_CheckExact(original.ptr())) return make_dict(structure, children);
  if (!nb::isinstance(original, *imported::mapping)) return (*node_like)(original, make_list(children));
  if (!nb::isinstance(original, *imported::mutable_mapping)) return original.type()(make_dict(structure, children));
  nb::object copy = copy_of(original);
  for (const tree::Built<nb::object>& child : children) copy[key_object(structure.nodes()[child.position].key)] = child.object;
  return copy;
}

nb::object like_list(nb::handle original, Children children) {
  if (PyList_CheckExact(original.ptr())) return make_list(children);
  nb::object copy = copy_of(original);
  for (std::size_t i = 0; i < children.size(); ++i) {
    check(PySequence_SetItem(copy.ptr(), static_cast<Py_ssize_t>(i), children[i].object.ptr()));
  }
  return copy;
}

nb::object like_tuple(nb::handle original, Children children) {
  const nb::object items = make_tuple(children);
  return PyTuple_CheckExact(original.ptr()) ? items : make_tuple_of(original.type(), items);
}

nb::object like_record(nb::handle original, const tree::Structure& structure, Children children) {
  nb::object copy = copy_of(original);
  for (const tree::Built<nb::object>& child : children) {
    check(PyObject_GenericSetAttr(copy.ptr(), key_object(structure.nodes()[child.position].key).ptr(), child.object.ptr()));
  }
  return copy;
}

}  // namespace

nb::object unflatten_python(const tree::Structure& structure, std::span<const nb::object> leaves) {
  ClassMaker classes(structure);
  return tree::build<nb::object>(
      structure, [&](std::size_t position) { return leaves[structure.nodes()[position].leaf_index]; },
      [&](std::size_t position, Children children) {
        switch (structure.nodes()[position].kind) {
          case NodeKind::kList: return make_list(children);
          case NodeKind::kTuple: return make_tuple(children);
          case NodeKind::kNamedTuple: return classes.named_tuple(position, children);
          case NodeKind::kRecord: return classes.record(position, children);
          default: return make_dict(structure, children);
        }
      });
}

nb::object rebuild_python(const tree::FlatObjects& flat, std::span<const nb::object> leaves) {
  const tree::Structure& structure = flat.structure;
  return tree::build<nb::object>(
      structure, [&](std::size_t position) { return leaves[structure.nodes()[position].leaf_index]; },
      [&](std::size_t position, Children children) {
        const nb::handle original = object_of(flat.objects[position]);
        switch (structure.nodes()[position].kind) {
          case NodeKind::kList: return like_list(original, children);
          case NodeKind::kTuple:
          case NodeKind::kNamedTuple: return like_tuple(original, children);
          case NodeKind::kRecord: return like_record(original, structure, children);
          default: return like_mapping(original, structure, children);
        }
      });
}

}  // namespace perdure::python
