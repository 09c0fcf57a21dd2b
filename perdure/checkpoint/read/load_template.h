#pragma once
// Loading into a template, for any host: walk it, match it with what is stored, ask for each leaf, read everything at once.
//
// The host (objects of Python, Values of C++) says what its leaves ask for, and makes its objects of what was read. Which leaf fills
// which, what must fit, and what is one object in the result is decided here.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "perdure/checkpoint/read/restore.h"
#include "perdure/tree/flatten.h"
#include "perdure/tree/match.h"
#include "perdure/tree/select.h"

namespace perdure::checkpoint {

/// A host's objects as templates.
class TemplateReader {
 public:
  virtual ~TemplateReader() = default;
  virtual ObjectReader& objects() = 0;
  /// What a leaf asks for; nullopt: it shall stay as it is. Throws kInputType for what cannot be in a template.
  virtual std::optional<LeafTemplate> asked_for(ObjectRef leaf) = 0;
  /// Whether the leaf stands for whatever is stored at and below its key path (tree/graft.h), as it was saved: a serializer takes it.
  virtual bool takes_all_below(ObjectRef /*leaf*/) { return false; }
};

struct TemplateOptions {
  tree::MatchOptions match;
  RestorePolicy restore;
};

/// A leaf of the template that gets a stored value.
struct FilledLeaf {
  std::size_t leaf = 0;                // of the template
  std::uint32_t stored_leaf = 0;       // of the item
  std::optional<std::size_t> same_as;  // an earlier filled leaf with which it is one object
};

/// For one thread. Borrows item, reader and template.
class TemplateLoad {
 public:
  /// Throws kMismatch naming every missing and unused key path, or the leaf that does not fit; kInputType naming the template's leaf.
  TemplateLoad(const TreeItem& item, const tree::Selection& part, TemplateReader& reader, ObjectRef root,
               const TemplateOptions& options);

  const TreeItem& item() const { return item_; }
  /// With a mapping in place of each leaf that takes all below.
  const tree::FlatObjects& target() const { return target_; }
  /// Leaves that are not among them keep the template's object. Those that have none are made as they were saved.
  const std::vector<FilledLeaf>& filled() const { return filled_; }
  /// Dotted key path of a leaf of the template.
  const std::string& key(std::size_t leaf) const { return keys_[leaf]; }
  /// Key paths of what only one side has: leaves of the template that are not stored, and of the part that it does not have.
  const std::vector<std::string>& missing_keys() const { return missing_keys_; }
  const std::vector<std::string>& unused_keys() const { return unused_keys_; }

  /// Reads what the filled leaves need, in their order. Touches no object of the host. Once.
  std::vector<RestoredLeaf> read(const ReadOptions& options) { return restore_.run(options); }
  /// Key paths whose values a cast has changed, after read().
  const std::vector<std::string>& lossy_keys() const { return restore_.lossy_keys(); }

 private:
  struct FirstAsked;
  static tree::FlatObjects target_of(TemplateReader& reader, ObjectRef root, const tree::Structure& stored);
  void ask(std::size_t leaf, std::uint32_t stored_leaf, LeafTemplate wanted, std::vector<FirstAsked>& first_asked);

  const TreeItem& item_;
  tree::FlatObjects target_;
  std::vector<std::string> keys_;
  std::vector<std::string> missing_keys_, unused_keys_;
  std::vector<FilledLeaf> filled_;
  TreeRestore restore_;
};

/// Makes the host's objects of what was read, in the order of filled(). Returns key paths whose values had to change.
using TakeRestored = std::function<std::vector<std::string>(const TemplateLoad&, std::vector<RestoredLeaf>)>;

/// For hosts of C++: opens, matches and reads as `options` say, calls `take`, then reports. Blocks.
void load_with_template(const std::string& path, const LoadOptions& options, TemplateReader& reader, ObjectRef root,
                        const TakeRestored& take);
/// What was read, as a leaf of an unknown origin.
Leaf leaf_of(RestoredLeaf restored);

/// The stored leaf that an array is tied to, or itself.
std::uint32_t source_leaf(const TreeItem& item, std::uint32_t stored_leaf);

}  // namespace perdure::checkpoint
