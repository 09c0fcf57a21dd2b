#pragma once
// Lists, tuples and dicts: of values that may be of any kind.
#include <vector>

#include "perdure/base/json.h"
#include "perdure/recipe/codecs/reader.h"
#include "perdure/recipe/value.h"

namespace perdure::recipe {

/// The items of a list or tuple. Throws a RecipeError for what is no list in JSON.
std::vector<Value> read_items(const json::Value& written, const Place& place, Reader& reader);
/// An object of JSON that is neither a tag nor a recipe.
Value read_plain_dict(const json::Object& members, const JsonPath& where, Reader& reader);

/// The items of a list or tuple, if `expected` takes this kind of it; else nullptr.
const std::vector<Value>* items_of(const Value& value, const Expected& expected);
/// Of the item at `index`; any value where nothing is said of it.
const Expected& expected_item(const Expected& expected, std::size_t index);
bool has_right_length(std::size_t count, const Expected& expected);

}  // namespace perdure::recipe
