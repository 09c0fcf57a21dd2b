#include "perdure/tree/state_dict.h"

#include <exception>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/tree/walk.h"

namespace perdure::tree {
namespace {

/// Runs `body`, which calls code of the host; what it throws gets a note and stays the same object.
template <class Body>
decltype(auto) noting(StateHost& host, const char* doing, const std::string& key, Body&& body) {
  const auto note = [&] { return doing + (key.empty() ? std::string(" the root") : " '" + key + "'"); };
  try {
    return std::forward<Body>(body)();
  } catch (Error& error) {
    error.add_note(note());
    throw;
  } catch (...) {
    host.add_note(std::current_exception(), note());
    throw;
  }
}

[[noreturn]] void refuse(StateHost& host, ObjectRef leaf, const std::string& key, const char* doing) {
  throw Error(ErrorKind::kInputType, std::string("cannot ") + doing + " a '" + host.type_text(leaf) + "'" +
                                         (key.empty() ? " at the root" : " at '" + key + "'") +
                                         ": register_serializer() says how, register_template_restored() that the template's "
                                         "own object is good enough");
}

class Saver final : public Visitor {
 public:
  explicit Saver(StateHost& host) : host_(host) {}

  ObjectRef leaf(Child& child, const std::string& key) override {
    const LeafRole role = host_.role(child.object);
    if (role == LeafRole::kUnknown) refuse(host_, child.object, key, "save");
    noting(host_, "while saving", key, [&] {
      if (role == LeafRole::kSerialized) {
        save_serialized(child.object, key);
      } else {
        put(key, host_.save_leaf(child.object, role));
      }
    });
    return child.object;
  }
  void enter(Child&, NodeKind) override {}
  ObjectRef leave(ObjectRef container, NodeKind, std::span<const Child>, const std::string&) override { return container; }

 private:
  void save_serialized(ObjectRef leaf, const std::string& slot) {
    relative_.clear();
    host_.save_serialized(leaf, relative_);
    for (const FlatEntry& entry : relative_) put(join_relative(slot, entry.key), entry.value);
  }

  void put(std::string_view key, ObjectRef value) {
    if (!host_.put(key, value)) throw Error(ErrorKind::kInputType, "two leaves have one key '" + std::string(key) + "'");
  }

  StateHost& host_;
  std::vector<FlatEntry> relative_;
};

class Restorer final : public Visitor {
 public:
  Restorer(StateHost& host, std::vector<FlatEntry> flat) : host_(host), flat_(std::move(flat)) {}

  ObjectRef leaf(Child& child, const std::string& key) override {
    const LeafRole role = host_.role(child.object);
    if (role == LeafRole::kUnknown) refuse(host_, child.object, key, "restore");
    return noting(host_, "while restoring", key, [&] {
      return role == LeafRole::kSerialized ? host_.restore_serialized(child.object, flat_.take_slice(key))
                                           : restore_leaf(child.object, role, key);
    });
  }
  void enter(Child&, NodeKind) override {}
  ObjectRef leave(ObjectRef container, NodeKind kind, std::span<const Child> children, const std::string& key) override {
    return noting(host_, "while restoring", key, [&] { return host_.rebuild(container, kind, children); });
  }

  Restored result(ObjectRef root) && {
    Restored restored{root, {}, std::move(unfilled_)};
    for (const std::string_view key : flat_.unused()) restored.unused.emplace_back(key);
    return restored;
  }

 private:
  ObjectRef restore_leaf(ObjectRef target, LeafRole role, const std::string& key) {
    const ObjectRef value = flat_.take(key);
    const ObjectRef restored = value == nullptr ? nullptr : host_.restore_leaf(target, role, value);
    if (restored != nullptr) return restored;
    if (role == LeafRole::kArray) unfilled_.push_back(key);
    return target;
  }

  StateHost& host_;
  FlatIndex flat_;
  std::vector<std::string> unfilled_;
};

}  // namespace

void save_state(StateHost& host, ObjectRef root) {
  Saver saver(host);
  walk(host, root, PathStyle::kBracketed, saver);
}

Restored restore_state(StateHost& host, ObjectRef target, std::vector<FlatEntry> flat) {
  Restorer restorer(host, std::move(flat));
  const ObjectRef root = walk(host, target, PathStyle::kBracketed, restorer);
  return std::move(restorer).result(root);
}

}  // namespace perdure::tree
