#include "perdure/tree/value.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/base/scalar.h"
#include "perdure/tree/flatten.h"

namespace perdure {

struct Value::Container {
  NodeKind kind;
  TypeName type;
  Items items;

  Container(NodeKind k, TypeName t, Items i) : kind(k), type(std::move(t)), items(std::move(i)) {}
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container();

  /// Moves the containers among the items to `out`.
  void take_containers(std::vector<std::shared_ptr<Container>>& out) {
    for (Item& item : items) {
      auto* const child = std::get_if<std::shared_ptr<Container>>(&item.value.data_);
      if (child != nullptr && *child != nullptr) out.push_back(std::move(*child));
    }
  }
};

// The outermost container that dies takes the others apart one after the other, so that none dies inside another.
Value::Container::~Container() {
  thread_local std::vector<std::shared_ptr<Container>>* dying = nullptr;
  if (dying != nullptr) {
    take_containers(*dying);
    return;
  }
  std::vector<std::shared_ptr<Container>> mine;
  dying = &mine;
  take_containers(mine);
  while (!mine.empty()) {
    const std::shared_ptr<Container> next = std::move(mine.back());
    mine.pop_back();
  }
  dying = nullptr;
}

namespace {

Value::Items with_positions(std::vector<Value> values) {
  Value::Items items;
  items.reserve(values.size());
  for (Value& value : values) items.push_back({Key(items.size()), std::move(value)});
  return items;
}

}  // namespace

Value::Value(Leaf leaf) {
  std::visit([this](auto&& value) { data_ = std::move(value); }, std::move(leaf));
}

Value::Value(std::shared_ptr<Container> container) : data_(std::move(container)) {}

Value Value::container(NodeKind kind, TypeName type, Items items) {
  if (kind == NodeKind::kLeaf) throw Error(ErrorKind::kInvalid, "a leaf is not a container");
  return Value(std::make_shared<Container>(kind, std::move(type), std::move(items)));
}

Value Value::dict(Items items) { return container(NodeKind::kMapping, {}, std::move(items)); }
Value Value::list(std::vector<Value> items) { return container(NodeKind::kList, {}, with_positions(std::move(items))); }
Value Value::tuple(std::vector<Value> items) { return container(NodeKind::kTuple, {}, with_positions(std::move(items))); }

Value Value::array(Shape shape, DType dtype, ByteView bytes, std::shared_ptr<const void> owner) {
  ArrayView view = ArrayView::contiguous(bytes.data(), dtype, std::move(shape));
  if (view.size_bytes() != bytes.size()) {
    throw Error(ErrorKind::kInvalid, "shape " + view.shape.str() + " of " + std::string(name(dtype)) + " has " +
                                         std::to_string(view.size_bytes()) + " bytes, given " + std::to_string(bytes.size()));
  }
  return array(std::move(view), std::move(owner));
}

Value Value::array(ArrayView view, std::shared_ptr<const void> owner) {
  ArrayLeaf leaf;
  leaf.dtype = view.dtype;
  leaf.shape = view.shape;
  leaf.owner = std::move(owner);
  leaf.pieces.push_back({Box::whole(view.shape), std::move(view)});
  return leaf;
}

Value Value::abstract(Shape shape, DType dtype) {
  ArrayLeaf leaf;
  leaf.dtype = dtype;
  leaf.shape = std::move(shape);
  return leaf;
}

const std::shared_ptr<Value::Container>* Value::container_if() const { return std::get_if<std::shared_ptr<Container>>(&data_); }

NodeKind Value::kind() const { return container_if() ? (*container_if())->kind : NodeKind::kLeaf; }

const TypeName& Value::type_name() const {
  static const TypeName kNone;
  return container_if() ? (*container_if())->type : kNone;
}

bool Value::is_none() const {
  const Scalar* const value = std::get_if<Scalar>(&data_);
  return value != nullptr && std::holds_alternative<None>(*value);
}

const Value::Items& Value::items() const {
  static const Items kNone;
  return container_if() ? (*container_if())->items : kNone;
}

std::size_t Value::size() const { return items().size(); }

const Value* Value::find(const Key& key) const {
  if (has_positions(kind())) {
    const auto* const index = std::get_if<std::int64_t>(&key.value);
    const bool inside = index != nullptr && *index >= 0 && std::cmp_less(*index, size());
    return inside ? &items()[static_cast<std::size_t>(*index)].value : nullptr;
  }
  const auto found = std::find_if(items().begin(), items().end(), [&](const Item& item) { return item.key == key; });
  return found == items().end() ? nullptr : &found->value;
}

const Value& Value::operator[](const Key& key) const {
  if (const Value* const value = find(key)) return *value;
  if (kind() == NodeKind::kLeaf) refuse("a container with " + key.repr());
  throw Error(ErrorKind::kNotFound, "no key " + key.repr() + " among " + std::to_string(size()));
}

void Value::refuse(std::string_view expected) const {
  std::string_view found = container_if() ? "a container" : "an array";
  if (const Scalar* const value = std::get_if<Scalar>(&data_)) found = describe(*value);
  throw Error(ErrorKind::kInvalid, "expected " + std::string(expected) + ", found " + std::string(found));
}

template <class T>
const T& Value::scalar(std::string_view expected) const {
  const Scalar* const value = std::get_if<Scalar>(&data_);
  if (value == nullptr || !std::holds_alternative<T>(*value)) refuse(expected);
  return std::get<T>(*value);
}

bool Value::as_bool() const { return scalar<bool>("a bool"); }
std::int64_t Value::as_int() const { return scalar<std::int64_t>("an integer"); }
const std::string& Value::as_text() const { return scalar<Text>("text").utf8; }
const Handled& Value::handled() const { return scalar<Handled>("an object"); }
const Blob& Value::as_bytes() const { return scalar<Blob>("bytes"); }

double Value::as_double() const {
  const Scalar* const value = std::get_if<Scalar>(&data_);
  if (value != nullptr && std::holds_alternative<std::int64_t>(*value)) return static_cast<double>(as_int());
  return scalar<double>("a float");
}

Leaf Value::as_leaf() const {
  if (is_array()) return std::get<ArrayLeaf>(data_);
  if (container_if()) refuse("a leaf");
  return std::get<Scalar>(data_);
}

const ArrayLeaf& Value::array() const {
  if (!is_array()) refuse("an array");
  return std::get<ArrayLeaf>(data_);
}

ByteView Value::contiguous_bytes(DType dtype) const {
  const ArrayLeaf& leaf = array();
  if (leaf.dtype != dtype) {
    throw Error(ErrorKind::kInvalid,
                "expected elements of " + std::string(name(dtype)) + ", found " + std::string(name(leaf.dtype)));
  }
  if (leaf.pieces.size() != 1 || leaf.pieces[0].box != Box::whole(leaf.shape) || !leaf.pieces[0].view.is_contiguous()) {
    throw Error(ErrorKind::kInvalid, "expected an array in one piece in C order");
  }
  return leaf.pieces[0].view.bytes();
}

namespace tree {
namespace {

const Value& value_of(ObjectRef object) { return *static_cast<const Value*>(object); }

}  // namespace

NodeKind ValueReader::kind(ObjectRef object) { return value_of(object).kind(); }
TypeName ValueReader::type_name(ObjectRef object) { return value_of(object).type_name(); }

Leaf ValueReader::leaf(ObjectRef object) {
  if (value_of(object).is_abstract()) throw Error(ErrorKind::kInputType, "cannot save an array without data");
  return value_of(object).as_leaf();
}

void ValueReader::append_children(ObjectRef object, NodeKind, std::vector<Child>& out) {
  for (const Value::Item& item : value_of(object).items()) out.push_back({item.key, &item.value});
}

FlatTree flatten(const Value& value) {
  ValueReader reader;
  return flatten_tree(reader, &value);
}

Value unflatten(const FlatTree& tree) {
  const std::vector<Node>& nodes = tree.structure.nodes();
  return build<Value>(
      tree.structure, [&](std::size_t position) { return Value(tree.leaves.at(nodes[position].leaf_index)); },
      [&](std::size_t position, std::span<Built<Value>> children) {
        Value::Items items;
        items.reserve(children.size());
        for (Built<Value>& child : children) items.push_back({nodes[child.position].key, std::move(child.object)});
        return Value::container(nodes[position].kind, tree.structure.types()[nodes[position].type_index], std::move(items));
      });
}

}  // namespace tree
}  // namespace perdure
