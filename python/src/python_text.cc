#include "python/src/python_text.h"

#include "python/src/convert.h"

namespace nb = nanobind;

namespace perdure::python {

nb::object text_object(std::string_view utf8) {
  return checked(PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "surrogatepass"));
}

std::string_view view_utf8(nb::handle str, std::string& storage) {
  if (!PyUnicode_Check(str.ptr())) throw nb::type_error(("expected a str, found '" + class_name_of(str) + "'").c_str());
  Py_ssize_t size = 0;
  if (const char* utf8 = PyUnicode_AsUTF8AndSize(str.ptr(), &size)) return {utf8, static_cast<std::size_t>(size)};
  PyErr_Clear();  // a lone surrogate
  storage = text_of(nb::borrow<nb::bytes>(checked(PyUnicode_AsEncodedString(str.ptr(), "utf-8", "surrogatepass"))));
  return storage;
}

std::string utf8_of(nb::handle str) {
  std::string storage;
  return std::string(view_utf8(str, storage));
}

}  // namespace perdure::python
