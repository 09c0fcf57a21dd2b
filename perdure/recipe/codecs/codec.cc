#include "perdure/recipe/codecs/codec.h"

#include "perdure/recipe/codecs/table.h"
#include "perdure/recipe/dotted_path.h"
#include "perdure/recipe/spec.h"

namespace perdure::recipe {

json::Value write_any(const Value& value, int level) { return codec_of(value).write(value, level); }

json::Value write_as(const Value& value, const Expected& expected, int level) {
  const ExpectedForm& form = form_of(expected);
  auto settled = form.write == nullptr ? std::nullopt : form.write(value, expected, level);
  return settled ? std::move(*settled) : write_any(value, level);
}

json::Value tagged(std::string_view tag, json::Value payload) { return json::Object{{std::string(tag), std::move(payload)}}; }

const json::Object::Member* find_tag(const json::Object& object) {
  if (object.size() != 1) return nullptr;
  const std::string& key = object.members().front().first;
  const bool is_tag = key.size() > 4 && key.starts_with("__") && key.ends_with("__");
  return is_tag ? &object.members().front() : nullptr;
}

bool is_special(const json::Object& object) { return find_tag(object) != nullptr || object.find("cls_path") != nullptr; }

std::optional<json::Value> unless_special(json::Value written) {
  if (written.is_object() && is_special(written.as_object())) return std::nullopt;
  return written;
}

std::string joined_text(const std::vector<Expected>& items, std::string_view separator) {
  std::string text;
  for (const Expected& item : items) text.append(text.empty() ? "" : separator).append(item.str());
  return text;
}

const std::string& text_of(const json::Value& payload, const JsonPath& where) {
  if (!payload.is_string()) fail(where, "expected text, found " + std::string(payload.kind_name()));
  return payload.as_string();
}

const json::Array& array_of(const json::Value& payload, const JsonPath& where) {
  if (!payload.is_array()) fail(where, "expected a list, found " + std::string(payload.kind_name()));
  return payload.as_array();
}

std::string path_of(const json::Value& payload, const JsonPath& where) {
  const std::string& path = text_of(payload, where);
  split_path(path, where);
  return path;
}

TwoValues two_items(const json::Value& payload, const JsonPath& where) {
  const json::Array& items = array_of(payload, where);
  if (items.size() != 2) fail(where, "expected a list of two");
  return {&items[0], &items[1]};
}

TwoValues two_members(const json::Value& payload, std::string_view a, std::string_view b, const JsonPath& where) {
  const json::Value* first = payload.is_object() ? payload.as_object().find(a) : nullptr;
  const json::Value* second = payload.is_object() ? payload.as_object().find(b) : nullptr;
  if (first == nullptr || second == nullptr || payload.as_object().size() != 2) {
    fail(where, "expected an object of " + quoted(a) + " and " + quoted(b));
  }
  return {first, second};
}

}  // namespace perdure::recipe
