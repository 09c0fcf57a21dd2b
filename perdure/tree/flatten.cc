#include "perdure/tree/flatten.h"

#include <string>

#include "perdure/tree/names.h"

namespace perdure::tree {
namespace {

class StructureBuilder final : public Visitor {
 public:
  explicit StructureBuilder(ObjectReader& reader) : reader_(reader) {}

  ObjectRef leaf(Child& child, const std::string&) override {
    flat_.leaf_positions.push_back(append(child, NodeKind::kLeaf));
    return child.object;
  }

  void enter(Child& child, NodeKind kind) override {
    const std::uint32_t position = append(child, kind);
    if (TypeName type = reader_.type_name(child.object); !type.qualname.empty()) {
      flat_.structure.set_type(position, flat_.structure.add_type(std::move(type)));
    }
    open_.push_back(position);
  }

  ObjectRef leave(ObjectRef container, NodeKind, std::span<const Child> children, const std::string&) override {
    flat_.structure.set_child_count(open_.back(), static_cast<std::uint32_t>(children.size()));
    open_.pop_back();
    return container;
  }

  FlatObjects result() && { return std::move(flat_); }

 private:
  std::uint32_t append(Child& child, NodeKind kind) {
    flat_.objects.push_back(child.object);
    return static_cast<std::uint32_t>(flat_.structure.append(kind, std::move(child.key)));
  }

  ObjectReader& reader_;
  FlatObjects flat_;
  std::vector<std::uint32_t> open_;  // positions of the containers that the walk is in
};

}  // namespace

FlatObjects flatten(ObjectReader& reader, ObjectRef root) {
  StructureBuilder builder(reader);
  walk(reader, root, PathStyle::kDotted, builder);
  return std::move(builder).result();
}

std::vector<Leaf> read_leaves(ObjectReader& reader, const FlatObjects& flat) {
  std::vector<Leaf> leaves;
  leaves.reserve(flat.leaf_positions.size());
  for (const std::uint32_t position : flat.leaf_positions) {
    at_key_path([&] { return dotted_at(flat.structure, position); },
                [&] { leaves.push_back(reader.leaf(flat.objects[position])); });
  }
  return leaves;
}

FlatTree flatten_tree(ObjectReader& reader, ObjectRef root) {
  FlatObjects flat = flatten(reader, root);
  std::vector<Leaf> leaves = read_leaves(reader, flat);
  return {std::move(flat.structure), std::move(leaves)};
}

}  // namespace perdure::tree
