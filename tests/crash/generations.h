#pragma once
// States that say which save they are of: every number in them is its generation, so that a mixture shows.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/trees.h"

namespace perdure::test {

/// Arrays of `sizes` elements of 8 bytes, and a plain value.
inline tree::FlatTree state_of(std::uint64_t generation, const std::vector<std::uint64_t>& sizes = {10, 5000}) {
  std::vector<std::pair<std::string, Leaf>> members = {{"generation", Scalar{static_cast<std::int64_t>(generation)}}};
  for (const std::uint64_t size : sizes) {
    members.emplace_back("w" + std::to_string(size),
                         array_of(DType::kInt64, {size}, std::vector<std::int64_t>(size, static_cast<std::int64_t>(generation))));
  }
  return mapping(std::move(members));
}

/// The one generation that the whole state is of; fails for a mixture.
inline std::uint64_t generation_of(const tree::FlatTree& tree) {
  const std::int64_t generation = std::get<std::int64_t>(std::get<Scalar>(tree.leaves[0]));
  for (std::size_t i = 1; i < tree.leaves.size(); ++i) {
    const ArrayView& view = std::get<ArrayLeaf>(tree.leaves[i]).pieces[0].view;
    const auto* values = reinterpret_cast<const std::int64_t*>(view.data);
    for (std::uint64_t j = 0; j < view.shape[0]; ++j) {
      if (values[j] != generation) ADD_FAILURE() << "a mixture of generations " << generation << " and " << values[j];
      if (values[j] != generation) break;
    }
  }
  return static_cast<std::uint64_t>(generation);
}

}  // namespace perdure::test
