#include "python/src/array_leaf.h"

#include <nanobind/stl/string.h>

#include <bit>
#include <optional>
#include <span>
#include <utility>

#include "perdure/base/error.h"
#include "python/src/convert.h"
#include "python/src/python_array.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

/// What `__array_struct__` points to: NumPy's array interface protocol.
struct ArrayInterface {
  int two;
  int nd;
  char typekind;
  int itemsize;
  int flags;
  Py_intptr_t* shape;
  Py_intptr_t* strides;  // bytes
  void* data;
  PyObject* descr;
};
constexpr int kNotSwapped = 0x200;

/// The element type of an array. `leaf` is what a refusal names.
DType dtype_of(nb::handle array, nb::handle leaf) {
  const nb::object dtype = array.attr("dtype");
  if (const std::optional<DType> found = find_dtype_of(dtype)) return *found;
  refuse_leaf(leaf, " of dtype " + nb::cast<std::string>(dtype.attr("name")));
}

ArrayView strided_view(const void* data, DType dtype, std::span<const Py_ssize_t> shape, const Py_ssize_t* strides) {
  ArrayView view{static_cast<const std::byte*>(data), dtype, Shape::of_zeros(shape.size()), Strides(shape.size())};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    view.shape[axis] = static_cast<std::uint64_t>(shape[axis]);
    view.strides[axis] = strides[axis];
  }
  return view;
}

/// A view of an array in the machine's byte order; nullopt for another order.
std::optional<ArrayView> view_numpy(nb::handle array, DType dtype) {
  const nb::object capsule = array.attr("__array_struct__");
  const auto* const seen = static_cast<const ArrayInterface*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (seen == nullptr) throw nb::python_error();
  if ((seen->flags & kNotSwapped) == 0) return std::nullopt;
  return strided_view(seen->data, dtype, {seen->shape, static_cast<std::size_t>(seen->nd)}, seen->strides);
}

/// What an object shows by Python's buffer protocol, or null if it refuses. It has to keep the memory until the last copy is dropped,
/// by any thread.
std::shared_ptr<const Py_buffer> shown_memory(nb::handle owner) {
  auto buffer = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(owner.ptr(), buffer.get(), PyBUF_STRIDES) != 0) {
    if (!PyErr_ExceptionMatches(PyExc_BufferError)) throw nb::python_error();
    PyErr_Clear();
    return nullptr;
  }
  return std::shared_ptr<const Py_buffer>(buffer.release(), [](const Py_buffer* held) {
    const std::unique_ptr<Py_buffer> owned(const_cast<Py_buffer*>(held));
    if (!nb::is_alive()) return;
    const nb::gil_scoped_acquire gil;
    PyBuffer_Release(owned.get());
  });
}

ArrayView view_shown(const Py_buffer& memory, const ArrayLeaf& as, nb::handle leaf) {
  const auto rank = static_cast<std::size_t>(memory.ndim);
  if (static_cast<std::size_t>(memory.itemsize) != itemsize(as.dtype) || rank != as.shape.rank()) {
    refuse_leaf(leaf, ": it is described wrongly");
  }
  return strided_view(memory.buf, as.dtype, {memory.shape, rank}, memory.strides);
}

/// Of a tuple of numbers.
Shape extents(nb::handle numbers) {
  const nb::tuple values = nb::cast<nb::tuple>(numbers);
  Shape result = Shape::of_zeros(values.size());
  for (std::size_t axis = 0; axis < result.rank(); ++axis) result[axis] = nb::cast<std::uint64_t>(values[axis]);
  return result;
}

/// The bytes from the first element to the end of the last one. Strides in elements, not negative.
std::uint64_t extent_bytes(const Shape& shape, const Shape& strides, std::size_t element_size) {
  std::uint64_t last = 0;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 0) return 0;
    last = checked_add(last, checked_multiply(shape[axis] - 1, strides[axis]));
  }
  return checked_multiply(checked_add(last, 1), element_size);
}

ArrayView view_memory(const nb::tuple& memory, DType dtype, nb::handle leaf) {
  Shape shape = extents(memory[2]);
  const Shape strides = extents(memory[3]);
  const std::size_t element_size = itemsize(dtype);
  const auto pointer = nb::cast<std::uintptr_t>(memory[0]);
  if (strides.rank() != shape.rank()) refuse_leaf(leaf, ": it is described wrongly");
  const std::uint64_t needed = extent_bytes(shape, strides, element_size);
  if (needed > 0 && (pointer == 0 || nb::cast<std::int64_t>(memory[1]) < static_cast<std::int64_t>(needed))) {
    refuse_leaf(leaf, ": it has no data");
  }
  Strides bytes(shape.rank());
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) bytes[axis] = static_cast<std::int64_t>(strides[axis] * element_size);
  return {std::bit_cast<const std::byte*>(pointer), dtype, std::move(shape), std::move(bytes)};
}

ArrayView view_described(const nb::object& memory, DType dtype, nb::handle leaf) {
  if (PyTuple_Check(memory.ptr())) return view_memory(nb::borrow<nb::tuple>(memory), dtype, leaf);
  std::optional<ArrayView> view = view_numpy(memory, dtype_of(memory, leaf));
  if (!view || view->dtype != dtype) refuse_leaf(leaf, ": it is described wrongly");
  return std::move(*view);
}

ArrayPiece read_piece(const nb::tuple& piece, DType dtype, nb::handle leaf) {
  ArrayView view = view_described(piece[1], dtype, leaf);
  return {Box{extents(piece[0]), view.shape}, std::move(view)};
}

}  // namespace

void refuse_leaf(nb::handle leaf, const std::string& why) {
  throw Error(ErrorKind::kInputType, "cannot save a '" + class_name_of(leaf) + "'" + why);
}

std::shared_ptr<const void> owner_of(nb::handle object) {
  return std::shared_ptr<const void>(object.inc_ref().ptr(), [](const void* held) {
    if (!nb::is_alive()) return;  // the interpreter is gone, and the object with it
    const GilAcquire gil;
    Py_DECREF(static_cast<PyObject*>(const_cast<void*>(held)));
  });
}

ArrayLeaf read_numpy(const nb::object& array, nb::handle source, std::string origin) {
  const DType dtype = dtype_of(array, source);
  std::optional<ArrayView> view = view_numpy(array, dtype);
  if (!view) return read_numpy(array.attr("astype")(array.attr("dtype").attr("newbyteorder")("=")), source, std::move(origin));
  ArrayLeaf leaf;
  leaf.dtype = dtype;
  leaf.shape = view->shape;
  leaf.pieces.push_back({Box::whole(leaf.shape), std::move(*view)});
  leaf.owner = owner_of(array);
  leaf.immutable = !array.is(source);  // nobody else has what was made here
  leaf.origin = std::move(origin);
  return leaf;
}

std::optional<ArrayLeaf> read_host_array(nb::handle described, nb::handle source) {
  const nb::tuple host = nb::cast<nb::tuple>(described);
  ArrayLeaf leaf;
  leaf.dtype = dtype_from_name(nb::cast<std::string>(host[0]));
  leaf.shape = extents(host[1]);
  if (const nb::object pieces = host[2]; pieces.is_none()) {
    const std::shared_ptr<const Py_buffer> memory = shown_memory(host[3]);
    if (!memory) return std::nullopt;
    leaf.pieces.push_back({Box::whole(leaf.shape), view_shown(*memory, leaf, source)});
    leaf.owner = memory;
  } else {
    for (const nb::handle piece : pieces) leaf.pieces.push_back(read_piece(nb::cast<nb::tuple>(piece), leaf.dtype, source));
    leaf.owner = owner_of(host[3]);
  }
  leaf.immutable = nb::cast<bool>(host[4]);
  leaf.origin = nb::cast<std::string>(host[5]);
  leaf.sharding = nb::cast<std::string>(host[6]);
  return leaf;
}

}  // namespace perdure::python
