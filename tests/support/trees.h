#pragma once
// Small trees for tests of saving and loading.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "perdure/tree/structure.h"
#include "perdure/tree/value.h"

namespace perdure::test {

/// An array with memory of its own.
template <class T>
ArrayLeaf array_of(DType dtype, Shape shape, const std::vector<T>& values) {
  auto memory = std::make_shared<const std::vector<T>>(values);
  ArrayLeaf leaf;
  leaf.dtype = dtype;
  leaf.shape = shape;
  const auto* data = reinterpret_cast<const std::byte*>(memory->data());
  leaf.pieces.push_back({Box::whole(shape), ArrayView::contiguous(data, dtype, shape)});
  leaf.owner = memory;
  return leaf;
}

inline ArrayLeaf floats(Shape shape, float first = 0) {
  std::vector<float> values(shape.element_count());
  for (float& value : values) value = first++;
  return array_of(DType::kFloat32, std::move(shape), values);
}

/// Another view of the memory of `base`.
inline ArrayLeaf viewed(const ArrayLeaf& base, const ArrayView& view) {
  ArrayLeaf leaf = base;
  leaf.dtype = view.dtype;
  leaf.shape = view.shape;
  leaf.pieces = {{Box::whole(view.shape), view}};
  return leaf;
}

/// Of rank 2.
inline ArrayView transposed(ArrayView view) {
  std::swap(view.shape[0], view.shape[1]);
  std::swap(view.strides[0], view.strides[1]);
  return view;
}

/// The elements in C order.
inline std::vector<std::byte> bytes_of(const ArrayLeaf& leaf) {
  std::vector<std::byte> bytes(leaf.pieces[0].view.size_bytes());
  gather_bytes(leaf.pieces[0].view, 0, bytes);
  return bytes;
}

/// A mapping from text keys to leaves.
inline tree::FlatTree mapping(std::vector<std::pair<std::string, Leaf>> members) {
  tree::FlatTree tree;
  const auto root = tree.structure.append(NodeKind::kMapping, {});
  for (auto& [key, leaf] : members) {
    tree.structure.append(NodeKind::kLeaf, {Text{key}});
    tree.leaves.push_back(std::move(leaf));
  }
  tree.structure.set_child_count(root, static_cast<std::uint32_t>(members.size()));
  return tree;
}

/// The keys of a flat dict.
inline std::vector<std::string> keys_of(const Value& flat) {
  std::vector<std::string> keys;
  for (const Value::Item& item : flat.items()) keys.push_back(item.key.str());
  return keys;
}

}  // namespace perdure::test
