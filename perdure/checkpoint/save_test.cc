#include "perdure/checkpoint/save.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "perdure/base/error.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/verify.h"
#include "tests/support/failures.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/trees.h"

namespace perdure {
namespace {

using test::array_of;
using test::bytes_of;
using test::floats;
using test::mapping;
using test::names_in;
using test::snapshot;
using test::TemporaryDirectory;
using test::viewed;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

void expect_equal(const tree::FlatTree& got, const tree::FlatTree& want) {
  ASSERT_EQ(got.leaves.size(), want.leaves.size());
  for (std::size_t i = 0; i < want.leaves.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(got.leaves[i].index(), want.leaves[i].index());
    const auto* array = std::get_if<ArrayLeaf>(&want.leaves[i]);
    if (!array) {
      EXPECT_EQ(std::get<Scalar>(got.leaves[i]).index(), std::get<Scalar>(want.leaves[i]).index());
      continue;
    }
    const ArrayLeaf& loaded = std::get<ArrayLeaf>(got.leaves[i]);
    EXPECT_EQ(loaded.dtype, array->dtype);
    EXPECT_EQ(loaded.shape, array->shape);
    EXPECT_EQ(loaded.origin, array->origin);
    EXPECT_EQ(bytes_of(loaded), bytes_of(*array));
  }
}

void expect_sound(const std::string& path) {
  for (const Fault& fault : verify(path).faults)
    ADD_FAILURE() << fault.leaf << " " << fault.chunk << " " << fault.file << ": " << fault.what;
}

ArrayLeaf with_origin(ArrayLeaf leaf, std::string origin) {
  leaf.origin = std::move(origin);
  return leaf;
}

ArrayLeaf reversed(ArrayLeaf leaf) {
  ArrayView& view = leaf.pieces[0].view;
  view.data += view.strides[0] * static_cast<std::int64_t>(view.shape[0] - 1);
  view.strides[0] = -view.strides[0];
  return leaf;
}

tree::FlatTree everything() {
  return mapping({{"w", floats({300, 200})},
                  {"tied", floats({10})},
                  {"reversed", reversed(floats({50, 3}))},
                  {"empty", floats({0, 3})},
                  {"scalar array", with_origin(floats({}), "numpy.scalar")},
                  {"jax", with_origin(floats({4, 4}), "jax")},
                  {"bf16", array_of<std::uint16_t>(DType::kBfloat16, {3}, {1, 2, 0x8000})},
                  {"none", Scalar{None{}}},
                  {"yes", Scalar{true}},
                  {"step", Scalar{std::int64_t{-7}}},
                  {"big", Scalar{BigInt{"123456789012345678901234567890"}}},
                  {"lr", Scalar{0.1}},
                  {"z", Scalar{std::complex<double>(1, 2)}},
                  {"name", Scalar{Text{"run \xed\xa0\x80"}}},
                  {"blob", Scalar{Blob::from(std::string("\0\xff", 2))}}});
}

template <class Change>
SaveOptions options_with(Change change) {
  SaveOptions options;
  change(options);
  return options;
}

TEST(Save, KeepsEveryKindOfLeaf) {
  TemporaryDirectory dir;
  save(dir / "c", everything());
  expect_equal(load_tree(dir / "c"), everything());
  expect_sound(dir / "c");
}

TEST(Save, KeepsThemInEveryStorageForm) {
  for (const bool use_ocdbt : {true, false}) {
    for (const bool use_zarr3 : {true, false}) {
      for (const bool compress : {true, false}) {
        SCOPED_TRACE(testing::Message() << "ocdbt " << use_ocdbt << " zarr3 " << use_zarr3 << " compress " << compress);
        TemporaryDirectory dir;
        save(dir / "c", everything(), options_with([&](SaveOptions& options) {
               options.arrays.use_ocdbt = use_ocdbt;
               options.arrays.use_zarr3 = use_zarr3;
               if (compress) options.arrays.compression.emplace();
               options.arrays.chunk_bytes_max = 50'000;
             }));
        expect_equal(load_tree(dir / "c"), everything());
        expect_sound(dir / "c");
      }
    }
  }
}

TEST(Save, WritesAHandfulOfFilesForAnyNumberOfLeaves) {
  TemporaryDirectory dir;
  std::vector<std::pair<std::string, Leaf>> members;
  for (int i = 0; i < 2000; ++i) members.emplace_back("layer" + std::to_string(i), floats({8}, static_cast<float>(i)));
  const SaveStatistics statistics = save(dir / "c", mapping(std::move(members)));
  EXPECT_THAT(snapshot(dir / "c"), SizeIs(8));
  EXPECT_EQ(statistics.file_count, 8);
}

TEST(Save, CopiesEachArrayOnce) {
  TemporaryDirectory dir;
  const SaveStatistics statistics =
      save(dir / "c", mapping({{"plain", floats({1000, 1000})}, {"strided", reversed(floats({500, 100}))}}));
  EXPECT_EQ(statistics.copied_bytes, 4'000'000 + 200'000);
  EXPECT_LT(statistics.written_bytes, 4'200'000 + 20'000);
}

ArrayLeaf immutable(ArrayLeaf leaf) {
  leaf.immutable = true;
  return leaf;
}

TEST(Save, CopiesOnlyTheEndsOfLargeArraysThatNobodyChanges) {
  TemporaryDirectory dir;
  const tree::FlatTree tree = mapping({{"a", immutable(floats({1000, 1000}))}, {"b", immutable(floats({3, 700'001}))}});
  const SaveStatistics statistics = save(dir / "c", tree);
  EXPECT_LT(statistics.copied_bytes, 4 * 4096);
  EXPECT_LT(statistics.written_bytes, 4'000'000 + 12 * 700'001 + 40'000);
  expect_equal(load_tree(dir / "c"), tree);
  expect_sound(dir / "c");
}

/// Rows of 6 kB in pieces of so many rows.
ArrayLeaf sharded(const std::vector<std::uint64_t>& row_counts) {
  ArrayLeaf leaf = floats({std::accumulate(row_counts.begin(), row_counts.end(), std::uint64_t{0}), 1500});
  const ArrayView whole = leaf.pieces[0].view;
  leaf.pieces.clear();
  std::uint64_t row = 0;
  for (const std::uint64_t count : row_counts) {
    const Box box{{row, 0}, {count, 1500}};
    leaf.pieces.push_back({box, whole.sub(box)});
    row += count;
  }
  return leaf;
}

TEST(Save, CopiesShardsOnceAlsoWhereChunksCrossThem) {
  TemporaryDirectory dir;
  EXPECT_EQ(save(dir / "even", mapping({{"s", sharded({500, 500})}})).copied_bytes, 6'000'000);
  EXPECT_EQ(save(dir / "crossed", mapping({{"s", sharded({300, 500, 100})}})).copied_bytes, 900 * 6000);
  SaveOptions as_halves;
  as_halves.arrays.dtype = DType::kFloat16;
  EXPECT_EQ(save(dir / "cast", mapping({{"s", sharded({500, 500})}}), as_halves).copied_bytes, 3'000'000);
  EXPECT_LT(save(dir / "immutable", mapping({{"s", immutable(sharded({500, 500}))}})).copied_bytes, 4 * 4096);
  for (const char* name : {"even", "crossed", "immutable"}) {
    const ArrayLeaf got = std::get<ArrayLeaf>(load_tree(dir / name).leaves[0]);
    EXPECT_EQ(bytes_of(got), bytes_of(floats(got.shape))) << name;
  }
}

TEST(Save, WritesAViewOfTheSameBytesOnceWhateverItsShape) {
  TemporaryDirectory dir;
  const ArrayLeaf base = floats({100, 1000});
  const ArrayLeaf flat = viewed(base, ArrayView::contiguous(base.pieces[0].view.data, base.dtype, {100'000}));
  const tree::FlatTree tree = mapping({{"base", base}, {"same", base}, {"flat", flat}});
  const SaveStatistics statistics = save(dir / "c", tree);
  EXPECT_EQ(statistics.shared_bytes, 800'000);
  EXPECT_LT(statistics.written_bytes, 400'000 + 20'000);
  expect_equal(load_tree(dir / "c"), tree);
}

TEST(Save, WritesEveryArrayOfPlainDirectoriesByItself) {
  TemporaryDirectory dir;
  SaveOptions options;
  options.arrays.use_ocdbt = false;
  const ArrayLeaf base = floats({100, 1000});
  const tree::FlatTree tree = mapping({{"base", base}, {"same", base}});
  const SaveStatistics statistics = save(dir / "c", tree, options);
  EXPECT_EQ(statistics.shared_bytes, 0);
  EXPECT_EQ(statistics.written_bytes, 2 * 400'004);
  expect_equal(load_tree(dir / "c"), tree);
}

TEST(Save, RefusesAPathInsideACheckpoint) {
  TemporaryDirectory dir;
  save(dir / "c", mapping({{"w", floats({3})}}));
  const auto before = snapshot(dir.path());
  for (const char* inside : {"c/x", "c/state", "c/state/x", "c/state/d/x/y"}) {
    for (const bool overwrite : {false, true}) {
      SCOPED_TRACE(inside);
      SaveOptions options;
      options.overwrite = overwrite;
      try {
        save(dir / inside, mapping({{"w", floats({3})}}), options);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
        EXPECT_THAT(error.message(), testing::HasSubstr("'" + (dir / inside) + "' lies inside the checkpoint '" + (dir / "c")));
      }
    }
  }
  EXPECT_EQ(snapshot(dir.path()), before);
}

TEST(Save, WritesTiedAndEqualArraysOnce) {
  TemporaryDirectory dir;
  const ArrayLeaf table = floats({500, 100});
  const SaveStatistics statistics = save(dir / "c", mapping({{"embed", table}, {"head", table}, {"copy", floats({500, 100})}}));
  EXPECT_LT(statistics.written_bytes, 200'000 + 20'000);
  EXPECT_EQ(statistics.shared_bytes, 400'000);
  expect_equal(load_tree(dir / "c"), mapping({{"embed", table}, {"head", table}, {"copy", table}}));
}

TEST(Save, CastsLeavesThatAskForIt) {
  TemporaryDirectory dir;
  NamedTree item{"state", mapping({{"a", floats({3})}, {"b", floats({3})}}), {}};
  item.leaf_options.resize(2);
  item.leaf_options[1].emplace();
  item.leaf_options[1]->dtype = DType::kBfloat16;
  std::vector<NamedTree> items;
  items.push_back(std::move(item));
  save_checkpointables(dir / "c", items);
  const tree::FlatTree loaded = load_tree(dir / "c");
  EXPECT_EQ(std::get<ArrayLeaf>(loaded.leaves[0]).dtype, DType::kFloat32);
  EXPECT_EQ(std::get<ArrayLeaf>(loaded.leaves[1]).dtype, DType::kBfloat16);
}

TEST(Save, NamesTheLeavesWhoseValuesTheStoredDtypeCannotHold) {
  for (const bool use_ocdbt : {true, false}) {
    for (const bool compress : {true, false}) {
      TemporaryDirectory dir;
      SaveOptions options;
      options.arrays.use_ocdbt = use_ocdbt;
      if (compress) options.arrays.compression.emplace();
      options.arrays.dtype = DType::kInt8;
      options.arrays.chunk_bytes_max = 64;
      const auto tree = mapping({{"fits", floats({100})}, {"large", floats({1000})}, {"n", Scalar{1e9}}});
      EXPECT_THAT(save(dir / "c", tree, options).lossy_leaves, ElementsAre("large"));
    }
  }
}

TEST(Save, SeveralTreesBecomeSeveralItems) {
  TemporaryDirectory dir;
  std::vector<NamedTree> items;
  items.push_back({"model", mapping({{"w", floats({3})}}), {}});
  items.push_back({"optimizer", mapping({{"m", floats({4})}}), {}});
  save_checkpointables(dir / "c", items);
  EXPECT_THAT(Checkpoint::open(dir / "c").item_names(), ElementsAre("model", "optimizer"));
  expect_sound(dir / "c");
}

TEST(Save, KeepsNamesOfEveryKind) {
  TemporaryDirectory dir;
  std::vector<std::pair<std::string, Leaf>> members;
  for (const char* name : {"", ".", "..", "../up", "a\nb", "a/b", "slash/", "/", "zarr.json", "manifest.ocdbt", "_METADATA", "d",
                           "c", "\xed\xa0\x80"}) {
    members.emplace_back(name, floats({200}, static_cast<float>(members.size())));
  }
  members.emplace_back(std::string(5000, 'w'), floats({2}));
  const tree::FlatTree tree = mapping(std::move(members));
  save(dir / "c", tree);
  expect_equal(load_tree(dir / "c"), tree);
  expect_sound(dir / "c");
}

TEST(Save, KeepsAnEmptyTree) {
  TemporaryDirectory dir;
  save(dir / "c", mapping({}));
  expect_equal(load_tree(dir / "c"), mapping({}));
  expect_sound(dir / "c");
}

TEST(Save, KeepsNotesOfTheUser) {
  TemporaryDirectory dir;
  save(dir / "c", mapping({}), options_with([](SaveOptions& options) {
         options.custom_metadata = json::Object{{"git", "abc"}};
       }));
  EXPECT_EQ(Checkpoint::open(dir / "c").custom_metadata(), json::Value(json::Object{{"git", "abc"}}));
}

TEST(Save, RefusesBeforeAnythingIsMade) {
  TemporaryDirectory dir;
  EXPECT_THROW(save(dir / "a/b", mapping({{"x.0", Scalar{1.0}}, {"x.0", Scalar{2.0}}})), Error);
  EXPECT_THROW(save(dir / "a/b", mapping({}), options_with([](SaveOptions& options) { options.checkpointable_name = "AUTO"; })),
               Error);
  EXPECT_THROW(save(dir / "a/b", mapping({}), options_with([](SaveOptions& options) { options.custom_metadata = 1; })), Error);
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
}

TEST(Save, RefusesWhatIsNotUtf8BeforeAnythingIsMade) {
  TemporaryDirectory dir;
  const auto refused = [&](const tree::FlatTree& tree, const SaveOptions& options = {}) {
    return test::story_of_failure(ErrorKind::kInvalid, [&] { save(dir / "a", tree, options); });
  };
  EXPECT_THAT(refused(mapping({{"x", Scalar{Text{"\xff"}}}})), HasSubstr("leaf x"));
  EXPECT_THAT(refused(mapping({{"x\xff", Scalar{None{}}}})), HasSubstr("'x\\xff'"));
  EXPECT_THAT(refused(mapping({}), options_with([](SaveOptions& options) { options.checkpointable_name = "\xff"; })),
              HasSubstr("it is not UTF-8"));
  EXPECT_THAT(refused(mapping({}), options_with([](SaveOptions& options) {
                        options.custom_metadata = json::Object{{"note", "\xff"}};
                      })),
              HasSubstr("custom_metadata"));
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
}

TEST(Save, ReportsProgressInBytes) {
  struct Sink : ProgressSink {
    void on_bytes(std::uint64_t done, std::uint64_t total) override { last = {done, total}; }
    std::pair<std::uint64_t, std::uint64_t> last;
  } sink;
  TemporaryDirectory dir;
  save(dir / "c", mapping({{"w", floats({100, 10})}}),
       options_with([&](SaveOptions& options) { options.environment.progress = &sink; }));
  EXPECT_EQ(sink.last, (std::pair<std::uint64_t, std::uint64_t>{4000, 4000}));
  const ArrayLeaf tied = floats({100, 10});
  for (const bool use_ocdbt : {true, false}) {
    save(dir / (use_ocdbt ? "database" : "directories"), mapping({{"w", tied}, {"tied", tied}}),
         options_with([&](SaveOptions& options) {
           options.environment.progress = &sink;
           options.arrays.use_ocdbt = use_ocdbt;
         }));
    const std::uint64_t size = use_ocdbt ? 4000 : 8000;
    EXPECT_EQ(sink.last, std::pair(size, size));
  }
}

/// Each change on disk fails in turn while a checkpoint is overwritten.
void overwrite_with_each_fault(bool exchange_works) {
  const tree::FlatTree old_state = mapping({{"w", floats({300, 200}, 1)}, {"generation", Scalar{1.0}}});
  const tree::FlatTree new_state = mapping({{"w", floats({300, 200}, 2)}, {"generation", Scalar{2.0}}});
  TemporaryDirectory dir;
  save(dir / "c", old_state);
  auto before = snapshot(dir.path());
  for (int fail_at = 0;; ++fail_at) {
    test::FaultPlan plan{.fail_at = fail_at, .exchange_works = exchange_works};
    test::FaultyFileSystem fs(plan);
    bool failed = false;
    try {
      save(dir / "c", new_state, options_with([&](SaveOptions& options) {
             options.overwrite = true;
             options.environment.file_system = &fs;
           }));
    } catch (const Error& error) {
      failed = true;
      EXPECT_EQ(error.kind(), ErrorKind::kIo) << error.what();
    }
    if (plan.failed.empty()) break;
    SCOPED_TRACE(plan.failed);
    if (failed) {
      EXPECT_EQ(snapshot(dir.path()), before) << "a failed save leaves the old checkpoint, and nothing else";
    } else {
      expect_equal(load_tree(dir / "c"), new_state);
      save(dir / "c", old_state, options_with([](SaveOptions& options) { options.overwrite = true; }));
      before = snapshot(dir.path());
    }
  }
  expect_equal(load_tree(dir / "c"), new_state);
}

TEST(SaveFaults, LoseNothingAndLeaveNothing) { overwrite_with_each_fault(true); }
TEST(SaveFaults, LoseNothingAndLeaveNothingWithoutExchange) { overwrite_with_each_fault(false); }

}  // namespace
}  // namespace perdure
