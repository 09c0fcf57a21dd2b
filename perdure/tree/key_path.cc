#include "perdure/tree/key_path.h"

namespace perdure::tree {

void append_key(std::string& path, const Key& key, NodeKind parent, bool is_first, PathStyle style) {
  const bool is_bracketed = style == PathStyle::kBracketed;
  if (is_bracketed && has_positions(parent)) {
    path.append("[").append(key.str()).append("]");
    return;
  }
  if (is_bracketed ? !path.empty() : !is_first) path += '.';
  if (const Text* text = std::get_if<Text>(&key.value)) {
    path += text->utf8;
  } else {
    path += key.str();
  }
}

std::string join_relative(std::string_view slot, std::string_view relative) {
  std::string key(slot);
  if (!slot.empty() && !relative.empty() && relative.front() != '[') key += '.';
  return key.append(relative);
}

}  // namespace perdure::tree
