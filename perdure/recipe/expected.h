#pragma once
// What an argument expects: the engine's form of a type annotation. It decides how a value is written (a dtype as "torch.float32" where
// a dtype is expected, under a tag elsewhere) and which values are refused. It never converts.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/json.h"

namespace perdure::recipe {

struct Expected {
  enum class Kind : std::uint8_t {
    kAny,
    kNone,
    kBool,
    kInt,
    kFloat,  // whole numbers too, as they are
    kComplex,
    kText,
    kBytes,
    kList,    // items[0]: of each item
    kTuple,   // items: one for each item; if `repeats`, items[0] for all. No items: any tuple
    kDict,    // items: of keys and of values
    kDtype,   // torch.dtype
    kDevice,  // torch.device
    kTensor,  // torch.Tensor
    kClass,
    kEnum,             // of the class `name`
    kRegistered,       // of the class `name`, with a serializer of the user's
    kNamedLikeDtype,   // no annotation, but the argument is called `dtype`: text that names one is one
    kNamedLikeDevice,  // the same for `device`
    kOneOf,            // any of items; settles no form
  };
  Kind kind = Kind::kAny;
  bool accepts_none = false;
  bool repeats = false;
  std::string name;
  std::vector<Expected> items;

  /// "int", "list of int", "int or None": for messages.
  std::string str() const;
};

/// The kind that hosts call "text" or "one_of"; nullopt if there is none.
std::optional<Expected::Kind> find_expected_kind(std::string_view name);

/// Expects nothing in particular.
const Expected& any_value();

}  // namespace perdure::recipe
