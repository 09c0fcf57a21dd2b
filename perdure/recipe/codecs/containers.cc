#include "perdure/recipe/codecs/containers.h"

#include <algorithm>

#include "perdure/recipe/codecs/table.h"
#include "perdure/recipe/fit.h"

namespace perdure::recipe {
namespace {

using Kind = Expected::Kind;

constexpr std::string_view kTuple = "__tuple__";  // [item, ...]
constexpr std::string_view kDict = "__dict__";    // [[key, value], ...]: one with other keys than text, or that looks like a tag

json::Array write_items(const std::vector<Value>& items, const Expected& expected, int level) {
  json::Array written;
  for (const Value& item : items) written.push_back(write_as(item, expected_item(expected, written.size()), level));
  return written;
}

json::Value write_dict(const Value& value, int) {
  const DictValue& dict = std::get<DictValue>(value.data);
  json::Object members;
  bool is_plain = true;
  for (const auto& [key, item] : dict.items) {
    const Text* text = key.get_if<Text>();
    is_plain = is_plain && text != nullptr;
    members.add(text != nullptr ? text->utf8 : "", write_any(item, kDeepLevel));
  }
  if (is_plain && !is_special(members)) return members;
  json::Array entries;
  for (std::size_t i = 0; i < dict.items.size(); ++i) {
    entries.push_back(json::Array{write_any(dict.items[i].key, kDeepLevel), std::move(members.members()[i].second)});
  }
  return tagged(kDict, std::move(entries));
}

void check_key(const Value& key, const JsonPath& where) {
  if (!codec_of(key).can_be_key) fail(where, key.kind_name() + " cannot be a key");
  if (const auto* tuple = key.get_if<TupleValue>()) {
    for (const Value& item : tuple->items) check_key(item, where);
  }
}

Value read_dict(const json::Value& payload, const Place& place, Reader& reader) {
  DictValue dict;
  for (const json::Value& entry : array_of(payload, place.where)) {
    const JsonPath at = place.where.index(dict.items.size());
    const auto [key, written] = two_items(entry, at);
    Value read_key = reader.read_part(*key, at);
    check_key(read_key, at);
    dict.items.push_back({std::move(read_key), reader.read_part(*written, at)});
  }
  return {std::move(dict)};
}

Value read_tuple(const json::Value& payload, const Place& place, Reader& reader) {
  const Expected& expected = place.expected.kind == Kind::kTuple ? place.expected : any_value();
  return {TupleValue{read_items(payload, {expected, place.where, below(place.level)}, reader)}};
}

bool items_fit(const Value& value, const Expected& expected) {
  const std::vector<Value>* items = items_of(value, expected);
  if (items == nullptr || !has_right_length(items->size(), expected)) return false;
  for (std::size_t i = 0; i < items->size(); ++i) {
    if (!fits((*items)[i], expected_item(expected, i))) return false;
  }
  return true;
}

bool entries_fit(const Value& value, const Expected& expected) {
  const DictValue* dict = value.get_if<DictValue>();
  const auto item = [&](std::size_t index) -> const Expected& {
    return index < expected.items.size() ? expected.items[index] : any_value();
  };
  return dict != nullptr && std::ranges::all_of(dict->items, [&](const DictEntry& entry) {
           return fits(entry.key, item(0)) && fits(entry.value, item(1));
         });
}

template <class Sequence>
std::optional<json::Value> write_settled(const Value& value, const Expected& expected, int level) {
  const Sequence* sequence = value.get_if<Sequence>();
  if (sequence == nullptr) return std::nullopt;
  return write_items(sequence->items, expected, below(level));
}

std::optional<Value> read_settled_list(const json::Value& written, const Place& place, Reader& reader) {
  if (!written.is_array()) return std::nullopt;
  return Value{ListValue{read_items(written, {place.expected, place.where, below(place.level)}, reader)}};
}

std::optional<Value> read_settled_tuple(const json::Value& written, const Place& place, Reader& reader) {
  return read_tuple(written, place, reader);
}

std::string bracketed(const Expected& expected) {
  return std::string(form_of(expected).label) + "[" + joined_text(expected.items, ", ") + (expected.repeats ? ", ...]" : "]");
}

}  // namespace

std::vector<Value> read_items(const json::Value& written, const Place& place, Reader& reader) {
  std::vector<Value> items;
  items.reserve(array_of(written, place.where).size());
  for (const json::Value& item : written.as_array()) {
    const JsonPath where = place.where.index(items.size());
    items.push_back(reader.read(item, {expected_item(place.expected, items.size()), where, place.level}));
  }
  return items;
}

Value read_plain_dict(const json::Object& members, const JsonPath& where, Reader& reader) {
  DictValue dict;
  dict.items.reserve(members.size());
  for (const auto& [key, member] : members.members()) {
    dict.items.push_back({Value{Text{key}}, reader.read_part(member, where.key(key))});
  }
  return {std::move(dict)};
}

const std::vector<Value>* items_of(const Value& value, const Expected& expected) {
  const ListValue* list = expected.kind == Kind::kTuple ? nullptr : value.get_if<ListValue>();
  const TupleValue* tuple = expected.kind == Kind::kList ? nullptr : value.get_if<TupleValue>();
  return list != nullptr ? &list->items : tuple != nullptr ? &tuple->items : nullptr;
}

const Expected& expected_item(const Expected& expected, std::size_t index) {
  const bool is_list = expected.kind == Kind::kList, is_tuple = expected.kind == Kind::kTuple;
  const std::size_t item = is_tuple && !expected.repeats ? index : 0;
  return (is_list || is_tuple) && item < expected.items.size() ? expected.items[item] : any_value();
}

bool has_right_length(std::size_t count, const Expected& expected) {
  return expected.kind != Kind::kTuple || expected.repeats || expected.items.size() == count;
}

constinit const ValueCodec kListCodec = {
    .kind_name = "a list", .write = [](const Value& value, int level) {
      return json::Value(write_items(std::get<ListValue>(value.data).items, any_value(), below(level)));
    }};
constinit const ValueCodec kTupleCodec = {
    .kind_name = "a tuple",
    .tag = kTuple,
    .can_be_key = true,
    .write =
        [](const Value& value, int level) {
          return tagged(kTuple, write_items(std::get<TupleValue>(value.data).items, any_value(), below(level)));
        },
    .read = read_tuple};
constinit const ValueCodec kDictCodec = {.kind_name = "a dict", .tag = kDict, .write = write_dict, .read = read_dict};

constinit const ExpectedForm kListForm = {Kind::kList,       "list",   "list", items_fit, write_settled<ListValue>,
                                          read_settled_list, bracketed};
constinit const ExpectedForm kTupleForm = {Kind::kTuple,       "tuple",  "tuple", items_fit, write_settled<TupleValue>,
                                           read_settled_tuple, bracketed};
constinit const ExpectedForm kDictForm = {
    .kind = Kind::kDict, .name = "dict", .label = "dict", .fits = entries_fit, .text = bracketed};

}  // namespace perdure::recipe
