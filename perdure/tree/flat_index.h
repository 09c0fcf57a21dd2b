#pragma once
// A flat dict being taken apart by a template: values by key, slices for serializers, and what nobody asked for.
#include <cstdint>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "perdure/base/object.h"

namespace perdure::tree {

/// One item of a flat dict, or of a serializer's relative dict. The host owns both.
struct FlatEntry {
  std::string_view key;
  ObjectRef value = nullptr;
};

/// For one thread. Keys differ.
class FlatIndex {
 public:
  explicit FlatIndex(std::vector<FlatEntry> entries) : entries_(std::move(entries)), is_used_(entries_.size()) {}

  /// The value of `key`, which counts as asked for; nullptr if there is none. Keys that are asked for in the dict's order cost
  /// one comparison each.
  ObjectRef take(std::string_view key);

  /// All at and below `slot`, by whole components, with relative keys ("" for the slot's own), in the dict's order. Each counts as
  /// asked for. The keys are views of the dict's.
  std::vector<FlatEntry> take_slice(std::string_view slot);

  /// Keys that nobody asked for, in order.
  std::vector<std::string_view> unused() const;

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::size_t find(std::string_view key);
  void sort_keys();
  void append_range(std::string_view prefix, std::vector<std::uint32_t>& out);

  std::vector<FlatEntry> entries_;
  std::vector<bool> is_used_;
  std::size_t next_ = 0;                                          // the entry after the last one that was found
  std::unordered_map<std::string_view, std::uint32_t> index_of_;  // made when the order is not the dict's
  std::vector<std::uint32_t> sorted_;                             // entries by key, made for the first slice
};

}  // namespace perdure::tree
