#include "perdure/recipe/tags.h"

#include <bit>
#include <cmath>
#include <limits>

#include "perdure/base/hex.h"

namespace perdure::recipe {

const json::Object::Member* find_tag(const json::Object& object) {
  if (object.size() != 1) return nullptr;
  const std::string& key = object.members().front().first;
  const bool is_tag = key.size() > 4 && key.starts_with("__") && key.ends_with("__");
  return is_tag ? &object.members().front() : nullptr;
}

bool is_special(const json::Object& object) { return find_tag(object) != nullptr || object.find("cls_path") != nullptr; }

std::string non_finite_text(double number) {
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  const auto bits = std::bit_cast<std::uint64_t>(number);
  if (bits == std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN())) return "nan";
  std::string text = "0x";
  append_hex(text, static_cast<std::uint32_t>(bits >> 32), 8);
  append_hex(text, static_cast<std::uint32_t>(bits), 8);
  return text;
}

}  // namespace perdure::recipe
