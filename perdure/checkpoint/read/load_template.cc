#include "perdure/checkpoint/read/load_template.h"

#include <algorithm>
#include <utility>

#include "perdure/base/quoted_list.h"
#include "perdure/checkpoint/files/seen_directory.h"
#include "perdure/checkpoint/read/handled_leaves.h"
#include "perdure/tree/graft.h"
#include "perdure/tree/names.h"

namespace perdure::checkpoint {

namespace {

/// The leaves of the part that may have been empty containers; none if there cannot be such.
std::vector<bool> maybe_empty(const TreeItem& item, const tree::Selection& part) {
  std::vector<bool> result;
  if (!item.none_may_be_empty()) return result;
  for (const std::uint32_t leaf : part.leaves) {
    const auto* const scalar = std::get_if<Scalar>(&item.leaves()[leaf]);
    result.push_back(scalar != nullptr && std::holds_alternative<None>(*scalar));
  }
  return result;
}

}  // namespace

/// By stored leaf: the template object that asked for it first.
struct TemplateLoad::FirstAsked {
  ObjectRef object = nullptr;
  std::size_t filled = 0;
};

TemplateLoad::TemplateLoad(const TreeItem& item, const tree::Selection& part, TemplateReader& reader, ObjectRef root,
                           const TemplateOptions& options)
    : item_(item),
      target_(target_of(reader, root, part.structure)),
      keys_(tree::leaf_names(target_.structure)),
      restore_(item, options.restore) {
  const tree::Match match = tree::match(target_.structure, part.structure, options.match, maybe_empty(item, part));
  for (const std::uint32_t leaf : match.missing) missing_keys_.push_back(keys_[leaf]);
  if (!match.unused.empty()) {
    std::vector<std::string> names = tree::leaf_names(part.structure);
    for (const std::uint32_t leaf : match.unused) unused_keys_.push_back(std::move(names[leaf]));
  }
  std::vector<FirstAsked> first_asked(item.leaves().size());
  for (std::size_t leaf = 0; leaf < keys_.size(); ++leaf) {
    if (!match.stored[leaf]) continue;
    std::optional<LeafTemplate> wanted = LeafTemplate{};
    if (const ObjectRef object = target_.leaf(leaf)) {
      wanted = tree::at_key_path([&] { return keys_[leaf]; }, [&] { return reader.asked_for(object); });
    }
    if (wanted) ask(leaf, part.leaves[*match.stored[leaf]], std::move(*wanted), first_asked);
  }
}

tree::FlatObjects TemplateLoad::target_of(TemplateReader& reader, ObjectRef root, const tree::Structure& stored) {
  tree::FlatObjects flat = tree::flatten(reader.objects(), root);
  std::vector<bool> takes_all(flat.leaf_positions.size());
  for (std::size_t leaf = 0; leaf < takes_all.size(); ++leaf) takes_all[leaf] = reader.takes_all_below(flat.leaf(leaf));
  if (std::find(takes_all.begin(), takes_all.end(), true) == takes_all.end()) return flat;
  return tree::graft(flat, stored, takes_all);
}

void TemplateLoad::ask(std::size_t leaf, std::uint32_t stored_leaf, LeafTemplate wanted, std::vector<FirstAsked>& first_asked) {
  FilledLeaf filled{leaf, stored_leaf, std::nullopt};
  FirstAsked& first = first_asked[source_leaf(item_, stored_leaf)];
  if (target_.leaf(leaf) == nullptr) {
    wanted.own_memory = true;  // nobody knows what a serializer does with it
  } else if (first.object == nullptr) {
    first = {target_.leaf(leaf), filled_.size()};
  } else if (first.object == target_.leaf(leaf)) {
    filled.same_as = first.filled;  // one object when it was saved, and one in the template
  } else {
    wanted.own_memory = true;
  }
  restore_.want(stored_leaf, wanted, keys_[leaf]);
  filled_.push_back(filled);
}

namespace {

/// Says or refuses what casts have changed.
void tell_lossy(const std::vector<std::string>& keys, const LoadOptions& options) {
  if (keys.empty()) return;
  const std::string message = "the cast to the template's dtype changes the values of: " + quoted_list(keys);
  if (options.raise_on_lossy_cast) throw Error(ErrorKind::kMismatch, message);
  if (LogSink* const log = options.open.environment.log) log->warn(message);
}

/// `of_handlers`: which of the restored leaves.
void make_handled(const TemplateLoad& load, const std::vector<std::size_t>& of_handlers, HandledLeaves& handled,
                  std::vector<RestoredLeaf>& restored) {
  if (of_handlers.empty()) return;
  for (const RestoredLeaf& leaf : restored) {
    if (const auto* const array = std::get_if<LoadedArray>(&leaf)) handled.spend(*array);
  }
  for (const std::size_t i : of_handlers) restored[i] = handled.make(load.filled()[i].stored_leaf);
  handled.check_not_replaced();
}

void load_opened(const Checkpoint& checkpoint, const LoadOptions& options, TemplateReader& reader, ObjectRef root,
                 const TakeRestored& take) {
  const std::unique_ptr<TreeItem> item = checkpoint.tree(options.checkpointable_name);
  const tree::Selection part =
      options.only.empty() ? tree::select_all(item->structure()) : tree::select(item->structure(), options.only);
  TemplateLoad load(*item, part, reader, root, {options.match, {options.pad_and_truncate}});
  HandledLeaves handled(checkpoint, *item, options);
  std::vector<std::size_t> of_handlers;
  for (std::size_t i = 0; i < load.filled().size(); ++i) {
    if (handled.has(load.filled()[i].stored_leaf)) of_handlers.push_back(i);
  }
  std::vector<RestoredLeaf> restored = load.read(options.read);
  make_handled(load, of_handlers, handled, restored);
  std::vector<std::string> lossy = take(load, std::move(restored));
  lossy.insert(lossy.begin(), load.lossy_keys().begin(), load.lossy_keys().end());
  lossy.erase(std::unique(lossy.begin(), lossy.end()), lossy.end());
  tell_lossy(lossy, options);
  if (options.report != nullptr) *options.report = {std::move(lossy), load.missing_keys(), load.unused_keys()};
}

}  // namespace

void load_with_template(const std::string& path, const LoadOptions& options, TemplateReader& reader, ObjectRef root,
                        const TakeRestored& take) {
  read_steadily([&] { return Checkpoint::open(path, options.open); },
                [&](const Checkpoint& checkpoint) { load_opened(checkpoint, options, reader, root, take); });
}

Leaf leaf_of(RestoredLeaf restored) {
  if (auto* scalar = std::get_if<Scalar>(&restored)) return std::move(*scalar);
  LoadedArray& array = std::get<LoadedArray>(restored);
  return Value::array(std::move(array.view), std::move(array.owner)).as_leaf();
}

std::uint32_t source_leaf(const TreeItem& item, std::uint32_t stored_leaf) {
  const auto* array = std::get_if<StoredArray>(&item.leaves()[stored_leaf]);
  return array == nullptr ? stored_leaf : array->tied_to.value_or(stored_leaf);
}

}  // namespace perdure::checkpoint
