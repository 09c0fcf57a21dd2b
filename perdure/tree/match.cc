#include "perdure/tree/match.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "perdure/base/error.h"
#include "perdure/base/quoted_list.h"
#include "perdure/tree/names.h"

namespace perdure::tree {
namespace {

struct NamedLeaf {
  std::string_view name;
  std::uint32_t leaf_index;
};

std::vector<NamedLeaf> named_leaves(const Structure& structure, const DottedNames& names) {
  std::vector<NamedLeaf> leaves;
  leaves.reserve(structure.leaf_count());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Node& node = structure.nodes()[names.position(i)];
    if (node.kind == NodeKind::kLeaf) leaves.push_back({names.name(i), node.leaf_index});
  }
  return leaves;
}

std::unordered_set<std::string_view> empty_containers(const Structure& structure, const DottedNames& names) {
  std::unordered_set<std::string_view> empties;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (structure.nodes()[names.position(i)].kind != NodeKind::kLeaf) empties.insert(names.name(i));
  }
  return empties;
}

struct Differences {
  std::vector<std::string_view> missing, unused;
};

void check(const Differences& differences, const MatchOptions& options) {
  std::string text;
  if (options.missing == MatchOptions::Missing::kError && !differences.missing.empty()) {
    text = "not in the checkpoint: " + quoted_list(differences.missing);
  }
  if (options.unused == MatchOptions::Unused::kError && !differences.unused.empty()) {
    text += (text.empty() ? "" : "; ") + ("not in the template: " + quoted_list(differences.unused));
  }
  if (!text.empty()) throw Error(ErrorKind::kMismatch, "template and checkpoint differ: " + text);
}

}  // namespace

Match match(const Structure& target, const Structure& stored, const MatchOptions& options, const std::vector<bool>& maybe_empty) {
  const DottedNames target_names(target), stored_names(stored);
  const std::vector<NamedLeaf> stored_leaves = named_leaves(stored, stored_names);
  std::unordered_map<std::string_view, std::uint32_t> index_of;
  index_of.reserve(stored_leaves.size());
  for (const NamedLeaf& leaf : stored_leaves) index_of.emplace(leaf.name, leaf.leaf_index);

  Match result;
  Differences differences;
  std::vector<bool> used(stored.leaf_count());
  for (const NamedLeaf& leaf : named_leaves(target, target_names)) {
    const auto found = index_of.find(leaf.name);
    if (found == index_of.end()) {
      result.stored.emplace_back();
      result.missing.push_back(leaf.leaf_index);
      differences.missing.push_back(leaf.name);
      continue;
    }
    if (used[found->second]) check_unique_names(target);  // one stored leaf must not fill two
    used[found->second] = true;
    result.stored.emplace_back(found->second);
  }
  std::unordered_set<std::string_view> empties;
  if (!maybe_empty.empty()) empties = empty_containers(target, target_names);
  for (const NamedLeaf& leaf : stored_leaves) {
    if (used[leaf.leaf_index]) continue;
    if (empties.contains(leaf.name) && maybe_empty[leaf.leaf_index]) continue;
    result.unused.push_back(leaf.leaf_index);
    differences.unused.push_back(leaf.name);
  }
  check(differences, options);
  return result;
}

}  // namespace perdure::tree
