#include "perdure/recipe/spec.h"

#include <algorithm>
#include <iterator>

#include "perdure/recipe/dotted_path.h"
#include "perdure/recipe/limits.h"

namespace perdure::recipe {
namespace {

constexpr std::string_view kPath = "cls_path";
constexpr std::string_view kTimestamp = "timestamp";

// An argument of such a name would hide what every spec has.
constexpr std::string_view kReserved[] = {"build", "cls_path", "model_dump", "model_dump_json", "timestamp"};

bool is_meta(std::string_view name) { return name == kPath || name == kTimestamp; }

void check_name(const std::string& name, const JsonPath& where) {
  if (!is_identifier(name) || is_private(name) || name.size() > kLimits.path_bytes_max) {
    fail_type(where.key(name), quoted(name) + " can be no argument of a recipe");
  }
  if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved)) {
    fail_type(where.key(name), "the argument name " + quoted(name) + " is reserved");
  }
}

const std::string& text_member(const json::Object& members, std::string_view key, const JsonPath& where) {
  const json::Value* found = members.find(key);
  if (found == nullptr) fail(where, "a recipe without " + quoted(key));
  if (!found->is_string()) fail(where.key(key), quoted(key) + " is no text");
  return found->as_string();
}

json::Value joined(std::string cls_path, std::string timestamp, std::vector<Spec::Field> fields) {
  json::Object members{{std::string(kPath), std::move(cls_path)}, {std::string(kTimestamp), std::move(timestamp)}};
  for (auto& [name, value] : fields) {
    check_name(name, JsonPath());
    members.add(name, std::move(value));
  }
  return members;
}

}  // namespace

Spec::Spec(std::shared_ptr<const json::Value> written, const JsonPath& where) {
  if (!written->is_object()) fail(where, "expected a recipe as a JSON object");
  const json::Object& members = written->as_object();
  check_any_path(text_member(members, kPath, where), where.key(kPath));
  const std::string& timestamp = text_member(members, kTimestamp, where);
  if (timestamp.empty() || timestamp.size() > kLimits.path_bytes_max) fail(where.key(kTimestamp), "expected a date and time");
  for (const auto& [name, value] : members.members()) {
    if (!is_meta(name)) check_name(name, where);
  }
  written_ = std::move(written);
}

Spec::Spec(std::string cls_path, std::string timestamp, std::vector<Field> fields)
    : Spec(std::make_shared<const json::Value>(joined(std::move(cls_path), std::move(timestamp), std::move(fields)))) {}

const std::string& Spec::cls_path() const { return json().as_object().at(kPath).as_string(); }
const std::string& Spec::timestamp() const { return json().as_object().at(kTimestamp).as_string(); }

std::vector<std::pair<std::string_view, const json::Value*>> Spec::fields() const {
  std::vector<std::pair<std::string_view, const json::Value*>> fields;
  for (const auto& [name, value] : json().as_object().members()) {
    if (!is_meta(name)) fields.emplace_back(name, &value);
  }
  return fields;
}

std::vector<std::string> Spec::names() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : fields()) names.emplace_back(name);
  return names;
}

const json::Value* Spec::find(std::string_view name) const { return is_meta(name) ? nullptr : json().as_object().find(name); }

std::string Spec::text() const { return json::dump(json(), {.ascii = false}); }

bool is_written_spec(const json::Value& written) { return written.is_object() && written.as_object().find(kPath) != nullptr; }

}  // namespace perdure::recipe
