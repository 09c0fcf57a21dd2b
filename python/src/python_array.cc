#include "python/src/python_array.h"

#include <nanobind/stl/string.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "perdure/base/error.h"
#include "perdure/base/immortal.h"
#include "python/src/convert.h"
#include "python/src/imported.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

constinit Imported ndarray("numpy", "ndarray");

/// Memory as Python's buffer protocol shows it; the base of the arrays.
struct Memory {
  ByteSpan bytes;
  std::shared_ptr<const void> owner;
  bool writable;
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const Memory& memory = *nb::inst_ptr<Memory>(self);
  const auto size = static_cast<Py_ssize_t>(memory.bytes.size());
  return PyBuffer_FillInfo(view, self, memory.bytes.data(), size, memory.writable ? 0 : 1, flags);
}

PyType_Slot kMemorySlots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

nb::object find_numpy_dtype(DType dtype) {
  const std::string dtype_name(name(dtype));
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (nb::hasattr(numpy, dtype_name.c_str())) return numpy.attr("dtype")(numpy.attr(dtype_name.c_str()));
  const nb::module_ ml_dtypes = nb::module_::import_("ml_dtypes");
  if (nb::hasattr(ml_dtypes, dtype_name.c_str())) return numpy.attr("dtype")(ml_dtypes.attr(dtype_name.c_str()));
  throw Error(ErrorKind::kInvalid, "this ml_dtypes has no " + dtype_name);
}

}  // namespace

std::optional<DType> find_dtype_of(nb::handle numpy_dtype) {
  static auto& known = make_immortal<std::unordered_map<PyObject*, DType>>();  // keeps the dtypes alive
  constexpr std::size_t kKnownMax = 256;
  if (const auto found = known.find(numpy_dtype.ptr()); found != known.end()) return found->second;
  const std::optional<DType> dtype = find_dtype(nb::cast<std::string>(numpy_dtype.attr("name")));
  if (dtype && known.size() < kKnownMax) known.emplace(nb::borrow(numpy_dtype).release().ptr(), *dtype);
  return dtype;
}

nb::handle numpy_dtype(DType dtype) {
  static auto& known = make_immortal<std::vector<nb::object>>(dtype_table().size());
  nb::object& found = known.at(static_cast<std::size_t>(dtype));
  if (!found.is_valid()) found = find_numpy_dtype(dtype);
  return found;
}

nb::object numpy_array(DType dtype, const Shape& shape, ByteSpan memory, std::shared_ptr<const void> owner, bool writable) {
  return (*ndarray)(shape_object(shape), numpy_dtype(dtype), Memory{memory, std::move(owner), writable});
}

void bind_memory(nb::module_& m) {
  nb::class_<Memory>(m, "_Memory", nb::type_slots(kMemorySlots), "The memory of arrays that were read. Not to be made by hand.");
}

}  // namespace perdure::python
