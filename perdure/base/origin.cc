#include "perdure/base/origin.h"

namespace perdure {
namespace {

constexpr std::string_view kKeyPrefix = "jax.key:";

}  // namespace

bool is_jax_origin(std::string_view origin) {
  if (!origin.starts_with(origins::kJax)) return false;
  const std::string_view rest = origin.substr(origins::kJax.size());
  return rest.empty() || rest[0] == '.' || rest[0] == ':';
}

std::string random_key_origin(std::string_view impl) { return std::string(kKeyPrefix).append(impl); }

std::optional<std::string_view> random_key_impl(std::string_view origin) {
  if (!origin.starts_with(kKeyPrefix)) return std::nullopt;
  return origin.substr(kKeyPrefix.size());
}

bool holds_numbers(std::string_view origin) { return !random_key_impl(origin) && origin.find('|') == std::string_view::npos; }

}  // namespace perdure
