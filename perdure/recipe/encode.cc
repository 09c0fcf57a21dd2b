#include <cmath>

#include "perdure/base/base64.h"
#include "perdure/base/hex.h"
#include "perdure/base/overloaded.h"
#include "perdure/recipe/array_codec.h"
#include "perdure/recipe/canonical.h"
#include "perdure/recipe/fit.h"
#include "perdure/recipe/spec.h"
#include "perdure/recipe/tags.h"
#include "perdure/recipe/torch_names.h"
#include "perdure/recipe/value_codec.h"

namespace perdure::recipe {
namespace {

using Kind = Expected::Kind;

json::Value tagged(std::string_view tag, json::Value payload) { return json::Object{{std::string(tag), std::move(payload)}}; }

json::Value encode_any(const Value& value, int level);
json::Value encode_as(const Value& value, const Expected& expected, int level);

json::Array encode_items(const std::vector<Value>& items, int level) {
  json::Array written;
  for (const Value& item : items) written.push_back(encode_any(item, level));
  return written;
}

json::Value encode_float(double number) {
  if (std::isfinite(number)) return number;
  return tagged(tags::kFloat, non_finite_text(number));
}

json::Value encode_dict(const DictValue& dict, int level) {
  json::Object members;
  bool is_plain = true;
  for (const auto& [key, item] : dict.items) {
    const Text* text = key.get_if<Text>();
    is_plain = is_plain && text != nullptr;
    members.add(text != nullptr ? text->utf8 : "", encode_any(item, level));
  }
  if (is_plain && !is_special(members)) return members;
  json::Array entries;
  for (std::size_t i = 0; i < dict.items.size(); ++i) {
    entries.push_back(json::Array{encode_any(dict.items[i].key, level), std::move(members.members()[i].second)});
  }
  return tagged(tags::kDict, std::move(entries));
}

json::Value encode_array_tag(const ArrayValue& array) {
  if (array.origin == "torch") return tagged(tags::kTensor, encode_array(array, "torch."));
  json::Value payload = encode_array(array, "");
  payload.as_object().add("origin", array.origin);
  return tagged(tags::kArray, std::move(payload));
}

json::Value encode_enum(const EnumValue& member) {
  json::Object payload{{"class", member.path}};
  if (member.name.empty()) {
    payload.add("value", encode_any(*member.value, kDeep));
  } else {
    payload.add("name", member.name);
  }
  return tagged(tags::kEnum, std::move(payload));
}

json::Value encode_record(const RecordValue& record) {
  json::Array fields;
  for (const auto& [name, value] : record.fields) fields.push_back(json::Array{name, encode_any(value, kDeep)});
  return tagged(tags::kDataclass, json::Object{{"class", record.path}, {"fields", std::move(fields)}});
}

/// The form of a value where nothing is known of it.
json::Value encode_any(const Value& value, int level) {
  const int below = std::min(level + 1, kDeep);
  return std::visit(Overloaded{
                        [](None) { return json::Value(); },
                        [](bool truth) { return json::Value(truth); },
                        [](std::int64_t integer) { return json::Value(integer); },
                        [](const BigInt& integer) { return written_integer(integer.digits); },
                        [](double number) { return encode_float(number); },
                        [](const std::complex<double>& number) {
                          return tagged(tags::kComplex, json::Array{encode_float(number.real()), encode_float(number.imag())});
                        },
                        [](const Text& text) { return json::Value(text.utf8); },
                        [](const Blob& bytes) { return tagged(tags::kBytes, to_base64(bytes)); },
                        [&](const ListValue& list) { return json::Value(encode_items(list.items, below)); },
                        [&](const TupleValue& tuple) { return tagged(tags::kTuple, encode_items(tuple.items, below)); },
                        [](const DictValue& dict) { return encode_dict(dict, kDeep); },
                        [](const ArrayValue& array) { return encode_array_tag(array); },
                        [](const DtypeValue& dtype) { return tagged(tags::kDtype, dtype.name); },
                        [](const DeviceValue& device) { return tagged(tags::kDevice, device.name); },
                        [](const ClassValue& named) { return tagged(tags::kType, named.path); },
                        [](const EnumValue& member) { return encode_enum(member); },
                        [](const PathValue& path) {
                          return tagged(tags::kPath, json::Array{path.type, path.text});
                        },
                        [](const RecordValue& record) { return encode_record(record); },
                        [](const RegisteredValue& object) {
                          return tagged(tags::kObject, json::Object{{"class", object.path}, {"value", object.written}});
                        },
                        [&](const SpecValue& spec) { return level < kDeep ? spec->json() : tagged(tags::kSpec, spec->json()); },
                    },
                    value.data);
}

bool would_be_read_as_another(const Text& text, Kind kind) {
  if (kind == Kind::kNamedLikeDtype) return text.utf8.starts_with("torch.") && find_torch_dtype(text.utf8);
  return kind == Kind::kNamedLikeDevice && is_torch_device(text.utf8);
}

json::Array encode_items_as(const std::vector<Value>& items, const Expected& expected, int level) {
  const bool is_fixed = expected.kind == Kind::kTuple && !expected.repeats;
  json::Array written;
  for (const Value& item : items) {
    const std::size_t index = is_fixed ? written.size() : 0;
    written.push_back(index < expected.items.size() ? encode_as(item, expected.items[index], level) : encode_any(item, level));
  }
  return written;
}

/// The plain form that an annotation settles; nullopt where it settles none for this value.
std::optional<json::Value> settled(const Value& value, const Expected& expected, int level) {
  const int below = std::min(level + 1, kDeep);
  switch (expected.kind) {
    case Kind::kDtype:
    case Kind::kNamedLikeDtype:
      if (const auto* dtype = value.get_if<DtypeValue>(); dtype != nullptr && dtype->name.starts_with("torch."))
        return dtype->name;
      return std::nullopt;
    case Kind::kDevice:
    case Kind::kNamedLikeDevice:
      if (const auto* device = value.get_if<DeviceValue>()) return device->name;
      return std::nullopt;
    case Kind::kTensor:
      if (const auto* array = value.get_if<ArrayValue>(); array != nullptr && array->origin == "torch")
        return encode_array(*array, "torch.");
      return std::nullopt;
    case Kind::kClass:
      if (const auto* named = value.get_if<ClassValue>()) return named->path;
      return std::nullopt;
    case Kind::kEnum:
      if (const auto* member = value.get_if<EnumValue>();
          member != nullptr && member->path == expected.name && member->value != nullptr)
        return encode_any(*member->value, kDeep);
      return std::nullopt;
    case Kind::kRegistered:
      if (const auto* object = value.get_if<RegisteredValue>(); object != nullptr && object->path == expected.name)
        return object->written;
      return std::nullopt;
    case Kind::kTuple:
      if (const auto* tuple = value.get_if<TupleValue>()) return encode_items_as(tuple->items, expected, below);
      return std::nullopt;
    case Kind::kList:
      if (const auto* list = value.get_if<ListValue>()) return encode_items_as(list->items, expected, below);
      return std::nullopt;
    default: return std::nullopt;
  }
}

json::Value encode_as(const Value& value, const Expected& expected, int level) {
  auto written = settled(value, expected, level);
  if (written && !(written->is_object() && is_special(written->as_object()))) return std::move(*written);
  if (const Text* text = value.get_if<Text>(); text != nullptr && would_be_read_as_another(*text, expected.kind)) {
    return tagged(tags::kText, text->utf8);
  }
  return encode_any(value, level);
}

}  // namespace

json::Value encode(const Value& value, const ArgumentForm& form, const JsonPath& where) {
  json::Value plain = encode_any(value, kArgument);
  if (form.written_default != nullptr && plain == *form.written_default) return plain;
  check_fits(value, form.expected, where);
  json::Value written = encode_as(value, form.expected, kArgument);
  return form.written_default != nullptr && written == *form.written_default ? plain : written;
}

}  // namespace perdure::recipe
