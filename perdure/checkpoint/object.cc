#include "perdure/checkpoint/object.h"

#include <utility>

#include "perdure/checkpoint/leaf_handler_registry.h"
#include "perdure/checkpoint/read/load_template.h"
#include "perdure/tree/object/reader.h"

namespace perdure {
namespace {

using checkpoint::LeafTemplate;
using checkpoint::RestoredLeaf;
using checkpoint::TemplateLoad;

/// C++ objects, in which those that a leaf handler takes are leaves.
template <class Objects>
class ObjectsWithHandlers final : public ObjectReader {
 public:
  ObjectsWithHandlers(Objects& objects, const LeafHandlerRegistry* handlers)
      : objects_(objects), handlers_(handlers != nullptr ? *handlers : default_leaf_handlers()) {}

  bool has_leaf_handler(ObjectRef object) {
    if (handlers_.empty()) return false;
    const tree::Slot* const slot = objects_.find_slot(object);
    return slot != nullptr && handlers_.find(slot->type->id(), slot->address) != nullptr;
  }

  NodeKind kind(ObjectRef object) override { return has_leaf_handler(object) ? NodeKind::kLeaf : objects_.kind(object); }
  void append_children(ObjectRef object, NodeKind kind, std::vector<Child>& out) override {
    objects_.append_children(object, kind, out);
  }
  TypeName type_name(ObjectRef object) override { return objects_.type_name(object); }
  Leaf leaf(ObjectRef object) override {
    if (!has_leaf_handler(object)) return objects_.leaf(object);
    const tree::Slot& slot = *objects_.find_slot(object);
    return Scalar(Handled{{}, {std::shared_ptr<const void>(), slot.address}, &slot.type->id()});  // borrowed
  }

 private:
  Objects& objects_;
  const LeafHandlerRegistry& handlers_;
};

/// C++ objects as templates.
class ObjectTemplate final : public checkpoint::TemplateReader {
 public:
  ObjectTemplate(const tree::ObjectRegistry& registry, const LoadOptions& options)
      : templates_(registry, options.in_place), objects_(templates_, options.leaf_handlers) {}
  tree::TemplateObjects& templates() { return templates_; }
  ObjectReader& objects() override { return objects_; }
  std::optional<LeafTemplate> asked_for(ObjectRef leaf) override {
    return objects_.has_leaf_handler(leaf) ? LeafTemplate{} : templates_.asked_for(leaf);
  }
  bool takes_all_below(ObjectRef leaf) override { return !objects_.has_leaf_handler(leaf) && templates_.has_serializer(leaf); }

 private:
  tree::TemplateObjects templates_;
  ObjectsWithHandlers<tree::TemplateObjects> objects_;
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
  objects.restore_serialized(load.target(), relative);
  return lossy;
}

}  // namespace

SaveStatistics detail::save_object(const std::string& path, tree::Slot root, const SaveOptions& options,
                                   const tree::ObjectRegistry& registry) {
  tree::SavedObjects objects(registry);  // has what serializers gave
  ObjectsWithHandlers reader(objects, options.leaf_handlers);
  return save(path, tree::flatten_tree(reader, objects.root(root)), options);
}

SaveFuture detail::save_object_async(const std::string& path, tree::Slot root, const SaveOptions& options,
                                     const tree::ObjectRegistry& registry) {
  tree::SavedObjects objects(registry);
  ObjectsWithHandlers reader(objects, options.leaf_handlers);
  return save_async(path, tree::flatten_tree(reader, objects.root(root)), options);
}

void detail::load_object(const std::string& path, tree::Slot root, const LoadOptions& options,
                         const tree::ObjectRegistry& registry) {
  ObjectTemplate target(registry, options);
  checkpoint::load_with_template(path, options, target, target.templates().root(root),
                                 [&](const TemplateLoad& load, std::vector<RestoredLeaf> restored) {
                                   return restore(target.templates(), load, std::move(restored));
                                 });
  target.templates().commit();
}

}  // namespace perdure
