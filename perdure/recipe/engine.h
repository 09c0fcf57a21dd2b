#pragma once
// Reading, making and building recipes, over any host.
//
//   Spec spec = read(text, host);     // checks everything that can be checked; runs nothing
//   Object model = build(spec, host); // builds inner specs, then calls the target
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/recipe/host.h"

namespace perdure::recipe {

/// Throws a RecipeError with the JSON path of the fault.
Spec read(std::string_view text, Host& host);
/// `written` must be canonical.
Spec read(json::Value written, Host& host);

using NamedValue = std::pair<std::string, Value>;

/// A new recipe. What could not be read again is refused now: unknown arguments, values that do not fit, paths that a rule refuses.
Spec make(const std::string& cls_path, const std::string& timestamp, const std::vector<NamedValue>& arguments, Host& host);
/// The same without asking for the arguments' names: they may be of another version of the target.
Spec make_unbound(const std::string& cls_path, const std::string& timestamp, const std::vector<NamedValue>& arguments,
                  Host& host);

/// The value of an argument as far as it is known without running code. Throws kNotFound if there is none of this name.
Value field_value(const Spec& spec, std::string_view name, Host& host);

/// What the caller adds to a call: arguments without names, and others that replace stored ones.
struct Injected {
  std::vector<Object> positional;
  std::vector<std::pair<std::string, Object>> named;
};

/// Throws a RecipeError of kind kRecipeType that names path and timestamp if the arguments are no longer those of the target.
Object build(const Spec& spec, Host& host, Injected injected = {});

}  // namespace perdure::recipe
