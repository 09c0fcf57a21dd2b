#pragma once
// Numbers of JSON.
#include "perdure/base/json.h"
#include "perdure/recipe/value.h"

namespace perdure::recipe {

/// An int, of any size, or a float.
Value read_number(const json::Value& number);

}  // namespace perdure::recipe
