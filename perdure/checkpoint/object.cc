#include "perdure/checkpoint/object.h"

#include <utility>

#include "perdure/checkpoint/load_template.h"
#include "perdure/tree/object/reader.h"

namespace perdure {
namespace {

/// C++ objects as templates.
class ObjectTemplate final : public checkpoint::TemplateReader {
 public:
  explicit ObjectTemplate(const tree::ObjectRegistry& registry) : reader_(registry) {}
  tree::TypedReader& objects() override { return reader_; }
  std::optional<checkpoint::LeafTemplate> asked_for(ObjectRef leaf) override { return reader_.asked_for(leaf); }

 private:
  tree::TypedReader reader_;
};

}  // namespace

SaveStatistics detail::save_object(const std::string& path, tree::Slot root, const SaveOptions& options,
                                   const tree::ObjectRegistry& registry) {
  tree::TypedReader reader(registry);  // has what serializers gave
  return save(path, tree::flatten_tree(reader, reader.root(root)), options);
}

void detail::load_object(const std::string& path, tree::Slot root, const LoadOptions& options,
                         const tree::ObjectRegistry& registry) {
  ObjectTemplate target(registry);
  tree::TypedReader& objects = target.objects();
  checkpoint::load_with_template(
      path, options, target, objects.root(root),
      [&](const checkpoint::TemplateLoad& load, std::vector<checkpoint::RestoredLeaf> restored) {
        std::vector<std::string> lossy;
        for (std::size_t i = 0; i < restored.size(); ++i) {
          const std::size_t leaf = load.filled()[i].leaf;
          tree::at_key_path([&] { return load.key(leaf); },
                            [&] {
                              if (objects.restore(load.target().leaf(leaf), checkpoint::leaf_of(std::move(restored[i])))) {
                                lossy.push_back(load.key(leaf));
                              }
                            });
        }
        objects.restore_handled(load.target());
        return lossy;
      });
  objects.commit();
}

}  // namespace perdure
