#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <unordered_set>

#include "perdure/base/base64.h"
#include "perdure/base/origin.h"
#include "perdure/base/scalar.h"
#include "perdure/recipe/array_codec.h"
#include "perdure/recipe/dotted_path.h"
#include "perdure/recipe/fit.h"
#include "perdure/recipe/limits.h"
#include "perdure/recipe/spec.h"
#include "perdure/recipe/tags.h"
#include "perdure/recipe/torch_names.h"
#include "perdure/recipe/value_codec.h"

namespace perdure::recipe {
namespace {

using Kind = Expected::Kind;

bool is_plain_integer(std::string_view text) { return text.find_first_of(".eE") == std::string_view::npos; }

Value integer_value(const std::string& digits) {
  return std::visit([](auto&& held) { return Value{std::move(held)}; }, int_of_digits(digits));
}

bool is_decimal(std::string_view digits) {
  if (digits.starts_with('-')) digits.remove_prefix(1);
  return !digits.empty() && digits.front() != '0' && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

const std::string& text_of(const json::Value& payload, const JsonPath& where) {
  if (!payload.is_string()) fail(where, "expected text, found " + std::string(payload.kind_name()));
  return payload.as_string();
}

const json::Array& array_of(const json::Value& payload, const JsonPath& where) {
  if (!payload.is_array()) fail(where, "expected a list, found " + std::string(payload.kind_name()));
  return payload.as_array();
}

/// The members `a` and `b` of an object that has no others.
std::pair<const json::Value*, const json::Value*> two_members(const json::Value& payload, std::string_view a, std::string_view b,
                                                              const JsonPath& where) {
  const json::Value* first = payload.is_object() ? payload.as_object().find(a) : nullptr;
  const json::Value* second = payload.is_object() ? payload.as_object().find(b) : nullptr;
  if (first == nullptr || second == nullptr || payload.as_object().size() != 2) {
    fail(where, "expected an object of " + quoted(a) + " and " + quoted(b));
  }
  return {first, second};
}

std::pair<const json::Value*, const json::Value*> two_items(const json::Value& payload, const JsonPath& where) {
  const json::Array& items = array_of(payload, where);
  if (items.size() != 2) fail(where, "expected a list of two");
  return {&items[0], &items[1]};
}

double non_finite(const std::string& text, const JsonPath& where) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  std::uint64_t bits = 0;
  const auto [end, error] =
      std::from_chars(text.data() + std::min<std::size_t>(2, text.size()), text.data() + text.size(), bits, 16);
  const double number = std::bit_cast<double>(bits);
  if (error != std::errc() || end != text.data() + text.size() || !std::isnan(number) || non_finite_text(number) != text) {
    fail(where, quoted(text) + " is no NaN or infinity");
  }
  return number;
}

double float_of(const json::Value& payload, const JsonPath& where) {
  if (payload.is_number() && !is_plain_integer(payload.as_number().text)) return payload.as_double();
  const auto* tag = payload.is_object() ? find_tag(payload.as_object()) : nullptr;
  if (tag == nullptr || tag->first != tags::kFloat) fail(where, "expected a float");
  return non_finite(text_of(tag->second, where), where);
}

constexpr std::string_view kPathTypes[] = {"Path", "PosixPath", "WindowsPath", "PurePath", "PurePosixPath", "PureWindowsPath"};

class Decoder {
 public:
  Decoder(const std::shared_ptr<const json::Value>& owner, DecodeObserver* observer) : owner_(owner), observer_(observer) {}

  Value value(const json::Value& written, const Expected& expected, const JsonPath& where, int level) {
    if (written.is_object()) {
      if (const auto* tag = find_tag(written.as_object())) return tagged(*tag, expected, where, level);
      if (level < kDeep && is_written_spec(written)) return spec(written, where);
    }
    if (!written.is_null()) {
      if (auto settled = settled_value(written, expected, where, level)) return std::move(*settled);
    }
    return plain(written, where, level);
  }

 private:
  Value met(Value named, const JsonPath& where) {
    if (observer_ != nullptr) observer_->meet(named, where);
    return named;
  }

  Value spec(const json::Value& written, const JsonPath& where) {
    return met({std::make_shared<const Spec>(std::shared_ptr<const json::Value>(owner_, &written), where)}, where);
  }

  Value plain(const json::Value& written, const JsonPath& where, int level) {
    if (written.is_null()) return {None{}};
    if (written.is_bool()) return {written.as_bool()};
    if (written.is_string()) return {Text{written.as_string()}};
    if (written.is_array()) return {ListValue{items(written, nullptr, where, std::min(level + 1, kDeep))}};
    if (written.is_object()) return dict(written.as_object(), where);
    const std::string& text = written.as_number().text;
    return is_plain_integer(text) ? integer_value(text) : Value{written.as_double()};
  }

  std::vector<Value> items(const json::Value& written, const Expected* expected, const JsonPath& where, int level) {
    const json::Array& array = array_of(written, where);
    const bool is_fixed = expected != nullptr && expected->kind == Kind::kTuple && !expected->repeats;
    std::vector<Value> result;
    result.reserve(array.size());
    for (std::size_t i = 0; i < array.size(); ++i) {
      const std::size_t index = is_fixed ? i : 0;
      const bool is_known = expected != nullptr && index < expected->items.size();
      result.push_back(value(array[i], is_known ? expected->items[index] : any_value(), where.index(i), level));
    }
    return result;
  }

  Value dict(const json::Object& members, const JsonPath& where) {
    DictValue dict;
    dict.items.reserve(members.size());
    for (const auto& [key, member] : members.members()) {
      dict.items.push_back({Value{Text{key}}, value(member, any_value(), where.key(key), kDeep)});
    }
    return {std::move(dict)};
  }

  Value named_dtype(const std::string& name, const JsonPath& where) {
    const auto torch = find_torch_dtype(name);
    if (!torch) fail(where, quoted(name) + " is no dtype of torch");
    return {DtypeValue{"torch." + std::string(*torch)}};
  }

  Value device(const std::string& name, const JsonPath& where) {
    if (!is_torch_device(name)) fail(where, quoted(name) + " is no device of torch");
    return {DeviceValue{name}};
  }

  /// nullopt: the annotation says nothing about this.
  std::optional<Value> settled_value(const json::Value& written, const Expected& expected, const JsonPath& where, int level) {
    const int below = std::min(level + 1, kDeep);
    switch (expected.kind) {
      case Kind::kDtype: return named_dtype(text_of(written, where), where);
      case Kind::kDevice: return device(text_of(written, where), where);
      case Kind::kTensor: return array(written, "torch", where);
      case Kind::kClass: return met({ClassValue{path(written, where)}}, where);
      case Kind::kEnum: return member(expected.name, nullptr, &written, where);
      case Kind::kRegistered: return met({RegisteredValue{expected.name, written}}, where);
      case Kind::kTuple: return Value{TupleValue{items(written, &expected, where, below)}};
      case Kind::kList:
        if (written.is_array()) return Value{ListValue{items(written, &expected, where, below)}};
        return std::nullopt;
      case Kind::kNamedLikeDtype:
        if (written.is_string() && written.as_string().starts_with("torch.") && find_torch_dtype(written.as_string())) {
          return named_dtype(written.as_string(), where);
        }
        return std::nullopt;
      case Kind::kNamedLikeDevice:
        if (written.is_string() && is_torch_device(written.as_string())) return device(written.as_string(), where);
        return std::nullopt;
      default: return std::nullopt;
    }
  }

  std::string path(const json::Value& written, const JsonPath& where) {
    const std::string& text = text_of(written, where);
    split_path(text, where);
    return text;
  }

  Value array(const json::Value& written, std::string origin, const JsonPath& where) {
    ArrayValue array = decode_array(written, origin == "torch", where);
    array.origin = std::move(origin);
    return met({std::move(array)}, where);
  }

  Value member(std::string path, const json::Value* name, const json::Value* written, const JsonPath& where) {
    EnumValue member{std::move(path), "", nullptr};
    if (name != nullptr) {
      member.name = text_of(*name, where);
      if (member.name.empty()) fail(where, "an enum member without a name");
    } else {
      member.value = std::make_shared<const Value>(value(*written, any_value(), where, kDeep));
    }
    return met({std::move(member)}, where);
  }

  Value tagged(const json::Object::Member& tag, const Expected& expected, const JsonPath& outer, int level) {
    const JsonPath where = outer.key(tag.first);
    for (const auto& [name, read] : kReaders) {
      if (name == tag.first) return (this->*read)(tag.second, expected, where, level);
    }
    fail(where, "unknown tag");
  }

  Value read_array(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    const json::Value* origin = payload.is_object() ? payload.as_object().find("origin") : nullptr;
    if (origin == nullptr) fail(where, "an array without 'origin'");
    json::Object members = payload.as_object();
    std::erase_if(members.members(), [](const json::Object::Member& member) { return member.first == "origin"; });
    ArrayValue array = decode_array(members, false, where);
    array.origin = text_of(*origin, where);
    if (array.origin == origins::kNumpyScalar && array.shape.rank() != 0) fail(where, "a scalar with axes");
    return met({std::move(array)}, where);
  }
  Value read_bytes(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    auto bytes = from_base64(text_of(payload, where));
    if (!bytes) fail(where, "expected base 64");
    return {Blob::from(std::move(*bytes))};
  }
  Value read_complex(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    const auto [real, imaginary] = two_items(payload, where);
    return {std::complex<double>(float_of(*real, where), float_of(*imaginary, where))};
  }
  Value read_dataclass(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    const auto [type, fields] = two_members(payload, "class", "fields", where);
    RecordValue record{path(*type, where), {}};
    std::unordered_set<std::string> names;
    for (const json::Value& field : array_of(*fields, where)) {
      const auto [name, written] = two_items(field, where);
      if (!names.insert(text_of(*name, where)).second) fail(where, "the field " + quoted(name->as_string()) + " stands twice");
      record.fields.push_back({name->as_string(), value(*written, any_value(), where.key(name->as_string()), kDeep)});
    }
    return met({std::move(record)}, where);
  }
  Value read_device(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    return device(text_of(payload, where), where);
  }
  Value read_dict(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    DictValue dict;
    for (const json::Value& entry : array_of(payload, where)) {
      const JsonPath at = where.index(dict.items.size());
      const auto [key, written] = two_items(entry, at);
      dict.items.push_back({this->key(*key, at), value(*written, any_value(), at, kDeep)});
    }
    return {std::move(dict)};
  }
  Value read_dtype(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    const std::string& name = text_of(payload, where);
    if (name.starts_with("torch.")) return named_dtype(name, where);
    std::string_view plain = name;
    for (const std::string_view package : {"numpy.", "jax.numpy."}) {
      if (plain.starts_with(package)) plain.remove_prefix(package.size());
    }
    if (plain.size() == name.size() || (!find_dtype(plain) && plain != "bool_")) fail(where, quoted(name) + " is no dtype");
    return {DtypeValue{name}};
  }
  Value read_enum(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    if (payload.is_object() && payload.as_object().find("name") != nullptr) {
      const auto [type, name] = two_members(payload, "class", "name", where);
      return member(path(*type, where), name, nullptr, where);
    }
    const auto [type, written] = two_members(payload, "class", "value", where);
    return member(path(*type, where), nullptr, written, where);
  }
  Value read_float(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    return {non_finite(text_of(payload, where), where)};
  }
  Value read_int(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    const std::string& digits = text_of(payload, where);
    if (!is_decimal(digits) || digits.size() > kLimits.digits_max) fail(where, "expected the digits of an integer");
    return integer_value(digits);
  }
  Value read_object(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    const auto [type, written] = two_members(payload, "class", "value", where);
    return met({RegisteredValue{path(*type, where), *written}}, where);
  }
  Value read_path(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    const auto [type, text] = two_items(payload, where);
    const std::string& name = text_of(*type, where);
    if (std::find(std::begin(kPathTypes), std::end(kPathTypes), name) == std::end(kPathTypes)) {
      fail(where, quoted(name) + " is no class of pathlib");
    }
    return {PathValue{name, text_of(*text, where)}};
  }
  Value read_spec(const json::Value& payload, const Expected&, const JsonPath& where, int) { return spec(payload, where); }
  Value read_tensor(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    return array(payload, "torch", where);
  }
  Value read_text(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    return {Text{text_of(payload, where)}};
  }
  Value read_tuple(const json::Value& payload, const Expected& expected, const JsonPath& where, int level) {
    return {TupleValue{items(payload, expected.kind == Kind::kTuple ? &expected : nullptr, where, std::min(level + 1, kDeep))}};
  }
  Value read_type(const json::Value& payload, const Expected&, const JsonPath& where, int) {
    return met({ClassValue{path(payload, where)}}, where);
  }

  /// Keys of a dict must be hashable in every host.
  Value key(const json::Value& written, const JsonPath& where) {
    Value key = value(written, any_value(), where, kDeep);
    check_key(key, where);
    return key;
  }
  void check_key(const Value& key, const JsonPath& where) {
    if (const auto* tuple = key.get_if<TupleValue>()) {
      for (const Value& item : tuple->items) check_key(item, where);
    } else if (key.is<ListValue>() || key.is<DictValue>() || key.is<ArrayValue>() || key.is<RecordValue>() ||
               key.is<RegisteredValue>() || key.is<SpecValue>()) {
      fail(where, key.kind_name() + " cannot be a key");
    }
  }

  using Reader = Value (Decoder::*)(const json::Value&, const Expected&, const JsonPath&, int);
  struct TagReader {
    std::string_view tag;
    Reader read;
  };
  static const TagReader kReaders[17];

  const std::shared_ptr<const json::Value>& owner_;
  DecodeObserver* const observer_;
};

constexpr Decoder::TagReader Decoder::kReaders[17] = {
    {tags::kArray, &Decoder::read_array},     {tags::kBytes, &Decoder::read_bytes},
    {tags::kComplex, &Decoder::read_complex}, {tags::kDataclass, &Decoder::read_dataclass},
    {tags::kDevice, &Decoder::read_device},   {tags::kDict, &Decoder::read_dict},
    {tags::kDtype, &Decoder::read_dtype},     {tags::kEnum, &Decoder::read_enum},
    {tags::kFloat, &Decoder::read_float},     {tags::kInt, &Decoder::read_int},
    {tags::kObject, &Decoder::read_object},   {tags::kPath, &Decoder::read_path},
    {tags::kSpec, &Decoder::read_spec},       {tags::kTensor, &Decoder::read_tensor},
    {tags::kText, &Decoder::read_text},       {tags::kTuple, &Decoder::read_tuple},
    {tags::kType, &Decoder::read_type},
};

}  // namespace

Value decode(const std::shared_ptr<const json::Value>& owner, const json::Value& written, const ArgumentForm& form,
             const JsonPath& where, DecodeObserver* observer) {
  Decoder decoder(owner, observer);
  if (form.written_default != nullptr && written == *form.written_default) {
    return decoder.value(written, any_value(), where, kArgument);
  }
  Value value = decoder.value(written, form.expected, where, kArgument);
  check_fits(value, form.expected, where);
  return value;
}

}  // namespace perdure::recipe
