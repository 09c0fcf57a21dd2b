#pragma once
// What a C++ program hands to save and gets from load: plain values, arrays, and containers of these.
//
//   Value state = Value::dict({{"params", Value::dict({{"w", Value::array({2, 3}, weights)}})}, {"step", 100}});
//   std::span<const float> w = state["params"]["w"].span<float>();
//
// A Value never changes once it is built, and copies share their containers and arrays. To build one in a loop, fill
// Value::Items or a std::vector<Value> first.
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/base/array_view.h"
#include "perdure/base/leaf.h"
#include "perdure/base/object.h"
#include "perdure/tree/structure.h"

namespace perdure {

/// The element type that holds a C++ type.
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::same_as<T, bool>)
    return DType::kBool;
  else if constexpr (std::same_as<T, float>)
    return DType::kFloat32;
  else if constexpr (std::same_as<T, double>)
    return DType::kFloat64;
  else if constexpr (std::same_as<T, std::complex<float>>)
    return DType::kComplex64;
  else if constexpr (std::same_as<T, std::complex<double>>)
    return DType::kComplex128;
  else {
    static_assert(std::integral<T>, "not the type of an array's elements");
    constexpr DType kSigned[] = {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};
    constexpr DType kUnsigned[] = {DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64};
    constexpr int kIndex = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::signed_integral<T> ? kSigned[kIndex] : kUnsigned[kIndex];
  }
}

/// Any thread may call any const member.
class Value {
 public:
  struct Item;
  using Items = std::vector<Item>;

  Value() = default;  // None
  Value(None) {}
  Value(Scalar scalar) : data_(std::move(scalar)) {}
  Value(ArrayLeaf array) : data_(std::move(array)) {}
  Value(Leaf leaf);
  Value(std::same_as<bool> auto flag) : data_(Scalar(flag)) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T number) : data_(integer(number)) {}
  Value(std::floating_point auto number) : data_(Scalar(static_cast<double>(number))) {}
  Value(std::complex<double> number) : data_(Scalar(number)) {}
  Value(const char* text) : data_(Scalar(Text{text})) {}
  Value(std::string text) : data_(Scalar(Text{std::move(text)})) {}
  Value(std::string_view text) : data_(Scalar(Text{std::string(text)})) {}
  Value(Text text) : data_(Scalar(std::move(text))) {}
  Value(BigInt number) : data_(Scalar(std::move(number))) {}
  Value(Blob bytes) : data_(Scalar(std::move(bytes))) {}

  static Value dict(Items items);
  static Value list(std::vector<Value> items);
  static Value tuple(std::vector<Value> items);
  /// Any container; `type` names the class of a named tuple or record.
  static Value container(NodeKind kind, TypeName type, Items items);

  /// An array of its own memory. Throws kInvalid when `elements` are not as many as `shape` has.
  template <class T>
  static Value array(Shape shape, std::vector<T> elements) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(elements));
    return array(std::move(shape), dtype_of<T>(), std::as_bytes(std::span(*owner)), owner);
  }
  static Value array(Shape shape, DType dtype, ByteView bytes, std::shared_ptr<const void> owner);
  /// An array that lies elsewhere, in memory that `owner` keeps alive; without one, the caller does.
  static Value array(ArrayView view, std::shared_ptr<const void> owner = nullptr);

  /// A leaf of a type that a leaf handler takes (checkpoint/leaf_handler.h).
  template <class T>
  static Value object(T object) {
    return Scalar(Handled{{}, std::make_shared<const T>(std::move(object)), &typeid(T)});
  }

  /// What a template asks for: shape and dtype of an array, without data. It cannot be saved.
  static Value abstract(Shape shape, DType dtype);

  NodeKind kind() const;
  const TypeName& type_name() const;  // of a container; empty for a leaf
  bool is_none() const;
  bool is_array() const { return std::holds_alternative<ArrayLeaf>(data_); }
  bool is_abstract() const { return is_array() && std::get<ArrayLeaf>(data_).pieces.empty(); }

  /// Children of a container, with their keys; a leaf has none.
  const Items& items() const;
  std::size_t size() const;
  const Value* find(const Key& key) const;
  /// The child of that key, field name or position. Throws kNotFound naming it.
  const Value& operator[](const Key& key) const;

  // Each throws kInvalid "expected an integer, found text" for a value of another kind.
  bool as_bool() const;
  std::int64_t as_int() const;
  double as_double() const;  // of an int too
  const std::string& as_text() const;
  const Blob& as_bytes() const;
  Leaf as_leaf() const;
  /// Throws kInvalid unless it is a T that a handler made, or object().
  template <class T>
  const T& as_object() const {
    const T* const object = handled().as<T>();
    if (object == nullptr) refuse("an object of the type that is asked for");
    return *object;
  }
  const ArrayLeaf& array() const;
  /// The elements of an array of that type that lies in one piece, in C order.
  template <class T>
  std::span<const T> span() const {
    const ByteView bytes = contiguous_bytes(dtype_of<T>());
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

 private:
  struct Container;

  template <class T>
  static Scalar integer(T number) {
    if (std::cmp_greater(number, INT64_MAX)) return BigInt{std::to_string(number)};
    return static_cast<std::int64_t>(number);
  }
  explicit Value(std::shared_ptr<Container> container);
  const std::shared_ptr<Container>* container_if() const;
  ByteView contiguous_bytes(DType dtype) const;
  const Handled& handled() const;
  [[noreturn]] void refuse(std::string_view expected) const;
  template <class T>
  const T& scalar(std::string_view expected) const;

  std::variant<Scalar, ArrayLeaf, std::shared_ptr<Container>> data_;
};

struct Value::Item {
  Key key;
  Value value;
};

namespace tree {

/// Sees Values: an ObjectRef is a `const Value*`. Stateless.
class ValueReader final : public ObjectReader {
 public:
  NodeKind kind(ObjectRef object) override;
  void append_children(ObjectRef object, NodeKind kind, std::vector<Child>& out) override;
  TypeName type_name(ObjectRef object) override;
  Leaf leaf(ObjectRef object) override;
};

FlatTree flatten(const Value& value);
/// The containers as they were saved: named tuples and records keep kind, class name and fields.
Value unflatten(const FlatTree& tree);

}  // namespace tree
}  // namespace perdure
