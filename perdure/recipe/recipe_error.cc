#include "perdure/recipe/recipe_error.h"

#include <vector>

#include "perdure/base/object.h"
#include "perdure/base/utf8.h"
#include "perdure/recipe/dotted_path.h"

namespace perdure::recipe {
namespace {

constexpr std::size_t kShownMax = 120;

/// At most kShownMax bytes, and no half of a code point.
std::string_view shown(std::string_view text) {
  if (text.size() <= kShownMax) return text;
  std::size_t size = kShownMax;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return text.substr(0, size);
}

std::string message_of(const JsonPath& where, const std::string& what, const std::string& rule) {
  return what + (rule.empty() ? "" : ": refused by the rule '" + rule + "'") + " (at " + where.str() + ")";
}

}  // namespace

JsonPath JsonPath::key(std::string_view name) const {
  if (is_identifier(name) && name.size() <= kShownMax) return JsonPath(Step{last_, "." + std::string(name)});
  return JsonPath(Step{last_, "[" + quoted(name) + "]"});
}

JsonPath JsonPath::index(std::size_t position) const { return JsonPath(Step{last_, "", position}); }

JsonPath JsonPath::parsed(std::string text) { return text == "$" ? JsonPath() : JsonPath(Step{nullptr, text.substr(1)}); }

std::string JsonPath::str() const {
  std::vector<const Step*> steps;
  for (const Step* step = last_.get(); step != nullptr; step = step->before.get()) steps.push_back(step);
  std::string text = "$";
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    text += (*step)->text.empty() ? "[" + std::to_string((*step)->position) + "]" : (*step)->text;
  }
  return text;
}

RecipeError::RecipeError(ErrorKind kind, const JsonPath& where, const std::string& what, std::string rule)
    : Error(kind, message_of(where, what, rule)), json_path_(where.str()), rule_(std::move(rule)) {}

void fail(const JsonPath& where, const std::string& what) { throw RecipeError(ErrorKind::kRecipe, where, what); }
void fail_type(const JsonPath& where, const std::string& what) { throw RecipeError(ErrorKind::kRecipeType, where, what); }

std::string quoted(std::string_view text) {
  const std::string_view part = shown(text);
  return Key(part).repr() + (part.size() < text.size() ? "..." : "");
}

}  // namespace perdure::recipe
