#include "perdure/recipe/value_codec.h"

#include "perdure/recipe/canonical.h"
#include "perdure/recipe/codecs/codec.h"
#include "perdure/recipe/fit.h"

namespace perdure::recipe {

json::Value encode(const Value& value, const ArgumentForm& form, const JsonPath& where) {
  json::Value plain = write_any(value, kArgumentLevel);
  if (form.written_default != nullptr && plain == *form.written_default) return plain;
  check_fits(value, form.expected, where);
  json::Value written = write_as(value, form.expected, kArgumentLevel);
  return form.written_default != nullptr && written == *form.written_default ? plain : written;
}

Value decode(const std::shared_ptr<const json::Value>& owner, const json::Value& written, const ArgumentForm& form,
             const JsonPath& where, DecodeObserver* observer) {
  Reader reader(owner, observer);
  if (form.written_default != nullptr && written == *form.written_default) {
    return reader.read(written, {any_value(), where, kArgumentLevel});
  }
  Value value = reader.read(written, {form.expected, where, kArgumentLevel});
  check_fits(value, form.expected, where);
  return value;
}

}  // namespace perdure::recipe
