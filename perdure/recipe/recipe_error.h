#pragma once
// What is wrong with a recipe, and where: the JSON path of the fault, and the rule if a policy refused.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/base/error.h"

namespace perdure::recipe {

/// Where a value stands: "$.parts[1].t". Keys that are no identifiers are quoted: $['a b']. Cheap to extend and to copy, whatever the
/// depth: the text is made when somebody asks.
class JsonPath {
 public:
  JsonPath() = default;
  JsonPath key(std::string_view name) const;
  JsonPath index(std::size_t position) const;
  /// Of a text that str() gave.
  static JsonPath parsed(std::string text);
  std::string str() const;

 private:
  struct Step {
    std::shared_ptr<const Step> before;
    std::string text;  // ".t", "['a b']"; empty for a position
    std::size_t position = 0;
  };
  explicit JsonPath(Step step) : last_(std::make_shared<const Step>(std::move(step))) {}
  std::shared_ptr<const Step> last_;  // nullptr: the root
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
