#pragma once
// The language that a recipe's targets live in: it finds them by path, describes how they are called, and calls them.
//
// Two hosts exist: registry.h for C++ and python/src/recipe_host.h. All rules that do not need a live object are in engine.h.
#include <any>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "perdure/recipe/policy.h"
#include "perdure/recipe/signature.h"
#include "perdure/recipe/spec.h"
#include "perdure/recipe/value.h"

namespace perdure::recipe {

/// An object of the host.
using Object = std::any;

struct Target {
  std::shared_ptr<const Signature> signature;  // nullptr: finding it would run code (an import), so it waits for load()
  Object callable;
};

class Host {
 public:
  virtual ~Host() = default;

  /// The target of a path, without running any code. Throws a RecipeError that names path, and rule if one refuses it.
  virtual Target find(const std::string& path, const JsonPath& where) = 0;
  /// The same for a spec that is to be built: always with a signature. May run the code of an import, after the path was checked by name.
  virtual Target load(const std::string& path, const JsonPath& where) = 0;
  /// Checks a class, enum member, dataclass, registered object or array as far as possible without running any code.
  virtual void check(const Value& named, const JsonPath& where) = 0;

  /// The object of a value other than a spec. May run code.
  virtual Object object(const Value& value, const JsonPath& where) = 0;
  /// A list or tuple of objects.
  virtual Object sequence(bool is_tuple, std::vector<Object> items) = 0;

  struct Call {
    const Spec& spec;
    const Target& target;
    std::vector<Object> positional;
    std::vector<std::pair<std::string, Object>> named;
  };
  virtual Object call(Call call) = 0;
};

}  // namespace perdure::recipe
