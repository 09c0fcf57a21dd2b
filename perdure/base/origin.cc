#include "perdure/base/origin.h"

namespace perdure {
namespace {

constexpr std::string_view kKeyPrefix = "jax.key:";

}  // namespace

std::string_view package_of_origin(std::string_view origin) { return origin.substr(0, origin.find_first_of(".:|")); }

bool may_share_memory(std::string_view origin, std::string_view other) {
  return is_torch_origin(origin) && is_torch_origin(other);
}

bool is_jax_origin(std::string_view origin) { return package_of_origin(origin) == origins::kJax; }
bool is_torch_origin(std::string_view origin) { return package_of_origin(origin) == origins::kTorch; }

std::string random_key_origin(std::string_view impl) { return std::string(kKeyPrefix).append(impl); }

std::optional<std::string_view> random_key_impl(std::string_view origin) {
  if (!origin.starts_with(kKeyPrefix)) return std::nullopt;
  return origin.substr(kKeyPrefix.size());
}

bool holds_numbers(std::string_view origin) { return !random_key_impl(origin) && origin.find('|') == std::string_view::npos; }

}  // namespace perdure
