// What reading a box costs: counts of bytes and calls, exact.
#include <gtest/gtest.h>

#include "perdure/storage/zarr/array.h"
#include "tests/support/counting_store.h"

namespace perdure::storage::zarr {
namespace {

struct Cost {
  std::uint64_t bytes, calls;
  bool operator==(const Cost&) const = default;
};
void PrintTo(const Cost& cost, std::ostream* out) { *out << cost.bytes << " bytes in " << cost.calls << " calls"; }

/// Of a float32 array of 64 rows with 32768 elements (128 KiB) each.
Cost cost_of(const Shape& chunk_shape, const WriteFormat& format, const Box& box, const ReadOptions& options) {
  static const ArrayLeaf leaf = counting_array(DType::kFloat32, {64, 32768});
  CountingStore store;
  put_array(store, "w", leaf, chunk_shape, format);
  const Array array = Array::open(store, "w");
  std::vector<std::byte> target(box.extent.element_count() * 4);
  store.reset();
  array.read(box, ArraySpan::contiguous(target.data(), DType::kFloat32, box.extent), options);
  return {store.read_bytes, store.read_calls};
}

constexpr std::uint64_t kRow = 32768 * 4;
const ReadOptions kUnverified{.verify = false};

TEST(ReadCost, AWholePlainChunkIsOneRead) {
  EXPECT_EQ(cost_of({64, 32768}, {.crc32c = false}, Box::whole({64, 32768}), {}), (Cost{64 * kRow, 1}));
}

TEST(ReadCost, ACheckedChunkIsReadInStepsAndItsCrc) {
  EXPECT_EQ(cost_of({64, 32768}, {}, Box::whole({64, 32768}), {}), (Cost{64 * kRow + 4, 9}));
}

TEST(ReadCost, RowsOfAPlainChunkAreOneRead) {
  EXPECT_EQ(cost_of({64, 32768}, {}, {{10, 0}, {5, 32768}}, kUnverified), (Cost{5 * kRow, 1}));
}

TEST(ReadCost, DistantPartsOfRowsAreReadAlone) {
  EXPECT_EQ(cost_of({64, 32768}, {}, {{10, 100}, {5, 50}}, kUnverified), (Cost{5 * 50 * 4, 5}));
}

TEST(ReadCost, NearPartsOfRowsAreReadTogether) {
  EXPECT_EQ(cost_of({64, 32768}, {}, {{10, 500}, {4, 32768 - 1000}}, kUnverified), (Cost{4 * kRow - 4000, 1}));
}

TEST(ReadCost, APartOfACheckedChunkReadsAllOfItToCheck) {
  EXPECT_EQ(cost_of({64, 32768}, {}, {{10, 100}, {1, 1}}, {}).bytes, 64 * kRow + 4);
}

TEST(ReadCost, OnlyTheChunksThatABoxTouchesAreRead) {
  EXPECT_EQ(cost_of({16, 32768}, {}, {{15, 0}, {2, 32768}}, {}).bytes, 2 * (16 * kRow + 4));
  EXPECT_EQ(cost_of({16, 32768}, {}, {{15, 0}, {2, 32768}}, kUnverified), (Cost{2 * kRow, 2}));
}

}  // namespace
}  // namespace perdure::storage::zarr
