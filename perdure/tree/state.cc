#include "perdure/tree/state.h"

#include <deque>
#include <unordered_set>

#include "perdure/base/error.h"
#include "perdure/tree/object/fit.h"
#include "perdure/tree/object/state.h"
#include "perdure/tree/state_dict.h"

namespace perdure::tree {
namespace {

const Value& value_of(ObjectRef value) { return *static_cast<const Value*>(value); }

/// Values as objects of the flat dict.
class ValueStateHost final : public StateHost {
 public:
  Value take_flat() { return Value::dict(std::move(flat_)); }

  NodeKind kind(ObjectRef object) override { return reader_.kind(object); }
  void append_children(ObjectRef object, NodeKind kind, std::vector<Child>& out) override {
    reader_.append_children(object, kind, out);
  }
  TypeName type_name(ObjectRef object) override { return reader_.type_name(object); }
  Leaf leaf(ObjectRef object) override { return reader_.leaf(object); }
  LeafRole role(ObjectRef leaf) override { return role_of(value_of(leaf).as_leaf()); }
  std::string type_text(ObjectRef object) override {
    return std::string(name(kind_of(std::get<Scalar>(value_of(object).as_leaf()))));
  }

  ObjectRef save_leaf(ObjectRef leaf, LeafRole) override {
    reader_.leaf(leaf);  // refuses an array without data
    return leaf;
  }
  void save_serialized(ObjectRef, std::vector<FlatEntry>&) override {}
  bool put(std::string_view key, ObjectRef value) override {
    if (!keys_.emplace(key).second) return false;
    flat_.push_back({Key(key), value_of(value)});
    return true;
  }

  ObjectRef restore_leaf(ObjectRef target, LeafRole role, ObjectRef value) override {
    if (role == LeafRole::kPlain) return value;
    if (value_of(value).kind() != NodeKind::kLeaf) throw Error(ErrorKind::kMismatch, "a container in place of an array");
    const Leaf stored = value_of(value).as_leaf();
    if (is_none(stored)) return nullptr;
    const ArrayLeaf& wanted = value_of(target).array();
    FittedArray fitted = fit_array(stored, wanted.dtype);
    check_shape(fitted.view.shape, wanted.shape);
    return &made_.emplace_back(Value::array(std::move(fitted.view), std::move(fitted.owner)));
  }
  ObjectRef restore_serialized(ObjectRef target, std::span<const FlatEntry>) override { return target; }

  ObjectRef rebuild(ObjectRef target, NodeKind kind, std::span<const Child> children) override {
    const Value::Items& old = value_of(target).items();
    Value::Items items;
    for (std::size_t i = 0; i < children.size(); ++i) items.push_back({old[i].key, value_of(children[i].object)});
    return &made_.emplace_back(Value::container(kind, value_of(target).type_name(), std::move(items)));
  }

 private:
  ValueReader reader_;
  std::deque<Value> made_;
  Value::Items flat_;
  std::unordered_set<std::string> keys_;
};

std::vector<FlatEntry> entries_of(const Value& flat) {
  if (flat.kind() != NodeKind::kMapping) throw Error(ErrorKind::kInputType, "a flat dict is a mapping");
  std::vector<FlatEntry> entries;
  for (const Value::Item& item : flat.items()) {
    const auto* key = std::get_if<Text>(&item.key.value);
    if (key == nullptr) throw Error(ErrorKind::kInputType, "a key of the flat dict is not text: " + item.key.repr());
    entries.push_back({key->utf8, &item.value});
  }
  return entries;
}

}  // namespace

Value detail::state_dict(Slot root, const ObjectRegistry& registry) {
  ObjectStateHost host(registry);
  save_state(host, host.root(root));
  return host.take_flat();
}

StateReport detail::from_state_dict(Slot root, const Value& flat, const ObjectRegistry& registry) {
  ObjectStateHost host(registry);
  Restored restored = restore_state(host, host.root(root), entries_of(flat));
  host.commit();
  return {std::move(restored.unused), std::move(restored.unfilled)};
}

Value state_dict(const Value& value) {
  ValueStateHost host;
  save_state(host, &value);
  return host.take_flat();
}

Value from_state_dict(const Value& target, const Value& flat, StateReport* report) {
  ValueStateHost host;
  Restored restored = restore_state(host, &target, entries_of(flat));
  if (report != nullptr) *report = {std::move(restored.unused), std::move(restored.unfilled)};
  return value_of(restored.root);
}

}  // namespace perdure::tree
