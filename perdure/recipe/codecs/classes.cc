// What names a class of the host: the class itself, members of enums, dataclasses, objects with a serializer of the user's.
#include <set>

#include "perdure/recipe/codecs/table.h"

namespace perdure::recipe {
namespace {

using Kind = Expected::Kind;

constexpr std::string_view kType = "__type__";            // path of a class
constexpr std::string_view kEnum = "__enum__";            // {class, name}, or {class, value} for a member without a name
constexpr std::string_view kDataclass = "__dataclass__";  // {class, fields: [[name, value], ...]}
constexpr std::string_view kObject = "__object__";        // {class, value}: what the class's serializer gave

Value read_class(const json::Value& payload, const Place& place, Reader& reader) {
  return reader.meet({ClassValue{path_of(payload, place.where)}}, place.where);
}

json::Value write_enum(const Value& value, int) {
  const EnumValue& member = std::get<EnumValue>(value.data);
  json::Object payload{{"class", member.path}};
  if (member.name.empty()) {
    payload.add("value", write_any(*member.value, kDeepLevel));
  } else {
    payload.add("name", member.name);
  }
  return tagged(kEnum, std::move(payload));
}

Value member_of_value(std::string path, const json::Value& written, const JsonPath& where, Reader& reader) {
  return reader.meet({EnumValue{std::move(path), "", std::make_shared<const Value>(reader.read_part(written, where))}}, where);
}

Value read_enum(const json::Value& payload, const Place& place, Reader& reader) {
  if (!payload.is_object() || payload.as_object().find("name") == nullptr) {
    const auto [type, written] = two_members(payload, "class", "value", place.where);
    return member_of_value(path_of(*type, place.where), *written, place.where, reader);
  }
  const auto [type, name] = two_members(payload, "class", "name", place.where);
  EnumValue member{path_of(*type, place.where), text_of(*name, place.where), nullptr};
  if (member.name.empty()) fail(place.where, "an enum member without a name");
  return reader.meet({std::move(member)}, place.where);
}

json::Value write_record(const Value& value, int) {
  const RecordValue& record = std::get<RecordValue>(value.data);
  json::Array fields;
  for (const auto& [name, field] : record.fields) fields.push_back(json::Array{name, write_any(field, kDeepLevel)});
  return tagged(kDataclass, json::Object{{"class", record.path}, {"fields", std::move(fields)}});
}

Value read_record(const json::Value& payload, const Place& place, Reader& reader) {
  const auto [type, fields] = two_members(payload, "class", "fields", place.where);
  RecordValue record{path_of(*type, place.where), {}};
  std::set<std::string> names;
  for (const json::Value& field : array_of(*fields, place.where)) {
    const auto [name, written] = two_items(field, place.where);
    const std::string& text = text_of(*name, place.where);
    if (!names.insert(text).second) fail(place.where, "the field " + quoted(text) + " stands twice");
    record.fields.push_back({text, reader.read_part(*written, place.where.key(text))});
  }
  return reader.meet({std::move(record)}, place.where);
}

json::Value write_registered(const Value& value, int) {
  const RegisteredValue& object = std::get<RegisteredValue>(value.data);
  return tagged(kObject, json::Object{{"class", object.path}, {"value", object.written}});
}

Value read_registered(const json::Value& payload, const Place& place, Reader& reader) {
  const auto [type, written] = two_members(payload, "class", "value", place.where);
  return reader.meet({RegisteredValue{path_of(*type, place.where), *written}}, place.where);
}

std::optional<json::Value> write_settled_class(const Value& value, const Expected&, int) {
  const ClassValue* named = value.get_if<ClassValue>();
  return named != nullptr ? std::optional<json::Value>(named->path) : std::nullopt;
}

std::optional<json::Value> write_settled_enum(const Value& value, const Expected& expected, int) {
  const EnumValue* member = value.get_if<EnumValue>();
  if (member == nullptr || member->path != expected.name || member->value == nullptr) return std::nullopt;
  return unless_special(write_any(*member->value, kDeepLevel));
}

std::optional<json::Value> write_settled_registered(const Value& value, const Expected& expected, int) {
  const RegisteredValue* object = value.get_if<RegisteredValue>();
  return object != nullptr && object->path == expected.name ? unless_special(object->written) : std::nullopt;
}

std::string path_text(const Expected& expected) { return expected.name; }

}  // namespace

constinit const ValueCodec kClassCodec = {
    .kind_name = "a class",
    .tag = kType,
    .can_be_key = true,
    .write = [](const Value& value, int) { return tagged(kType, std::get<ClassValue>(value.data).path); },
    .read = read_class};
constinit const ValueCodec kEnumCodec = {
    .kind_name = "an enum member", .tag = kEnum, .can_be_key = true, .write = write_enum, .read = read_enum};
constinit const ValueCodec kRecordCodec = {
    .kind_name = "a dataclass", .tag = kDataclass, .write = write_record, .read = read_record};
constinit const ValueCodec kRegisteredCodec = {
    .kind_name = "a registered object", .tag = kObject, .write = write_registered, .read = read_registered};

constinit const ExpectedForm kClassForm = {
    Kind::kClass,
    "class",
    "class",
    [](const Value& value, const Expected&) { return value.is<ClassValue>() || value.is<DtypeValue>(); },
    write_settled_class,
    [](const json::Value& written, const Place& place, Reader& reader) {
      return std::optional(read_class(written, place, reader));
    }};
constinit const ExpectedForm kEnumForm = {
    Kind::kEnum,
    "enum",
    "",
    [](const Value& value, const Expected&) { return value.is<EnumValue>(); },
    write_settled_enum,
    [](const json::Value& written, const Place& place, Reader& reader) {
      return std::optional(member_of_value(place.expected.name, written, place.where, reader));
    },
    path_text};
constinit const ExpectedForm kRegisteredForm = {
    Kind::kRegistered,
    "registered",
    "",
    [](const Value& value, const Expected&) { return value.is<RegisteredValue>(); },
    write_settled_registered,
    [](const json::Value& written, const Place& place, Reader& reader) {
      return std::optional(reader.meet({RegisteredValue{place.expected.name, written}}, place.where));
    },
    path_text};

}  // namespace perdure::recipe
