#include "python/src/array_leaf.h"

#include <nanobind/stl/string.h>

#include <bit>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "perdure/base/error.h"
#include "python/src/convert.h"

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

/// The element type of an array. Most arrays share a few dtype objects: they are remembered. `leaf` is what a refusal names.
DType dtype_of(nb::handle array, nb::handle leaf) {
  static auto* const known = new std::unordered_map<PyObject*, DType>();  // keeps the dtypes alive
  constexpr std::size_t kKnownMax = 256;
  const nb::object dtype = array.attr("dtype");
  if (const auto found = known->find(dtype.ptr()); found != known->end()) return found->second;
  const std::string name = nb::cast<std::string>(dtype.attr("name"));
  const std::optional<DType> result = find_dtype(name);
  if (!result) refuse_leaf(leaf, " of dtype " + name);
  if (known->size() < kKnownMax) known->emplace(nb::object(dtype).release().ptr(), *result);
  return *result;
}

/// A view of an array in the machine's byte order; nullopt for another order.
std::optional<ArrayView> view_numpy(nb::handle array, DType dtype) {
  const nb::object capsule = array.attr("__array_struct__");
  const auto* const seen = static_cast<const ArrayInterface*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (seen == nullptr) throw nb::python_error();
  if ((seen->flags & kNotSwapped) == 0) return std::nullopt;
  const auto rank = static_cast<std::size_t>(seen->nd);
  return ArrayView{static_cast<const std::byte*>(seen->data), dtype,
                   Shape(std::vector<std::uint64_t>(seen->shape, seen->shape + rank)),
                   Strides(seen->strides, seen->strides + rank)};
}

/// A named tuple of perdure._src.adapters.protocol.
nb::tuple record(nb::handle object) { return nb::cast<nb::tuple>(object); }

std::vector<std::uint64_t> extents(nb::handle tuple) {
  const nb::tuple values = record(tuple);
  std::vector<std::uint64_t> result;
  result.reserve(values.size());
  for (const nb::handle value : values) result.push_back(nb::cast<std::uint64_t>(value));
  return result;
}

/// The bytes from the first element to the end of the last one. Strides in elements, not negative.
std::uint64_t extent_bytes(const Shape& shape, const std::vector<std::uint64_t>& strides, std::size_t element_size) {
  std::uint64_t last = 0;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 0) return 0;
    last = checked_add(last, checked_multiply(shape[axis] - 1, strides[axis]));
  }
  return checked_multiply(checked_add(last, 1), element_size);
}

ArrayView view_memory(const nb::tuple& memory, DType dtype, nb::handle leaf) {
  Shape shape(extents(memory[2]));
  const std::vector<std::uint64_t> strides = extents(memory[3]);
  const std::size_t element_size = itemsize(dtype);
  const auto pointer = nb::cast<std::uintptr_t>(memory[0]);
  const std::uint64_t needed = extent_bytes(shape, strides, element_size);
  if (needed > 0 && (pointer == 0 || nb::cast<std::int64_t>(memory[1]) < static_cast<std::int64_t>(needed))) {
    refuse_leaf(leaf, ": it has no data");
  }
  Strides bytes;
  bytes.reserve(strides.size());
  for (const std::uint64_t stride : strides) bytes.push_back(static_cast<std::int64_t>(stride * element_size));
  return {std::bit_cast<const std::byte*>(pointer), dtype, std::move(shape), std::move(bytes)};
}

ArrayPiece read_piece(const nb::tuple& piece, DType dtype, nb::handle leaf) {
  const nb::object memory = piece[1];
  if (PyTuple_Check(memory.ptr())) {
    ArrayView view = view_memory(record(memory), dtype, leaf);
    return {Box{Shape(extents(piece[0])), view.shape}, std::move(view)};
  }
  std::optional<ArrayView> view = view_numpy(memory, dtype_of(memory, leaf));
  if (!view || view->dtype != dtype) refuse_leaf(leaf, ": it is described wrongly");
  return {Box{Shape(extents(piece[0])), view->shape}, std::move(*view)};
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

ArrayLeaf read_host_array(nb::handle described, nb::handle source) {
  const nb::tuple host = record(described);
  ArrayLeaf leaf;
  leaf.dtype = dtype_from_name(nb::cast<std::string>(host[0]));
  leaf.shape = Shape(extents(host[1]));
  for (const nb::handle piece : nb::object(host[2])) leaf.pieces.push_back(read_piece(record(piece), leaf.dtype, source));
  leaf.owner = owner_of(host[3]);
  leaf.immutable = nb::cast<bool>(host[4]);
  leaf.origin = nb::cast<std::string>(host[5]);
  leaf.sharding = nb::cast<std::string>(host[6]);
  return leaf;
}

}  // namespace perdure::python
