#include "perdure/tree/select.h"

#include <numeric>
#include <optional>
#include <string_view>

#include "perdure/base/error.h"
#include "perdure/base/quoted_list.h"
#include "perdure/tree/names.h"

namespace perdure::tree {
namespace {

constexpr std::size_t kNamedMax = 10;

/// Takes the text up to the next dot off `rest`; nullopt when nothing is left.
std::optional<std::string_view> take_key(std::optional<std::string_view>& rest) {
  if (!rest) return std::nullopt;
  const std::size_t dot = rest->find('.');
  const std::string_view key = rest->substr(0, dot);
  rest = dot == std::string_view::npos ? std::nullopt : std::optional(rest->substr(dot + 1));
  return key;
}

/// "*" stands for any text. Goes back to the last star only, so it takes size times size steps at most.
bool key_matches(std::string_view pattern, std::string_view key) {
  std::size_t p = 0, k = 0, star = std::string_view::npos, star_k = 0;
  while (k < key.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_k = k;
    } else if (p < pattern.size() && pattern[p] == key[k]) {
      ++p, ++k;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      k = ++star_k;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool selects(std::string_view pattern, std::string_view name) {
  std::optional<std::string_view> pattern_rest = pattern, name_rest = name;
  while (const auto pattern_key = take_key(pattern_rest)) {
    const auto key = take_key(name_rest);
    if (!key || !key_matches(*pattern_key, *key)) return false;
  }
  return true;
}

std::vector<std::string> top_level_names(const Structure& structure) {
  std::vector<std::string> names;
  const Node* last = nullptr;
  for (LeafPaths paths(structure); paths.next();) {
    if (paths.path().empty() || paths.path().front() == last) continue;
    last = paths.path().front();
    names.push_back(last->key.str());
  }
  return names;
}

/// The leaves and empty containers that some pattern selects, by position.
std::vector<bool> selected_positions(const Structure& structure, const std::vector<std::string>& patterns) {
  std::vector<bool> selected(structure.nodes().size());
  const DottedNames names(structure);
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!selects(pattern, names.name(i))) continue;
      selected[names.position(i)] = true;
      any = true;
    }
    if (!any) {
      throw Error(ErrorKind::kNotFound, "no key path is or begins with '" + pattern + "'; there is " +
                                            quoted_list(top_level_names(structure), kNamedMax));
    }
  }
  return selected;
}

/// The parent of each node, by position; the root is its own.
std::vector<std::uint32_t> parents_of(const Structure& structure) {
  const std::vector<Node>& nodes = structure.nodes();
  std::vector<std::uint32_t> parents(nodes.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  // position, children still to come
  for (std::uint32_t position = 0; position < nodes.size(); ++position) {
    while (!open.empty() && open.back().second == 0) open.pop_back();
    if (!open.empty()) {
      parents[position] = open.back().first;
      --open.back().second;
    }
    if (nodes[position].child_count > 0) open.emplace_back(position, nodes[position].child_count);
  }
  return parents;
}

NodeKind kind_of_part(const Node& node, std::uint32_t kept) {
  const bool has_fields = node.kind == NodeKind::kNamedTuple || node.kind == NodeKind::kRecord;
  return has_fields && kept < node.child_count ? NodeKind::kMapping : node.kind;
}

}  // namespace

Selection select(const Structure& structure, const std::vector<std::string>& patterns) {
  if (patterns.empty()) throw Error(ErrorKind::kInvalid, "no key path to select");
  const std::vector<Node>& nodes = structure.nodes();
  std::vector<bool> keep = selected_positions(structure, patterns);
  const std::vector<std::uint32_t> parents = parents_of(structure);
  std::vector<std::uint32_t> kept_children(nodes.size());
  for (std::size_t position = nodes.size(); position-- > 1;) {
    if (!keep[position]) continue;
    keep[parents[position]] = true;
    ++kept_children[parents[position]];
  }

  Selection result;
  std::vector<std::uint32_t> next_index(nodes.size());  // of a list or tuple: where its next kept child goes
  for (std::size_t position = 0; position < nodes.size(); ++position) {
    if (!keep[position]) continue;
    const Node& node = nodes[position];
    const bool by_position = position > 0 && has_positions(nodes[parents[position]].kind);
    const NodeKind kind = kind_of_part(node, kept_children[position]);
    const std::uint32_t type = kind == node.kind ? result.structure.add_type(structure.types()[node.type_index]) : 0;
    const std::size_t at = result.structure.append(kind, by_position ? Key(next_index[parents[position]]++) : node.key, type);
    result.structure.set_child_count(at, kept_children[position]);
    if (node.kind == NodeKind::kLeaf) result.leaves.push_back(node.leaf_index);
  }
  return result;
}

Selection select_all(const Structure& structure) {
  Selection result{structure, std::vector<std::uint32_t>(structure.leaf_count())};
  std::iota(result.leaves.begin(), result.leaves.end(), 0);
  return result;
}

}  // namespace perdure::tree
