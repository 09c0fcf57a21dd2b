#include "perdure/checkpoint/orbax/value_type.h"

#include <algorithm>

#include "perdure/base/origin.h"

namespace perdure::checkpoint {
namespace {

constexpr ValueType kValueTypeTable[] = {
    {value_types::kNumpyArray, ValueClass::kArray, origins::kNumpy},
    {value_types::kJaxArray, ValueClass::kArray, origins::kJax},
    {value_types::kScalar, ValueClass::kNumber, origins::kScalar},
    {value_types::kString, ValueClass::kText},
    {value_types::kNone, ValueClass::kNone},
    {"Dict", ValueClass::kEmptyContainer, {}, NodeKind::kMapping},
    {"List", ValueClass::kEmptyContainer, {}, NodeKind::kList},
    {"Tuple", ValueClass::kEmptyContainer, {}, NodeKind::kTuple},
    {"NamedTuple", ValueClass::kEmptyContainer, {}, NodeKind::kNamedTuple},
};

}  // namespace

const ValueType* find_value_type(std::string_view name) {
  const auto* found = std::ranges::find(kValueTypeTable, name, &ValueType::name);
  return found == std::end(kValueTypeTable) ? nullptr : found;
}

std::string_view empty_value_type(NodeKind container) {
  if (container == NodeKind::kRecord) container = NodeKind::kMapping;  // Orbax has no word for records
  return std::ranges::find_if(kValueTypeTable,
                              [&](const ValueType& type) {
                                return type.value_class == ValueClass::kEmptyContainer && type.container == container;
                              })
      ->name;
}

}  // namespace perdure::checkpoint
