#pragma once
// How each kind of value is written and read, and what each kind of annotation makes of it.
//
// JSON has some values; the others stand under a tag, an object of one key, such as {"__bytes__": "aGk="}. Where an annotation says what
// to expect, the plain form that it settles stands instead ("torch.float32" for a dtype). A file of this folder has a family of both,
// writing beside reading; table.h lists them all.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/base/json.h"
#include "perdure/recipe/codecs/reader.h"
#include "perdure/recipe/expected.h"
#include "perdure/recipe/recipe_error.h"
#include "perdure/recipe/value.h"

namespace perdure::recipe {

/// A kind of Value. Tags are part of the format.
struct ValueCodec {
  std::string_view kind_name;  // "a dtype": for messages
  std::string_view tag = {};   // empty: JSON has such a value
  bool can_be_key = false;     // of a dict, in every host
  json::Value (*write)(const Value& value, int level) = nullptr;
  /// The value of a tag's payload. Throws a RecipeError for whatever `write` does not give.
  Value (*read)(const json::Value& payload, const Place& place, Reader& reader) = nullptr;
};

/// A kind of Expected.
struct ExpectedForm {
  Expected::Kind kind;
  std::string_view name;   // as hosts say it
  std::string_view label;  // "torch.dtype": for messages
  bool (*fits)(const Value& value, const Expected& expected);
  /// The plain form of a value; nullopt where none is settled for this one.
  std::optional<json::Value> (*write)(const Value& value, const Expected& expected, int level) = nullptr;
  /// The value of what is no tag and no null; nullopt where it says nothing about this one.
  std::optional<Value> (*read)(const json::Value& written, const Place& place, Reader& reader) = nullptr;
  std::string (*text)(const Expected& expected) = nullptr;  // "list[int]", where the label is not all
};

json::Value write_any(const Value& value, int level);
json::Value write_as(const Value& value, const Expected& expected, int level);

/// {tag: payload}
json::Value tagged(std::string_view tag, json::Value payload);
/// The tag of an object that is one: its only key, if that begins and ends with "__".
const json::Object::Member* find_tag(const json::Object& object);
/// An object that reads as something else than a dict.
bool is_special(const json::Object& object);
/// nullopt if it would be read as something else.
std::optional<json::Value> unless_special(json::Value written);

inline constexpr std::string_view kTextTag = "__text__";  // text that would mean a dtype or device

/// "int, str"
std::string joined_text(const std::vector<Expected>& items, std::string_view separator);

const std::string& text_of(const json::Value& payload, const JsonPath& where);
const json::Array& array_of(const json::Value& payload, const JsonPath& where);
/// A path of dotted identifiers.
std::string path_of(const json::Value& payload, const JsonPath& where);

using TwoValues = std::pair<const json::Value*, const json::Value*>;
TwoValues two_items(const json::Value& payload, const JsonPath& where);
/// The members `a` and `b` of an object that has no others.
TwoValues two_members(const json::Value& payload, std::string_view a, std::string_view b, const JsonPath& where);

}  // namespace perdure::recipe
