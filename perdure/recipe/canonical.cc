#include "perdure/recipe/canonical.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "perdure/recipe/limits.h"

namespace perdure::recipe {
namespace {

class Canonicaliser {
 public:
  json::Value value(const json::Value& found, const JsonPath& where, std::size_t depth) {
    if (++count_ > kLimits.value_count_max) fail(where, "more than " + std::to_string(kLimits.value_count_max) + " values");
    if (found.is_number()) return number(found, where);
    if ((found.is_array() || found.is_object()) && depth > kLimits.depth_max) {
      fail(where, "nested more than " + std::to_string(kLimits.depth_max) + " deep");
    }
    if (found.is_array()) return array(found.as_array(), where, depth + 1);
    if (found.is_object()) return object(found.as_object(), where, depth + 1);
    return found;
  }

 private:
  static json::Value number(const json::Value& found, const JsonPath& where) {
    const std::string& text = found.as_number().text;
    const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
    if (std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      if (digits.size() > kLimits.digits_max)
        fail(where, "an integer of more than " + std::to_string(kLimits.digits_max) + " digits");
      return written_integer(text == "-0" ? "0" : text);
    }
    if (text == "NaN") fail(where, "NaN is no JSON");
    const double value = found.as_double();
    if (!std::isfinite(value)) fail(where, quoted(text) + " is no finite number");
    return value;
  }

  json::Value array(const json::Array& items, const JsonPath& where, std::size_t depth) {
    json::Array result;
    result.reserve(items.size());
    for (const json::Value& item : items) result.push_back(value(item, where.index(result.size()), depth));
    return result;
  }

  json::Value object(const json::Object& members, const JsonPath& where, std::size_t depth) {
    json::Object result;
    std::set<std::string_view> keys;  // not hashed: a file can choose keys whose hashes are equal
    for (const auto& [key, member] : members.members()) {
      if (!keys.insert(key).second) fail(where.key(key), "the key " + quoted(key) + " stands twice");
      result.add(key, value(member, where.key(key), depth));
    }
    return result;
  }

  std::size_t count_ = 0;
};

}  // namespace

json::Value canonical_json(std::string_view text) {
  if (text.size() > kLimits.text_bytes_max) fail(JsonPath(), "more than " + std::to_string(kLimits.text_bytes_max) + " bytes");
  json::Value parsed;
  try {
    parsed = json::parse(text, {.depth_max = kLimits.depth_max});
  } catch (const Error& error) {
    fail(JsonPath(), error.message());
  }
  return canonical_json(parsed, JsonPath());
}

json::Value canonical_json(const json::Value& value, const JsonPath& where, std::size_t depth) {
  return Canonicaliser().value(value, where, depth);
}

json::Value written_integer(const std::string& digits) {
  if (digits.size() <= kPlainDigitsMax) return json::Number{digits};
  return json::Object{{std::string(kIntTag), digits}};
}

}  // namespace perdure::recipe
