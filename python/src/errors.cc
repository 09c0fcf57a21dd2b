#include "python/src/errors.h"

#include <nanobind/stl/string.h>

#include <new>
#include <string>
#include <string_view>

#include "python/src/bindings.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

struct ErrorClass {
  ErrorKind kind;
  const char* name;  // in perdure.errors
};

constexpr ErrorClass kErrorClasses[] = {
    {ErrorKind::kInputType, "InputTypeError"},
    {ErrorKind::kInvalid, "InvalidError"},
    {ErrorKind::kCheckpoint, "CheckpointError"},
    {ErrorKind::kMismatch, "MismatchError"},
    {ErrorKind::kCorrupt, "CorruptError"},
    {ErrorKind::kNotFound, "NotFoundError"},
    {ErrorKind::kNoHandler, "NoHandlerError"},
    {ErrorKind::kAlreadyExists, "AlreadyExistsError"},
    {ErrorKind::kRecipe, "RecipeError"},
    {ErrorKind::kRecipeType, "RecipeTypeError"},
    {ErrorKind::kIo, "IoError"},
    {ErrorKind::kCancelled, "CancelledError"},
};

const char* class_name(ErrorKind kind) {
  for (const ErrorClass& row : kErrorClasses) {
    if (row.kind == kind) return row.name;
  }
  return "Error";
}

// Paths and keys in a message may hold bytes that are not UTF-8: show them, never fail on them.
nb::object text(std::string_view utf8) {
  PyObject* decoded = PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "backslashreplace");
  if (decoded == nullptr) throw nb::python_error();
  return nb::steal(decoded);
}

int errno_of(ErrorKind kind, nb::handle exception) {
  if (kind != ErrorKind::kIo) return 0;
  const nb::object value = exception.attr("errno");
  return value.is_none() ? 0 : nb::cast<int>(value);
}

void raise_in_python(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    try {
      const nb::object exception = error_object(error);
      PyErr_SetObject(exception.type().ptr(), exception.ptr());
    } catch (nb::python_error& failure) {
      failure.restore();
    }
  }
}

}  // namespace

nb::object error_object(const Error& error) {
  const nb::object cls = nb::module_::import_("perdure.errors").attr(class_name(error.kind()));
  const nb::object message = text(error.message());
  nb::object exception = error.kind() == ErrorKind::kIo ? cls(message, error.errno_value()) : cls(message);
  for (const std::string& note : error.notes()) exception.attr("add_note")(text(note));
  return exception;
}

void throw_if_ours(nb::python_error& raised) {
  const nb::handle type = raised.type();
  if (!nb::cast<std::string>(nb::str(type.attr("__module__"))).starts_with("perdure.errors")) return;
  const std::string name = nb::cast<std::string>(type.attr("__name__"));
  for (const ErrorClass& row : kErrorClasses) {
    if (name != row.name) continue;
    Error error(row.kind, nb::cast<std::string>(nb::str(raised.value())), errno_of(row.kind, raised.value()));
    for (const nb::handle note : nb::getattr(raised.value(), "__notes__", nb::make_tuple())) {
      error.add_note(nb::cast<std::string>(nb::str(note)));
    }
    throw error;
  }
}

bool is_refusal(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return false;
  const auto* const raised = dynamic_cast<const nb::python_error*>(&error);
  return raised == nullptr || (raised->matches(PyExc_Exception) && !raised->matches(PyExc_MemoryError));
}

void bind_errors(nb::module_&) { nb::register_exception_translator(raise_in_python); }

}  // namespace perdure::python
