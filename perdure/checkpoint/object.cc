#include "perdure/checkpoint/object.h"

#include <utility>

#include "perdure/checkpoint/read/load_template.h"
#include "perdure/tree/object/reader.h"

namespace perdure {
namespace {

using checkpoint::LeafTemplate;
using checkpoint::RestoredLeaf;
using checkpoint::TemplateLoad;

/// C++ objects as templates.
class ObjectTemplate final : public checkpoint::TemplateReader {
 public:
  ObjectTemplate(const tree::ObjectRegistry& registry, bool in_place) : objects_(registry, in_place) {}
  tree::TemplateObjects& objects() override { return objects_; }
  std::optional<LeafTemplate> asked_for(ObjectRef leaf) override { return objects_.asked_for(leaf); }
  bool takes_all_below(ObjectRef leaf) override { return objects_.has_serializer(leaf); }

 private:
  tree::TemplateObjects objects_;
};

/// Makes everything that was read fit. Returns the key paths of what had to change.
std::vector<std::string> restore(tree::TemplateObjects& objects, const TemplateLoad& load, std::vector<RestoredLeaf> restored) {
  std::vector<std::string> lossy;
  std::vector<Leaf> relative(load.target().leaf_positions.size());
  for (std::size_t i = 0; i < restored.size(); ++i) {
    const std::size_t index = load.filled()[i].leaf;
    Leaf leaf = checkpoint::leaf_of(std::move(restored[i]));
    const ObjectRef object = load.target().leaf(index);
    if (object == nullptr) {
      relative[index] = std::move(leaf);
    } else if (tree::at_key_path([&] { return load.key(index); }, [&] { return objects.restore(object, leaf); })) {
      lossy.push_back(load.key(index));
    }
  }
  objects.restore_handled(load.target(), relative);
  return lossy;
}

}  // namespace

SaveStatistics detail::save_object(const std::string& path, tree::Slot root, const SaveOptions& options,
                                   const tree::ObjectRegistry& registry) {
  tree::SavedObjects objects(registry);  // has what serializers gave
  return save(path, tree::flatten_tree(objects, objects.root(root)), options);
}

void detail::load_object(const std::string& path, tree::Slot root, const LoadOptions& options,
                         const tree::ObjectRegistry& registry) {
  ObjectTemplate target(registry, options.in_place);
  checkpoint::load_with_template(path, options, target, target.objects().root(root),
                                 [&](const TemplateLoad& load, std::vector<RestoredLeaf> restored) {
                                   return restore(target.objects(), load, std::move(restored));
                                 });
  target.objects().commit();
}

}  // namespace perdure
