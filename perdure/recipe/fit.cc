#include "perdure/recipe/fit.h"

#include "perdure/recipe/codecs/containers.h"
#include "perdure/recipe/codecs/table.h"

namespace perdure::recipe {

bool fits(const Value& value, const Expected& expected) {
  if (value.is<SpecValue>()) return true;  // what it will build is not known yet
  return (value.is<None>() && expected.accepts_none) || form_of(expected).fits(value, expected);
}

void check_fits(const Value& value, const Expected& expected, const JsonPath& where) {
  if (fits(value, expected)) return;
  if (const auto* items = items_of(value, expected); items != nullptr && expected.kind != Expected::Kind::kOneOf) {
    if (!has_right_length(items->size(), expected)) {
      fail(where, "expected " + expected.str() + ", found " + std::to_string(items->size()) + " items");
    }
    for (std::size_t i = 0; i < items->size(); ++i) check_fits((*items)[i], expected_item(expected, i), where.index(i));
  }
  fail(where, "expected " + expected.str() + ", found " + value.kind_name());
}

}  // namespace perdure::recipe
