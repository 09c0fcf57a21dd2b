#include <utility>

#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/load_template.h"

namespace perdure {
namespace {

using checkpoint::LeafTemplate;
using checkpoint::RestoredLeaf;

const Value& value_of(ObjectRef object) { return *static_cast<const Value*>(object); }

/// Values as templates.
class ValueTemplate final : public checkpoint::TemplateReader {
 public:
  ObjectReader& objects() override { return reader_; }
  std::optional<LeafTemplate> asked_for(ObjectRef leaf) override {
    LeafTemplate wanted;
    const Leaf value = value_of(leaf).as_leaf();
    if (const auto* array = std::get_if<ArrayLeaf>(&value)) {
      wanted.kind = LeafTemplate::Kind::kArray;
      wanted.shape = array->shape;
      wanted.dtype = array->dtype;
    } else {
      wanted.kind = LeafTemplate::Kind::kScalar;
      wanted.scalar_kind = kind_of(std::get<Scalar>(value));
    }
    return wanted;
  }

 private:
  tree::ValueReader reader_;
};

/// Keeps what the array was, so that a Python program gets it back as that after another save.
Leaf leaf_of(RestoredLeaf restored, const StoredLeaf& stored) {
  if (auto* scalar = std::get_if<Scalar>(&restored)) return std::move(*scalar);
  LoadedArray& loaded = std::get<LoadedArray>(restored);
  ArrayLeaf leaf = Value::array(std::move(loaded.view), std::move(loaded.owner)).array();
  if (const auto* array = std::get_if<StoredArray>(&stored)) leaf.origin = array->origin;
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
          leaves[filled.leaf] = leaf_of(std::move(restored[i]), load.item().leaves()[filled.stored_leaf]);
        }
        result = tree::unflatten({flat.structure, std::move(leaves)});
      });
  return result;
}

}  // namespace perdure
