#include "perdure/tree/flat_index.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace perdure::tree {

ObjectRef FlatIndex::take(std::string_view key) {
  const std::size_t found = find(key);
  if (found == kNone) return nullptr;
  next_ = found + 1;
  is_used_[found] = true;
  return entries_[found].value;
}

std::size_t FlatIndex::find(std::string_view key) {
  if (next_ < entries_.size() && entries_[next_].key == key) return next_;
  if (index_of_.empty()) {
    index_of_.reserve(entries_.size());
    for (std::uint32_t i = 0; i < entries_.size(); ++i) index_of_.emplace(entries_[i].key, i);
  }
  const auto found = index_of_.find(key);
  return found == index_of_.end() ? kNone : found->second;
}

std::vector<FlatEntry> FlatIndex::take_slice(std::string_view slot) {
  std::vector<std::uint32_t> found;
  if (slot.empty()) {
    found.resize(entries_.size());
    std::iota(found.begin(), found.end(), 0u);
  } else {
    sort_keys();
    if (const std::size_t own = find(slot); own != kNone) found.push_back(static_cast<std::uint32_t>(own));
    append_range(std::string(slot) + ".", found);
    append_range(std::string(slot) + "[", found);
    std::sort(found.begin(), found.end());
  }
  std::vector<FlatEntry> slice;
  for (const std::uint32_t i : found) {
    const std::string_view key = entries_[i].key;
    const bool has_dot = !slot.empty() && key.size() > slot.size() && key[slot.size()] == '.';
    slice.push_back({key.substr(slot.size() + has_dot), entries_[i].value});
    is_used_[i] = true;
    next_ = i + 1;
  }
  return slice;
}

void FlatIndex::sort_keys() {
  if (!sorted_.empty()) return;
  sorted_.resize(entries_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0u);
  std::sort(sorted_.begin(), sorted_.end(), [&](std::uint32_t a, std::uint32_t b) { return entries_[a].key < entries_[b].key; });
}

void FlatIndex::append_range(std::string_view prefix, std::vector<std::uint32_t>& out) {
  const auto begin = std::lower_bound(sorted_.begin(), sorted_.end(), prefix,
                                      [&](std::uint32_t i, std::string_view text) { return entries_[i].key < text; });
  for (auto at = begin; at != sorted_.end() && entries_[*at].key.starts_with(prefix); ++at) out.push_back(*at);
}

std::vector<std::string_view> FlatIndex::unused() const {
  std::vector<std::string_view> keys;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!is_used_[i]) keys.push_back(entries_[i].key);
  }
  return keys;
}

}  // namespace perdure::tree
