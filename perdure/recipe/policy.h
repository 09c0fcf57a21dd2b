#pragma once
// Which paths a recipe may name. Decided by name alone, so that what is refused is never imported; hosts ask again about the object
// that a path led to, under the names that the object, its bases and what it wraps have themselves.
//
// The rules are rows of policy_table.cc. They refuse by kind what runs processes or code, deserialises, or touches files and network.
// No such list is ever complete: whoever reads recipes of strangers gives `modules`.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/recipe/recipe_error.h"

namespace perdure::recipe {

/// Immutable; any thread may call any member.
class Policy {
 public:
  /// The safe default.
  Policy() = default;
  /// `modules`: only these and their submodules, and only objects of their packages; `allow`: exact paths that every rule lets through. Throws kInvalid for a name that
  /// can be no module or path.
  Policy(std::optional<std::vector<std::string>> modules, std::vector<std::string> allow);

  /// The rule that refuses a path as it stands in a recipe, if one does.
  std::optional<std::string> refuses_path(std::string_view path) const;
  /// The rule that refuses an object of this own name, which may be private: "posix.system", "torch._tensor.Tensor".
  std::optional<std::string> refuses_object(std::string_view name) const;
  /// The rule that refuses an object of this own name where `modules` are given: it lives in none of their packages, only another name
  /// for it does.
  std::optional<std::string> refuses_origin(std::string_view name) const;
  /// As refuses_object, for a class that another one derives from.
  std::optional<std::string> refuses_base(std::string_view name) const;
  bool is_allowed_by_name(std::string_view path) const;

  /// Throws the RecipeError that names path and rule.
  void check_path(std::string_view path, const JsonPath& where) const;

 private:
  std::optional<std::vector<std::string>> modules_;
  std::vector<std::string> allow_;
};

/// Throws the error of a refusal.
[[noreturn]] void refuse(std::string_view path, const std::string& rule, const JsonPath& where);

}  // namespace perdure::recipe
