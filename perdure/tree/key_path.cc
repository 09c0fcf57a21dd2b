#include "perdure/tree/key_path.h"

#include <charconv>

namespace perdure::tree {
namespace {

// Text and integers are what nearly all keys are.
void append_text(std::string& path, const Key& key) {
  if (const Text* const text = std::get_if<Text>(&key.value)) {
    path += text->utf8;
  } else if (const auto* const number = std::get_if<std::int64_t>(&key.value)) {
    char digits[20];  // -9223372036854775808
    path.append(digits, std::to_chars(digits, digits + sizeof digits, *number).ptr);
  } else {
    path += key.str();
  }
}

}  // namespace

void append_key(std::string& path, const Key& key, NodeKind parent, bool is_first, PathStyle style) {
  const bool is_bracketed = style == PathStyle::kBracketed;
  if (is_bracketed && has_positions(parent)) {
    path += '[';
    append_text(path, key);
    path += ']';
    return;
  }
  if (is_bracketed ? !path.empty() : !is_first) path += '.';
  append_text(path, key);
}

std::string join_relative(std::string_view slot, std::string_view relative) {
  std::string key(slot);
  if (!slot.empty() && !relative.empty() && relative.front() != '[') key += '.';
  return key.append(relative);
}

}  // namespace perdure::tree
