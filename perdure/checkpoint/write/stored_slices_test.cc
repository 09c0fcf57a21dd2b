// Saves of arrays that are parts and transposes of others: stored once, and read as if each were alone.
#include "perdure/checkpoint/write/stored_slices.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"
#include "perdure/checkpoint/verify.h"
#include "perdure/checkpoint/write/save_job.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/trees.h"

namespace perdure {
namespace {

using test::bytes_of;
using test::floats;
using test::mapping;
using test::TemporaryDirectory;
using test::transposed;
using test::viewed;

constexpr std::uint64_t kRowBytes = 4 * 250;
constexpr std::uint64_t kWholeBytes = 1000 * kRowBytes;
constexpr std::uint64_t kPaddingBytesMax = kRowBytes;  // of the last chunk
constexpr std::uint64_t kOthersBytesMax = 20'000;      // keys, metadata, alignment

/// A matrix of 1 MB and views of it, of several kinds and in no order.
tree::FlatTree views(bool immutable) {
  ArrayLeaf whole = floats({1000, 250});
  whole.immutable = immutable;
  const ArrayView view = whole.pieces[0].view;
  const auto rows = [&](std::uint64_t first, std::uint64_t count) { return view.sub({{first, 0}, {count, 250}}); };
  return mapping({{"head", viewed(whole, rows(0, 100))},
                  {"turned", viewed(whole, transposed(view))},
                  {"whole", whole},
                  {"middle", viewed(whole, rows(333, 400))},
                  {"within middle", viewed(whole, rows(340, 2))},
                  {"tail turned", viewed(whole, transposed(rows(991, 9)))},
                  {"odd bytes", viewed(whole, ArrayView::contiguous(view.data + 777, DType::kUint8, {100'003}))},
                  {"tail", viewed(whole, rows(700, 300))}});
}

void expect_sound(const std::string& path, const tree::FlatTree& want) {
  for (const Fault& fault : verify(path).faults) ADD_FAILURE() << fault.leaf << " " << fault.chunk << ": " << fault.what;
  const tree::FlatTree got = load_tree(path);
  ASSERT_EQ(got.leaves.size(), want.leaves.size());
  for (std::size_t i = 0; i < want.leaves.size(); ++i)
    EXPECT_EQ(bytes_of(std::get<ArrayLeaf>(got.leaves[i])), bytes_of(std::get<ArrayLeaf>(want.leaves[i]))) << i;
}

struct Way {
  const char* name;
  bool use_zarr3 = true;
  bool immutable = false;
  std::uint64_t chunk_bytes_max = 64 << 20;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class StoredSlices : public testing::TestWithParam<Way> {
 protected:
  SaveOptions options() const {
    SaveOptions options;
    options.arrays.use_zarr3 = GetParam().use_zarr3;
    options.arrays.chunk_bytes_max = GetParam().chunk_bytes_max;
    return options;
  }
  TemporaryDirectory dir_;
};

TEST_P(StoredSlices, AreWrittenOnceAndReadAsIfEachWereAlone) {
  const tree::FlatTree tree = views(GetParam().immutable);
  const SaveStatistics statistics = save(dir_ / "c", tree, options());
  EXPECT_LT(statistics.written_bytes, kWholeBytes + kOthersBytesMax);
  if (GetParam().immutable) {
    EXPECT_LT(statistics.copied_bytes, 2 * 4096 * ceil_divide(kWholeBytes, GetParam().chunk_bytes_max));
  } else {
    EXPECT_GE(statistics.copied_bytes, kWholeBytes);
    EXPECT_LE(statistics.copied_bytes, kWholeBytes + kPaddingBytesMax);
  }
  expect_sound(dir_ / "c", tree);
}

TEST_P(StoredSlices, AreStagedOnce) {
  const tree::FlatTree tree = views(GetParam().immutable);
  SaveOptions staged = options();
  staged.stage_bytes_max = GetParam().immutable ? 0 : kWholeBytes + 4096;
  checkpoint::SaveJob job(dir_ / "c", staged);
  std::vector<NamedTree> items;
  items.push_back({"state", tree, {}});
  checkpoint::add_trees(job, std::move(items));
  job.begin();
  EXPECT_TRUE(job.stage());
  EXPECT_LT(job.finish().written_bytes, kWholeBytes + kOthersBytesMax);
  expect_sound(dir_ / "c", tree);
}

INSTANTIATE_TEST_SUITE_P(Ways, StoredSlices,
                         testing::Values(Way{"Zarr3"}, Way{"Zarr2", false}, Way{"Immutable", true, true},
                                         Way{"SmallChunks", true, false, 96 * kRowBytes},  // the last one has padding
                                         Way{"SmallChunksInZarr2", false, false, 96 * kRowBytes},
                                         Way{"SmallImmutableChunks", true, true, 96 * kRowBytes}),
                         [](const auto& info) { return info.param.name; });

TEST_P(StoredSlices, LieInAnEqualArray) {
  const auto tree_of = [&] {
    tree::FlatTree tree = views(GetParam().immutable);
    std::get<ArrayLeaf>(tree.leaves[0]) = floats({1000, 250});  // "head" comes first
    return tree;
  };
  const tree::FlatTree tree = tree_of();
  const SaveStatistics statistics = save(dir_ / "c", tree, options());
  const bool is_joined = GetParam().chunk_bytes_max < kWholeBytes;
  EXPECT_LT(statistics.written_bytes, (is_joined ? 2 : 1) * kWholeBytes + 2 * kOthersBytesMax);
  expect_sound(dir_ / "c", tree);
}

TEST(StoredSlicesOfAnArrayThatAnotherMayChange, AreThoseOfTheCall) {
  const TemporaryDirectory dir;
  ArrayLeaf constant = floats({100'000});
  constant.immutable = true;
  ArrayLeaf part = viewed(constant, constant.pieces[0].view.sub({{1000}, {50'000}}));
  part.immutable = false;
  checkpoint::SaveJob job(dir / "c", {});
  std::vector<NamedTree> items;
  items.push_back({"state", mapping({{"constant", constant}, {"part", part}}), {}});
  checkpoint::add_trees(job, std::move(items));
  job.begin();
  EXPECT_TRUE(job.stage());
  const ArrayView& view = part.pieces[0].view;
  std::fill_n(reinterpret_cast<float*>(const_cast<std::byte*>(view.data)), 50'000, -1.F);
  job.finish();
  EXPECT_EQ(bytes_of(std::get<ArrayLeaf>(load_tree(dir / "c").leaves[1])), bytes_of(floats({50'000}, 1000)));
}

/// Changes an array whenever something was written.
class Trainer : public ProgressSink {
 public:
  explicit Trainer(std::vector<float>& weights) : weights_(weights) {}
  void on_bytes(std::uint64_t done_bytes, std::uint64_t) override { std::ranges::fill(weights_, static_cast<float>(done_bytes)); }

 private:
  std::vector<float>& weights_;
};

TEST(StoredSlicesOfAChangingArray, HaveTheCrcOfWhatWasWritten) {
  const TemporaryDirectory dir;
  const auto memory = std::make_shared<std::vector<float>>(250'000);
  ArrayLeaf whole;
  whole.dtype = DType::kFloat32;
  whole.shape = {memory->size()};
  const auto* data = reinterpret_cast<const std::byte*>(memory->data());
  whole.pieces = {{Box::whole(whole.shape), ArrayView::contiguous(data, whole.dtype, whole.shape)}};
  whole.owner = memory;
  const ArrayLeaf part = viewed(whole, whole.pieces[0].view.sub({{1000}, {200'000}}));
  Trainer trainer(*memory);
  SaveOptions options;
  options.environment.progress = &trainer;
  options.arrays.chunk_bytes_max = 100'000;
  save(dir / "c", mapping({{"whole", whole}, {"part", part}}), options);
  for (const Fault& fault : verify(dir / "c").faults) ADD_FAILURE() << fault.leaf << " " << fault.chunk << ": " << fault.what;
  const std::vector<std::byte> last = bytes_of(std::get<ArrayLeaf>(load_tree(dir / "c").leaves[0]));
  EXPECT_NE(last, std::vector<std::byte>(last.size())) << "nothing has changed the array";
}

}  // namespace
}  // namespace perdure
