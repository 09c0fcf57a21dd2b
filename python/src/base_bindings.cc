// Names of perdure._core that come from perdure/base: dtypes and casts between them, byte limits.
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <string_view>
#include <tuple>

#include "perdure/base/byte_limiter.h"
#include "perdure/base/cast.h"
#include "perdure/base/error.h"
#include "python/src/bindings.h"
#include "python/src/convert.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using Flags = std::tuple<bool, bool, bool>;

std::tuple<nb::bytes, Flags> cast(nb::bytes source, std::string_view from, std::string_view to) {
  const DType from_dtype = dtype_from_name(from), to_dtype = dtype_from_name(to);
  const std::size_t count = source.size() / itemsize(from_dtype);
  if (source.size() % itemsize(from_dtype) != 0) {
    throw Error(ErrorKind::kInvalid, std::to_string(source.size()) + " bytes are not a whole number of " + std::string(from));
  }
  std::string target(checked_multiply(count, itemsize(to_dtype)), '\0');
  CastReport report;
  {
    const GilRelease release;
    report = cast_array(ArrayView::contiguous(static_cast<const std::byte*>(source.data()), from_dtype, {count}),
                        ArraySpan::contiguous(reinterpret_cast<std::byte*>(target.data()), to_dtype, {count}));
  }
  return {nb::bytes(target.data(), target.size()),
          {report.changed_kind_and_value, report.integer_overflow, report.float_overflow}};
}

nb::list list_dtypes() {
  nb::list rows;
  for (const DTypeInfo& row : dtype_table()) rows.append(nb::make_tuple(row.name, row.itemsize, row.bits, row.has_zarr_name));
  return rows;
}

/// Shared with the engine's threads, which may outlive the Python object.
void bind_byte_limiter(nb::module_& m) {
  nb::class_<ByteLimiter>(m, "ByteLimiter")
      .def(nb::new_([](std::uint64_t bytes_max) { return std::make_shared<ByteLimiter>(bytes_max); }), nb::arg("bytes_max"))
      .def_prop_ro("bytes_max", &ByteLimiter::bytes_max)
      .def_prop_ro("bytes_in_flight", &ByteLimiter::bytes_in_flight)
      .def("request", &ByteLimiter::request, nb::arg("bytes"), nb::arg("granted"))
      .def("cancel", &ByteLimiter::cancel, nb::arg("ticket"))
      .def("release", &ByteLimiter::release, nb::arg("bytes"), nb::call_guard<GilRelease>());
}

}  // namespace

void bind_base(nb::module_& m) {
  bind_byte_limiter(m);
  m.def("dtypes", &list_dtypes, nb::sig("def dtypes() -> list[tuple[str, int, int, bool]]"),
        "Every dtype: its name, bytes of an element, significant bits of it, whether Zarr has a name for it.");
  m.def(
      "cast", &cast, nb::arg("array_bytes"), nb::arg("from_name"), nb::arg("to_name"),
      "The elements in another dtype, and whether the cast (changed kind and value, overflowed an integer, overflowed a float).");
}

}  // namespace perdure::python
