// Nothing, anything, one of several, and recipes.
#include <algorithm>

#include "perdure/recipe/codecs/table.h"
#include "perdure/recipe/fit.h"
#include "perdure/recipe/spec.h"

namespace perdure::recipe {
namespace {

using Kind = Expected::Kind;

constexpr std::string_view kSpec = "__spec__";  // one that is not built

json::Value write_spec(const Value& value, int level) {
  const Spec& spec = *std::get<SpecValue>(value.data);
  return level < kDeepLevel ? spec.json() : tagged(kSpec, spec.json());
}

bool fits_one(const Value& value, const Expected& expected) {
  return std::ranges::any_of(expected.items, [&](const Expected& one) { return fits(value, one); });
}

}  // namespace

constinit const ValueCodec kNoneCodec = {
    .kind_name = "None", .can_be_key = true, .write = [](const Value&, int) { return json::Value(); }};
constinit const ValueCodec kSpecCodec = {.kind_name = "a spec",
                                         .tag = kSpec,
                                         .write = write_spec,
                                         .read = [](const json::Value& payload, const Place& place, Reader& reader) {
                                           return reader.read_spec(payload, place.where);
                                         }};

constinit const ExpectedForm kAnyForm = {Kind::kAny, "any", "any value", [](const Value&, const Expected&) { return true; }};
constinit const ExpectedForm kNoneForm = {Kind::kNone, "none", "None",
                                          [](const Value& value, const Expected&) { return value.is<None>(); }};
constinit const ExpectedForm kOneOfForm = {
    .kind = Kind::kOneOf, .name = "one_of", .label = "", .fits = fits_one, .text = [](const Expected& expected) {
      return joined_text(expected.items, " or ");
    }};

}  // namespace perdure::recipe
