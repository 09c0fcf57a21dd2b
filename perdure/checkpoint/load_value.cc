#include <utility>

#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/read/load_template.h"

namespace perdure {
namespace {

using checkpoint::LeafTemplate;
using checkpoint::RestoredLeaf;

const Value& value_of(ObjectRef object) { return *static_cast<const Value*>(object); }

/// Values as templates.
class ValueTemplate final : public checkpoint::TemplateReader {
 public:
  ObjectReader& objects() override { return reader_; }
  std::optional<LeafTemplate> asked_for(ObjectRef leaf) override { return tree::template_of(value_of(leaf).as_leaf()); }

 private:
  tree::ValueReader reader_;
};

/// Keeps what the array was, so that a Python program gets it back as that after another save.
Leaf leaf_like(RestoredLeaf restored, const StoredLeaf& stored) {
  Leaf leaf = checkpoint::leaf_of(std::move(restored));
  auto* const array = std::get_if<ArrayLeaf>(&leaf);
  const auto* const was = std::get_if<StoredArray>(&stored);
  if (array != nullptr && was != nullptr) array->origin = was->origin;
  return leaf;
}

}  // namespace

Value load(const std::string& path, const Value& target, const LoadOptions& options) {
  ValueTemplate reader;
  Value result;
  checkpoint::load_with_template(
      path, options, reader, &target, [&](const checkpoint::TemplateLoad& load, std::vector<RestoredLeaf> restored) {
        const tree::FlatObjects& flat = load.target();
        std::vector<Leaf> leaves;
        for (std::size_t i = 0; i < flat.leaf_positions.size(); ++i) leaves.push_back(value_of(flat.leaf(i)).as_leaf());
        for (std::size_t i = 0; i < restored.size(); ++i) {
          const checkpoint::FilledLeaf& filled = load.filled()[i];
          leaves[filled.leaf] = leaf_like(std::move(restored[i]), load.item().leaves()[filled.stored_leaf]);
        }
        result = tree::unflatten({flat.structure, std::move(leaves)});
        return std::vector<std::string>();
      });
  return result;
}

}  // namespace perdure
