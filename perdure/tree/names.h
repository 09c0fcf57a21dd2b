#pragma once
// Dotted key paths of all leaves and empty containers at once.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/tree/structure.h"

namespace perdure::tree {

/// LeafPaths with their dotted spelling, of which a step changes the end alone.
class DottedPaths {
 public:
  explicit DottedPaths(const Structure& structure) : paths_(structure) {}
  /// As LeafPaths::next.
  bool next();
  const Node& node() const { return paths_.node(); }
  /// Of node(); valid until the next step.
  std::string_view name() const { return name_; }
  /// `visit(node, name)` for each node that the last step has come to: node(), after the containers on the way to it.
  template <class Visit>
  void for_each_new(Visit&& visit) const {
    for (std::size_t i = paths_.kept(); i < ends_.size(); ++i) visit(*paths_.path()[i], name().substr(0, ends_[i]));
  }

 private:
  LeafPaths paths_;
  std::string name_;
  std::vector<std::size_t> ends_;  // of the keys in name_
};

/// The dotted key paths of a structure's leaves and empty containers, in preorder, in one piece of memory.
class DottedNames {
 public:
  /// Throws kInvalid when all names together are longer than 1 GiB.
  explicit DottedNames(const Structure& structure);

  std::size_t size() const { return entries_.size(); }
  std::string_view name(std::size_t index) const { return {text_.data() + entries_[index].begin, entries_[index].size}; }
  /// Where the leaf or empty container stands in the structure.
  std::size_t position(std::size_t index) const { return entries_[index].position; }

 private:
  struct Entry {
    std::size_t begin;
    std::uint32_t size;
    std::uint32_t position;
  };
  std::string text_;
  std::vector<Entry> entries_;
};

/// For each leaf its dotted key path; it is also its storage name.
std::vector<std::string> leaf_names(const Structure& structure);

/// Dotted key path of the node at `position`.
std::string dotted_at(const Structure& structure, std::size_t position);
/// The same, spelled so that no two paths look alike: "p[1]" and "p['1']", "layers[0].w", "['a.b']".
std::string spelled_at(const Structure& structure, std::size_t position);

/// The position of a node that has the key of an earlier child of its mapping, named tuple or record; nullopt if there is none.
std::optional<std::size_t> find_repeated_key(const Structure& structure);

/// Throws kInvalid naming both key paths when two leaves or empty containers have one dotted name: {1: x, "1": y}.
void check_unique_names(const Structure& structure);

}  // namespace perdure::tree
