#pragma once
// Members of enums that are numbers or text as well (IntEnum, StrEnum): leaves that have a class. The plain value is stored, and
// the structure names the class. All of it needs the GIL.
#include <nanobind/nanobind.h>

#include "python/src/python_host.h"

namespace perdure::python {

/// False for a class that is no enum, or one of other values than int, float or str.
bool is_enum_of_plain(nanobind::handle type);

/// Writes the classes of members into the structure that was made of these objects.
void name_enum_classes(PythonReader& reader, const tree::FlatObjects& flat, tree::Structure& structure);

/// The member of this value, or the combination of flags, without running code of the class; None if `cls` is no enum or has no such member.
nanobind::object find_enum_member(nanobind::handle cls, nanobind::handle value);

}  // namespace perdure::python
