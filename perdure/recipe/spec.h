#pragma once
// A recipe: which class or function to call, and with which arguments. Its written form is the truth: arguments are kept as JSON, and
// two specs are equal when their texts are.
//
//   {"cls_path": "torch.nn.Linear", "timestamp": "2026-01-01T00:00:00+00:00", "in_features": 3, "out_features": 2}
//
// Reading and making need a Host (host.h), which knows the targets; building calls them.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/base/json.h"
#include "perdure/recipe/recipe_error.h"

namespace perdure::recipe {

/// Immutable; any thread may call any member. Copies share the JSON.
class Spec {
 public:
  using Field = std::pair<std::string, json::Value>;

  /// `written`: an object of canonical JSON (canonical.h). Throws a RecipeError if it has no path or timestamp, or names that no argument
  /// can have.
  explicit Spec(std::shared_ptr<const json::Value> written, const JsonPath& where = JsonPath());
  /// `fields`: arguments in the order of the call, each in canonical JSON.
  Spec(std::string cls_path, std::string timestamp, std::vector<Field> fields);

  const std::string& cls_path() const;
  const std::string& timestamp() const;  // when it was made: ISO 8601, UTC
  /// The arguments with their JSON, in the order of the call. Valid while the spec is.
  std::vector<std::pair<std::string_view, const json::Value*>> fields() const;
  std::vector<std::string> names() const;
  /// The argument in JSON, or nullptr.
  const json::Value* find(std::string_view name) const;

  const json::Value& json() const { return *written_; }
  const std::shared_ptr<const json::Value>& owner() const { return written_; }
  /// One line of strict JSON: path, timestamp, arguments in call order.
  std::string text() const;
  bool operator==(const Spec& other) const { return json() == other.json(); }

 private:
  std::shared_ptr<const json::Value> written_;
};

/// True for the members of a spec in JSON: an object with "cls_path".
bool is_written_spec(const json::Value& written);

}  // namespace perdure::recipe
