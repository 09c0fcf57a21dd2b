#include "perdure/checkpoint/load_template.h"

#include <utility>

#include "perdure/tree/names.h"

namespace perdure::checkpoint {

/// By stored leaf: the template object that asked for it first.
struct TemplateLoad::FirstAsked {
  ObjectRef object = nullptr;
  std::size_t filled = 0;
};

TemplateLoad::TemplateLoad(const TreeItem& item, const tree::Selection& part, TemplateReader& reader, ObjectRef root,
                           const TemplateOptions& options)
    : item_(item),
      target_(tree::flatten(reader.objects(), root)),
      keys_(tree::leaf_names(target_.structure)),
      restore_(item, options.restore) {
  const tree::Match match = tree::match(target_.structure, part.structure, options.match);
  std::vector<FirstAsked> first_asked(item.leaves().size());
  for (std::size_t leaf = 0; leaf < keys_.size(); ++leaf) {
    if (!match.stored[leaf]) continue;
    std::optional<LeafTemplate> wanted =
        tree::at_key_path([&] { return keys_[leaf]; }, [&] { return reader.asked_for(target_.leaf(leaf)); });
    if (wanted) ask(leaf, part.leaves[*match.stored[leaf]], std::move(*wanted), first_asked);
  }
}

void TemplateLoad::ask(std::size_t leaf, std::uint32_t stored_leaf, LeafTemplate wanted, std::vector<FirstAsked>& first_asked) {
  FilledLeaf filled{leaf, stored_leaf, std::nullopt};
  FirstAsked& first = first_asked[source_leaf(item_, stored_leaf)];
  if (first.object == nullptr) {
    first = {target_.leaf(leaf), filled_.size()};
  } else if (first.object == target_.leaf(leaf)) {
    filled.same_as = first.filled;  // one object when it was saved, and one in the template
  } else {
    wanted.own_memory = true;
  }
  restore_.want(stored_leaf, wanted, keys_[leaf]);
  filled_.push_back(filled);
}

std::uint32_t source_leaf(const TreeItem& item, std::uint32_t stored_leaf) {
  const auto* array = std::get_if<StoredArray>(&item.leaves()[stored_leaf]);
  return array == nullptr ? stored_leaf : array->tied_to.value_or(stored_leaf);
}

}  // namespace perdure::checkpoint
