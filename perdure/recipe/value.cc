#include "perdure/recipe/value.h"

#include <iterator>

namespace perdure::recipe {

std::string package_of(const ArrayValue& array) { return array.origin.substr(0, array.origin.find_first_of(".|:")); }

std::string Value::kind_name() const {
  constexpr const char* kNames[] = {"None",
                                    "a bool",
                                    "an int",
                                    "an int",
                                    "a float",
                                    "a complex number",
                                    "text",
                                    "bytes",
                                    "a list",
                                    "a tuple",
                                    "a dict",
                                    "an array",
                                    "a dtype",
                                    "a device",
                                    "a class",
                                    "an enum member",
                                    "a path",
                                    "a dataclass",
                                    "a registered object",
                                    "a spec"};
  static_assert(std::size(kNames) == std::variant_size_v<decltype(data)>);
  return kNames[data.index()];
}

}  // namespace perdure::recipe
