#include "perdure/tree/walk.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

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
    const auto end = path_.begin() + static_cast<std::ptrdiff_t>(std::min(path_.size(), kLinear));
    return std::find(path_.begin(), end, object) != end || deep_.contains(object);
  }

 private:
  static constexpr std::size_t kLinear = 32;
  std::vector<ObjectRef> path_;
  std::unordered_set<ObjectRef> deep_;
};

class Walk {
 public:
  Walk(ObjectReader& reader, PathStyle style, Visitor& visitor) : reader_(reader), style_(style), visitor_(visitor) {}

  ObjectRef run(ObjectRef root) {
    waiting_.push_back({Key(), root});
    visit(0);
    while (!open_.empty()) {
      Frame& frame = open_.back();
      if (frame.next == waiting_.size()) {
        leave();
        continue;
      }
      path_.resize(frame.path_size);
      append_key(path_, waiting_[frame.next].key, frame.kind, open_.size() == 1, style_);
      visit(frame.next++);
    }
    return waiting_.front().object;
  }

 private:
  struct Frame {
    NodeKind kind;
    std::size_t index;        // of the container in waiting_
    std::size_t begin, next;  // its children in waiting_: they are the last ones there
    std::size_t path_size;
  };

  void visit(std::size_t index) {
    Child& child = waiting_[index];
    const NodeKind kind = reader_.kind(child.object);
    if (kind == NodeKind::kLeaf) {
      child.object = visitor_.leaf(child, path_);
    } else {
      at_key_path([&] { return path_; }, [&] { enter(index, kind); });
    }
  }

  void enter(std::size_t index, NodeKind kind) {
    const ObjectRef object = waiting_[index].object;
    if (ancestors_.contains(object)) throw Error(ErrorKind::kInputType, "a container that contains itself");
    if (open_.size() >= kDepthMax) throw Error(ErrorKind::kInputType, "more than 1000000 levels");
    visitor_.enter(waiting_[index], kind);
    const std::size_t begin = waiting_.size();
    append_children(object, kind);
    ancestors_.push(object);
    open_.push_back({kind, index, begin, begin, path_.size()});
  }

  void append_children(ObjectRef object, NodeKind kind) {
    try {
      reader_.append_children(object, kind, waiting_);
    } catch (const Error&) {
      throw;
    } catch (...) {
      reader_.add_note(std::current_exception(), "in the container at '" + path_ + "'");
      throw;
    }
  }

  void leave() {
    const Frame frame = open_.back();
    path_.resize(frame.path_size);
    Child& container = waiting_[frame.index];
    container.object = visitor_.leave(container.object, frame.kind, std::span(waiting_).subspan(frame.begin), path_);
    waiting_.resize(frame.begin);
    ancestors_.pop();
    open_.pop_back();
  }

  ObjectReader& reader_;
  const PathStyle style_;
  Visitor& visitor_;
  std::string path_;
  std::vector<Frame> open_;
  std::vector<Child> waiting_;
  Ancestors ancestors_;
};

}  // namespace

ObjectRef walk(ObjectReader& reader, ObjectRef root, PathStyle style, Visitor& visitor) {
  return Walk(reader, style, visitor).run(root);
}

}  // namespace perdure::tree
