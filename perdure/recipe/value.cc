#include "perdure/recipe/value.h"

#include "perdure/recipe/codecs/table.h"

namespace perdure::recipe {

std::string package_of(const ArrayValue& array) { return array.origin.substr(0, array.origin.find_first_of(".|:")); }

std::string Value::kind_name() const { return std::string(codec_of(*this).kind_name); }

}  // namespace perdure::recipe
