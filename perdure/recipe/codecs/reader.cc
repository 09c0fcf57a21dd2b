#include "perdure/recipe/codecs/reader.h"

#include "perdure/recipe/codecs/codec.h"
#include "perdure/recipe/codecs/containers.h"
#include "perdure/recipe/codecs/numbers.h"
#include "perdure/recipe/codecs/table.h"
#include "perdure/recipe/spec.h"

namespace perdure::recipe {
namespace {

Value read_tag(const json::Object::Member& tag, const Place& place, Reader& reader) {
  const JsonPath where = place.where.key(tag.first);
  const ValueCodec* codec = find_codec(tag.first);
  if (codec == nullptr) fail(where, "unknown tag");
  return codec->read(tag.second, {place.expected, where, place.level}, reader);
}

}  // namespace

Value Reader::read(const json::Value& written, const Place& place) {
  if (written.is_object()) {
    if (const auto* tag = find_tag(written.as_object())) return read_tag(*tag, place, *this);
    if (place.level < kDeepLevel && is_written_spec(written)) return read_spec(written, place.where);
  }
  const ExpectedForm& form = form_of(place.expected);
  if (form.read != nullptr && !written.is_null()) {
    if (auto settled = form.read(written, place, *this)) return std::move(*settled);
  }
  return read_plain(written, place);
}

Value Reader::read_spec(const json::Value& written, const JsonPath& where) {
  return meet({std::make_shared<const Spec>(std::shared_ptr<const json::Value>(owner_, &written), where)}, where);
}

Value Reader::meet(Value named, const JsonPath& where) {
  if (observer_ != nullptr) observer_->meet(named, where);
  return named;
}

Value Reader::read_plain(const json::Value& written, const Place& place) {
  if (written.is_null()) return {None{}};
  if (written.is_bool()) return {written.as_bool()};
  if (written.is_string()) return {Text{written.as_string()}};
  if (written.is_array()) return {ListValue{read_items(written, {any_value(), place.where, below(place.level)}, *this)}};
  if (written.is_object()) return read_plain_dict(written.as_object(), place.where, *this);
  return read_number(written);
}

}  // namespace perdure::recipe
