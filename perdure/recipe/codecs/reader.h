#pragma once
// Reads the values inside a value.
#include <memory>

#include "perdure/base/json.h"
#include "perdure/recipe/expected.h"
#include "perdure/recipe/recipe_error.h"
#include "perdure/recipe/value.h"
#include "perdure/recipe/value_codec.h"

namespace perdure::recipe {

/// How deep a value stands: in an argument, in a list or tuple of one, or deeper. Specs are built in the first two.
inline constexpr int kArgumentLevel = 0;
inline constexpr int kDeepLevel = 2;
constexpr int below(int level) { return level < kDeepLevel ? level + 1 : kDeepLevel; }

/// Where a value stands, and what is expected there.
struct Place {
  const Expected& expected;
  const JsonPath& where;
  int level = kDeepLevel;
};

class Reader {
 public:
  /// `owner` keeps alive what is read; `observer` may be nullptr.
  Reader(const std::shared_ptr<const json::Value>& owner, DecodeObserver* observer) : owner_(owner), observer_(observer) {}

  Value read(const json::Value& written, const Place& place);
  /// A part of a tag's payload, where nothing is expected.
  Value read_part(const json::Value& written, const JsonPath& where) { return read(written, {any_value(), where}); }
  /// A spec, which is met.
  Value read_spec(const json::Value& written, const JsonPath& where);

  /// Tells the observer; gives the value back.
  Value meet(Value named, const JsonPath& where);

 private:
  Value read_plain(const json::Value& written, const Place& place);

  const std::shared_ptr<const json::Value>& owner_;
  DecodeObserver* const observer_;
};

}  // namespace perdure::recipe
