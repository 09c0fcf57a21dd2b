// The low-level door: perdure.storage over KvStore and zarr::Array.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "perdure/base/buffer_pool.h"
#include "perdure/base/error.h"
#include "perdure/storage/kvstore.h"
#include "perdure/storage/zarr/array.h"
#include "python/src/bindings.h"
#include "python/src/convert.h"
#include "python/src/python_array.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

/// An array with the store that it reads from.
struct OpenArray {
  std::unique_ptr<storage::KvStore> store;
  storage::zarr::Array array;
};

nb::bytes read_value(const storage::KvStore& store, const nb::bytes& key) {
  const Blob value = without_gil([&] { return store.read(text_of(key)); });
  return bytes_object(value.text());
}

nb::list list_keys(const storage::KvStore& store, const nb::bytes& prefix) {
  const std::vector<std::string> keys = without_gil([&] { return store.list(text_of(prefix)); });
  nb::list result;
  for (const std::string& key : keys) result.append(bytes_object(key));
  return result;
}

std::unique_ptr<storage::KvStore> open_store(const nb::bytes& path, const std::string& format,
                                             std::optional<std::uint64_t> generation) {
  storage::KvStoreOptions options;
  options.generation = generation;
  return without_gil([&] { return storage::open_kvstore(std::string(text_of(path)), format, options); });
}

std::unique_ptr<OpenArray> open_array(const nb::bytes& path, const nb::bytes& name_bytes) {
  return without_gil([&] {
    const std::string directory(text_of(path)), name(text_of(name_bytes));
    std::unique_ptr<storage::KvStore> store = storage::open_any_kvstore(directory);
    storage::zarr::Array array =
        with_note([&] { return "store " + directory; }, [&] { return storage::zarr::Array::open(*store, name); });
    return std::make_unique<OpenArray>(OpenArray{std::move(store), std::move(array)});
  });
}

nb::object read_box(const OpenArray& open, std::vector<std::uint64_t> offset, std::vector<std::uint64_t> extent) {
  const Box box{Shape(std::move(offset)), Shape(std::move(extent))};
  const DType dtype = open.array.metadata().dtype;
  const std::size_t size = checked_multiply(box.extent.element_count(), itemsize(dtype));
  std::shared_ptr<std::byte> memory = without_gil([&] {
    std::shared_ptr<std::byte> target = allocate_result(size);
    open.array.read(box, ArraySpan::contiguous(target.get(), dtype, box.extent));
    return target;
  });
  return numpy_array(dtype, box.extent, {memory.get(), size}, memory, true);
}

}  // namespace

void bind_storage(nb::module_& m) {
  nb::class_<storage::KvStore>(m, "KvStore").def("list", &list_keys, nb::arg("prefix")).def("read", &read_value, nb::arg("key"));
  m.def("open_kvstore", &open_store, nb::arg("path"), nb::arg("format"), nb::arg("generation").none());
  nb::class_<OpenArray>(m, "StoredArray")
      .def_prop_ro("shape", [](const OpenArray& open) { return shape_object(open.array.metadata().shape); })
      .def_prop_ro("dtype", [](const OpenArray& open) { return nb::borrow(numpy_dtype(open.array.metadata().dtype)); })
      .def_prop_ro("chunk_shape", [](const OpenArray& open) { return shape_object(open.array.metadata().chunk_shape); })
      .def("read", &read_box, nb::arg("offset"), nb::arg("extent"));
  m.def("open_array", &open_array, nb::arg("path"), nb::arg("name"));
}

}  // namespace perdure::python
