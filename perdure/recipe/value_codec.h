#pragma once
// Values in JSON and back. What JSON has is written plainly, what an argument's annotation settles in its plain form ("torch.float32"
// for a dtype), everything else under a tag: an object of one key such as {"__bytes__": "aGk="} (codecs/table.h lists them).
//
// An object of the user's that looks like a tag or a spec is written as {"__dict__": [[key, value], ...]}. Specs stand as they are in an
// argument and in its list or tuple, where they are built; deeper ones are tagged, and an object there is only an object.
#include <memory>

#include "perdure/base/json.h"
#include "perdure/recipe/expected.h"
#include "perdure/recipe/recipe_error.h"
#include "perdure/recipe/value.h"

namespace perdure::recipe {

/// How an argument is written: what its annotation says, and the written form of its default, which always fits.
struct ArgumentForm {
  Expected expected;
  const json::Value* written_default = nullptr;
};

/// Throws a RecipeError for a value that does not fit.
json::Value encode(const Value& value, const ArgumentForm& form, const JsonPath& where);

/// Told of every path and name in what is decoded, innermost last. Throws to refuse.
class DecodeObserver {
 public:
  virtual ~DecodeObserver() = default;
  virtual void meet(const Value& named, const JsonPath& where) = 0;
};

/// `written` must be canonical and lie inside what `owner` keeps alive: specs inside the value share it. Throws a RecipeError for what
/// encode() does not write and for what does not fit.
Value decode(const std::shared_ptr<const json::Value>& owner, const json::Value& written, const ArgumentForm& form,
             const JsonPath& where, DecodeObserver* observer = nullptr);

}  // namespace perdure::recipe
