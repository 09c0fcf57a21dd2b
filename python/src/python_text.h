#pragma once
// str between Python and UTF-8. Lone surrogates are three bytes each, as in Text (base/leaf.h). All of it needs the GIL.
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace perdure::python {

nanobind::object text_object(std::string_view utf8);

/// Of a subclass of str too. Throws a TypeError for what is no str.
std::string utf8_of(nanobind::handle str);

/// The same without a copy, where the str can lend it; else `storage` holds it. Valid as long as both are.
std::string_view view_utf8(nanobind::handle str, std::string& storage);

}  // namespace perdure::python
