#include "perdure/tree/flatten.h"

#include <unordered_set>

#include "perdure/tree/names.h"

namespace perdure::tree {
namespace {

constexpr std::size_t kDepthMax = 1'000'000;  // objects may make up children without end

/// The containers from the root to where the walk is. Few are looked at one by one, many are hashed.
class Ancestors {
 public:
  void push(ObjectRef object) {
    if (path_.size() >= kLinear) deep_.insert(object);
    path_.push_back(object);
  }
  void pop() {
    if (path_.size() > kLinear) deep_.erase(path_.back());
    path_.pop_back();
  }
  bool contains(ObjectRef object) const {
    const std::size_t count = std::min(path_.size(), kLinear);
    return std::find(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(count), object) !=
               path_.begin() + static_cast<std::ptrdiff_t>(count) ||
           deep_.contains(object);
  }

 private:
  static constexpr std::size_t kLinear = 32;
  std::vector<ObjectRef> path_;
  std::unordered_set<ObjectRef> deep_;
};

class Walk {
 public:
  explicit Walk(ObjectReader& reader) : reader_(reader) {}

  FlatObjects run(ObjectRef root) {
    visit({Key(), root, reader_.kind(root)});
    while (!open_.empty()) {
      Frame& frame = open_.back();
      if (frame.next == frame.end) {
        leave();
      } else {
        Child child = std::move(waiting_[frame.next++]);
        visit(std::move(child));
      }
    }
    return std::move(flat_);
  }

 private:
  struct Frame {
    std::uint32_t position;        // of the container in the structure
    std::size_t begin, next, end;  // its children in waiting_
  };

  void visit(Child child) {
    const std::size_t position = flat_.structure.append(child.kind, std::move(child.key));
    flat_.objects.push_back(child.object);
    if (child.kind == NodeKind::kLeaf) {
      flat_.leaf_positions.push_back(static_cast<std::uint32_t>(position));
    } else {
      at_key_path([&] { return path_to(position); }, [&] { enter(child, position); });
    }
  }

  void enter(const Child& child, std::size_t position) {
    if (ancestors_.contains(child.object)) throw Error(ErrorKind::kInputType, "cannot save a container that contains itself");
    if (open_.size() >= kDepthMax) throw Error(ErrorKind::kInputType, "cannot save more than 1000000 levels");
    if (TypeName type = reader_.type_name(child.object); !type.qualname.empty()) {
      flat_.structure.set_type(position, flat_.structure.add_type(std::move(type)));
    }
    const std::size_t begin = waiting_.size();
    reader_.append_children(child.object, child.kind, waiting_);
    const std::size_t count = waiting_.size() - begin;
    if (count == 0) return;
    flat_.structure.set_child_count(position, static_cast<std::uint32_t>(count));
    ancestors_.push(child.object);
    open_.push_back({static_cast<std::uint32_t>(position), begin, begin, waiting_.size()});
  }

  void leave() {
    waiting_.resize(open_.back().begin);
    ancestors_.pop();
    open_.pop_back();
  }

  std::string path_to(std::size_t position) const {
    std::vector<const Node*> path;
    for (const Frame& frame : open_) path.push_back(&flat_.structure.nodes()[frame.position]);
    path.push_back(&flat_.structure.nodes()[position]);
    path.erase(path.begin());  // the root has no key
    return dotted(path);
  }

  ObjectReader& reader_;
  FlatObjects flat_;
  std::vector<Frame> open_;
  std::vector<Child> waiting_;
  Ancestors ancestors_;
};

}  // namespace

FlatObjects flatten(ObjectReader& reader, ObjectRef root) { return Walk(reader).run(root); }

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
