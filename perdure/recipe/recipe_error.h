#pragma once
// What is wrong with a recipe, and where: the JSON path of the fault, and the rule if a policy refused.
#include <cstddef>
#include <string>
#include <string_view>

#include "perdure/base/error.h"

namespace perdure::recipe {

/// Where a value stands: "$.parts[1].t". Keys that are no identifiers are quoted: $["a b"].
class JsonPath {
 public:
  JsonPath() = default;
  JsonPath key(std::string_view name) const;
  JsonPath index(std::size_t position) const;
  /// Of a text that str() gave.
  static JsonPath parsed(std::string text) { return JsonPath(std::move(text)); }
  const std::string& str() const { return text_; }

 private:
  explicit JsonPath(std::string text) : text_(std::move(text)) {}
  std::string text_ = "$";
};

/// Of kind kRecipe or kRecipeType. The message ends with the JSON path, and names the rule if there is one.
class RecipeError : public Error {
 public:
  RecipeError(ErrorKind kind, const JsonPath& where, const std::string& what, std::string rule = "");

  const std::string& json_path() const { return json_path_; }
  const std::string& rule() const { return rule_; }  // empty: no policy refused

 private:
  std::string json_path_;
  std::string rule_;
};

/// Throws a RecipeError of kind kRecipe: "expected a dtype, found 'nn' (at $.inner.dtype)".
[[noreturn]] void fail(const JsonPath& where, const std::string& what);
/// One of kind kRecipeType.
[[noreturn]] void fail_type(const JsonPath& where, const std::string& what);

/// Text of a file for a message: quoted, cut after 120 bytes, control characters escaped.
std::string quoted(std::string_view text);

}  // namespace perdure::recipe
