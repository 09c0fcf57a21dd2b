#pragma once
// The rows behind the safe default of policy.h.
#include <span>
#include <string_view>

namespace perdure::recipe {

enum class Verdict {
  kAllowed,
  kBaseOnly,  // a class may derive from it; a recipe may not name it
  kRefused,
};

struct PolicyRow {
  std::string_view rule;  // shown in the error; empty where allowed
  Verdict verdict;
  std::string_view paths;  // separated by spaces; each covers itself and what lies below, and the longest that fits decides
};

std::span<const PolicyRow> policy_table();

/// Last segments that say what a callable does, wherever it lives.
std::span<const PolicyRow> name_table();

}  // namespace perdure::recipe
