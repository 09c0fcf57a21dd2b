// What the native type handlers of perdure._src.type_handlers are made of: arrays and texts of an item, written and read by name.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "perdure/base/error.h"
#include "perdure/base/leaf_note.h"
#include "perdure/checkpoint/leaves/leaf_batch.h"
#include "perdure/checkpoint/leaves/strings_file.h"
#include "perdure/checkpoint/read/leaf_reader.h"
#include "perdure/checkpoint/write/written_leaves.h"
#include "python/src/bindings.h"
#include "python/src/convert.h"
#include "python/src/python_array.h"
#include "python/src/python_host.h"
#include "python/src/storage_options.h"
#include "python/src/transfer_arguments.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using checkpoint::LeafBatch;
using checkpoint::LeafReader;
using checkpoint::LeafToRead;
using checkpoint::LeafToWrite;

/// name, array, dtype name, chunk_byte_size, shard_axes, write_shape, use_zarr3, use_compression.
using LeafArguments = std::tuple<nb::bytes, nb::object, std::optional<std::string>, std::optional<std::uint64_t>,
                                 std::vector<std::uint64_t>, std::optional<std::vector<std::uint64_t>>, bool, bool>;

LeafToWrite leaf_to_write(const LeafArguments& arguments, PythonReader& reader) {
  const auto& [name_bytes, value, dtype, chunk_byte_size, shard_axes, write_shape, use_zarr3, use_compression] = arguments;
  const std::string name(text_of(name_bytes));
  return with_leaf_note(name, [&]() -> LeafToWrite {
    Leaf leaf = reader.leaf(value.ptr());
    auto* array = std::get_if<ArrayLeaf>(&leaf);
    if (array == nullptr) throw Error(ErrorKind::kInputType, "a plain value, not an array");
    LeafToWrite result{name, std::move(*array), {}};
    ArraySaveOptions& options = result.options;
    options.use_zarr3 = use_zarr3;
    if (use_compression) options.compression.emplace();
    options = with_storage_options(std::move(options), {dtype, chunk_byte_size, shard_axes});
    if (write_shape) options.write_shape = Shape(*write_shape);
    return result;
  });
}

std::unique_ptr<LeafBatch> make_batch(const std::vector<LeafArguments>& leaves, bool use_ocdbt,
                                      std::optional<std::uint64_t> data_file_bytes_max, const nb::list& priorities,
                                      const nb::object& status, const nb::list& key_paths,
                                      std::optional<std::uint64_t> transfer_bytes_max,
                                      std::shared_ptr<ByteLimiter> write_limiter) {
  PythonReader reader;
  std::vector<LeafToWrite> to_write;
  for (const LeafArguments& leaf : leaves) to_write.push_back(leaf_to_write(leaf, reader));
  checkpoint::LeafBatchOptions options;
  options.use_ocdbt = use_ocdbt;
  if (data_file_bytes_max) options.data_file_bytes_max = *data_file_bytes_max;
  TransferArguments transfer{.bytes_max = transfer_bytes_max, .write_limiter = std::move(write_limiter)};
  if (!status.is_none()) {
    for (nb::handle path : key_paths) transfer.told.push_back({status, nb::borrow(path)});
  }
  for (std::size_t i = 0; i < nb::len(priorities); ++i)
    transfer.priorities.push_back(read_priority(priorities[i], to_write[i].name));
  options.transfer = transfer_options(std::move(transfer));
  return std::make_unique<LeafBatch>(std::move(to_write), std::move(options));
}

std::unique_ptr<LeafReader> open_reader(const nb::bytes& directory, std::optional<bool> is_ocdbt) {
  return without_gil([&] { return std::make_unique<LeafReader>(std::string(text_of(directory)), is_ocdbt); });
}

/// shape, dtype, chunk shape.
nb::tuple describe_leaf(const LeafReader& reader, const nb::bytes& name) {
  const auto metadata = without_gil([&] { return reader.describe(std::string(text_of(name))); });
  return nb::make_tuple(shape_object(metadata.shape), nb::borrow(numpy_dtype(metadata.dtype)),
                        shape_object(metadata.chunk_shape));
}

/// For each leaf: the array, and whether the cast changed values.
nb::list read_leaves(const LeafReader& reader, const std::vector<std::pair<nb::bytes, std::optional<std::string>>>& leaves,
                     bool missing_is_fill, std::shared_ptr<ByteLimiter> limiter) {
  std::vector<LeafToRead> to_read;
  for (const auto& [name, dtype] : leaves) {
    to_read.push_back({std::string(text_of(name)), dtype ? std::optional(dtype_from_name(*dtype)) : std::nullopt});
  }
  const std::vector<LoadedArray> loaded =
      without_gil([&] { return reader.read(to_read, {.missing_is_fill = missing_is_fill, .limiter = std::move(limiter)}); });
  nb::list result;
  for (const LoadedArray& array : loaded) {
    const ByteView bytes = array.view.bytes();
    nb::object made =
        numpy_array(array.view.dtype, array.view.shape, {const_cast<std::byte*>(bytes.data()), bytes.size()}, array.owner, true);
    result.append(nb::make_tuple(made, array.cast_changed_values));
  }
  return result;
}

void write_strings(const nb::bytes& directory, const std::vector<std::pair<nb::bytes, nb::bytes>>& strings) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [name, text] : strings) texts.emplace_back(text_of(name), text_of(text));
  without_gil([&] { checkpoint::write_strings(std::string(text_of(directory)), std::move(texts)); });
}

nb::list read_strings(const nb::bytes& directory, const std::vector<nb::bytes>& names) {
  std::vector<std::string> wanted;
  for (const nb::bytes& name : names) wanted.emplace_back(text_of(name));
  nb::list result;
  for (const std::string& text : without_gil([&] { return checkpoint::read_strings(std::string(text_of(directory)), wanted); })) {
    result.append(bytes_object(text));
  }
  return result;
}

}  // namespace

void bind_leaves(nb::module_& m) {
  nb::class_<LeafBatch>(m, "LeafBatch")
      .def(nb::new_(&make_batch), nb::arg("leaves"), nb::kw_only(), nb::arg("use_ocdbt"), nb::arg("data_file_bytes_max").none(),
           nb::arg("priorities"), nb::arg("status").none(), nb::arg("key_paths"), nb::arg("transfer_bytes_max").none(),
           nb::arg("write_limiter").none())
      .def("stage", &LeafBatch::stage, nb::call_guard<GilRelease>())
      .def(
          "write",
          [](LeafBatch& batch, const nb::bytes& directory) {
            without_gil([&] { batch.write(std::string(text_of(directory))); });
          },
          nb::arg("directory"));
  nb::class_<checkpoint::HeldDirectory>(m, "HeldDirectory")
      .def(
          nb::new_([](const nb::bytes& path) { return std::make_unique<checkpoint::HeldDirectory>(std::string(text_of(path))); }),
          nb::arg("path"));
  nb::class_<LeafReader>(m, "LeafReader")
      .def(nb::new_(&open_reader), nb::arg("directory"), nb::arg("is_ocdbt").none())
      .def("describe", &describe_leaf, nb::arg("name"))
      .def("read", &read_leaves, nb::arg("leaves"), nb::kw_only(), nb::arg("missing_is_fill"), nb::arg("limiter").none());
  m.def("write_strings", &write_strings, nb::arg("directory"), nb::arg("strings"));
  m.def("read_strings", &read_strings, nb::arg("directory"), nb::arg("names"));
  m.def(
      "finalize_leaves",
      [](const nb::bytes& directory) { without_gil([&] { checkpoint::finalize_leaves(std::string(text_of(directory))); }); },
      nb::arg("directory"));
}

}  // namespace perdure::python
