#include "perdure/checkpoint/leaves/leaf_batch.h"

#include <gmock/gmock.h>

#include <cstring>

#include "perdure/base/error.h"
#include "perdure/checkpoint/leaves/strings_file.h"
#include "perdure/checkpoint/read/leaf_reader.h"
#include "perdure/checkpoint/verify.h"
#include "perdure/checkpoint/write/save_job.h"
#include "perdure/checkpoint/write/tree_item_writer.h"
#include "tests/support/failures.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/trees.h"

namespace perdure::checkpoint {
namespace {

using test::floats;
using test::names_in;
using test::TemporaryDirectory;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::vector<LeafToWrite> leaf(const std::string& name, const Shape& shape, const ArraySaveOptions& options = {}) {
  return {{name, floats(shape), options}};
}

ArraySaveOptions in_chunks_of(std::uint64_t bytes) {
  ArraySaveOptions options;
  options.chunk_bytes_divided = bytes;
  return options;
}

ArraySaveOptions written_in(Shape shape) {
  ArraySaveOptions options;
  options.write_shape = std::move(shape);
  return options;
}

void write(const std::string& directory, std::vector<LeafToWrite> leaves, const LeafBatchOptions& options = {}) {
  LeafBatch(std::move(leaves), options).write(directory);
}

Shape shape_at(const std::string& directory, const std::string& name) {
  const LoadedArray array = std::move(LeafReader(directory, std::nullopt).read({{name, std::nullopt}})[0]);
  const ArrayLeaf want = floats(array.view.shape);
  EXPECT_EQ(std::memcmp(array.view.data, want.pieces[0].view.data, want.pieces[0].view.size_bytes()), 0) << name;
  return array.view.shape;
}

const LeafBatchOptions kDatabase{.use_ocdbt = true};

TEST(LeafBatch, WritesDirectoriesThatCanBeReadAtOnce) {
  const TemporaryDirectory dir;
  write(dir.path(), leaf("w", {3, 4}));
  EXPECT_EQ(shape_at(dir.path(), "w"), Shape({3, 4}));
}

TEST(LeafBatch, WritesADatabaseThatIsCompleteOnceItIsFinalized) {
  const TemporaryDirectory dir;
  write(dir.path(), leaf("a", {500}), kDatabase);
  write(dir.path(), leaf("b", {2}), kDatabase);
  EXPECT_THAT(names_in(dir.path()), Not(Contains("manifest.ocdbt")));
  finalize_leaves(dir.path());
  EXPECT_EQ(shape_at(dir.path(), "a"), Shape({500}));
  EXPECT_EQ(shape_at(dir.path(), "b"), Shape({2}));
}

TEST(LeafBatch, KeepsWhatAnEarlierFinalizeWroteAndReplacesWhatIsWrittenAgain) {
  const TemporaryDirectory dir;
  write(dir.path(), leaf("a", {500}), kDatabase);
  write(dir.path(), leaf("b", {400, 3}), kDatabase);
  finalize_leaves(dir.path());
  write(dir.path(), leaf("b", {300}), kDatabase);
  finalize_leaves(dir.path());
  finalize_leaves(dir.path());
  EXPECT_EQ(shape_at(dir.path(), "a"), Shape({500}));
  EXPECT_EQ(shape_at(dir.path(), "b"), Shape({300}));
}

TEST(LeafBatch, ReplacesADirectoryThatIsWrittenAgain) {
  const TemporaryDirectory dir;
  write(dir.path(), leaf("w", {30, 4}, in_chunks_of(16)));
  write(dir.path(), leaf("w", {2}));
  EXPECT_EQ(shape_at(dir.path(), "w"), Shape({2}));
}

TEST(LeafBatch, StartsANewDataFileWhenOneHasTheTargetSize) {
  const TemporaryDirectory dir;
  LeafBatchOptions options = kDatabase;
  options.data_file_bytes_max = 4000;
  write(dir.path(), leaf("w", {4000}, in_chunks_of(4000)), options);
  finalize_leaves(dir.path());
  EXPECT_THAT(names_in(dir / "d"), SizeIs(4 + 1));  // and one for the nodes
  EXPECT_EQ(shape_at(dir.path(), "w"), Shape({4000}));
}

TEST(LeafBatch, CutsChunksAtTheBordersOfTheWriteShape) {
  const TemporaryDirectory dir;
  write(dir.path(), leaf("w", {8, 6}, written_in(Shape{2, 6})));
  EXPECT_EQ(LeafReader(dir.path(), false).describe("w").chunk_shape, Shape({2, 6}));
  EXPECT_THROW(LeafBatch(leaf("w", {8, 6}, written_in(Shape{2})), {}), Error);
}

TEST(LeafBatch, RefusesChunksThatCannotHoldAnElement) { EXPECT_THROW(LeafBatch(leaf("w", {3}, in_chunks_of(3)), {}), Error); }

TEST(LeafBatch, StagedArraysMayBeChanged) {
  const TemporaryDirectory dir;
  std::vector<LeafToWrite> leaves = leaf("w", {100});
  auto* const memory = const_cast<std::byte*>(leaves[0].leaf.pieces[0].view.data);
  const auto owner = leaves[0].leaf.owner;
  LeafBatch batch(std::move(leaves), {});
  batch.stage();
  std::memset(memory, 0xff, 400);
  batch.write(dir.path());
  EXPECT_EQ(shape_at(dir.path(), "w"), Shape({100}));
}

/// "t0" "T0": transfer of leaf 0; "w0" "W0": its write.
struct Log final : LeafStatusSink {
  std::string events;
  void add(char what, std::uint32_t leaf) { events += what + std::to_string(leaf) + ' '; }
  void on_transfer_start(std::uint32_t leaf) override { add('t', leaf); }
  void on_transfer_end(std::uint32_t leaf) override { add('T', leaf); }
  void on_write_start(std::uint32_t leaf) override { add('w', leaf); }
  void on_write_end(std::uint32_t leaf) override { add('W', leaf); }
};

TEST(LeafBatch, TransfersAndWritesByPriority) {
  for (const bool use_ocdbt : {true, false}) {
    const TemporaryDirectory dir;
    const auto log = std::make_shared<Log>();
    LeafBatchOptions options{.use_ocdbt = use_ocdbt};
    using enum TransferPriority;
    options.transfer = {.priorities = {kDeprioritized, kPrioritized, kSynchronous}, .status = log};
    LeafBatch batch({{"a", floats({50}), {}}, {"b", floats({60}), {}}, {"c", floats({70}), {}}}, options);
    batch.stage();
    EXPECT_EQ(log->events, "t2 T2 ");
    batch.write(dir.path());
    EXPECT_EQ(log->events, "t2 T2 w2 W2 t1 T1 w1 W1 t0 T0 w0 W0 ");
    finalize_leaves(dir.path());
    for (const char* name : {"a", "b", "c"}) shape_at(dir.path(), name);
  }
}

TEST(LeafBatch, DoesNotCopyWhatIsTransferredLater) {
  LeafBatchOptions options;
  options.transfer.priorities = {TransferPriority::kPrioritized};
  std::vector<LeafToWrite> leaves = leaf("w", {100});
  const std::weak_ptr<const void> owner = leaves[0].leaf.owner;
  LeafBatch batch(std::move(leaves), options);
  batch.stage();
  EXPECT_FALSE(owner.expired());
}

TEST(LeafBatch, OfTwoArraysOfOneNameTheLastStays) {
  const TemporaryDirectory dir;
  write(dir.path(), leaf("w", {500}), kDatabase);
  write(dir.path(), leaf("w", {400}), kDatabase);
  finalize_leaves(dir.path());
  EXPECT_EQ(shape_at(dir.path(), "w"), Shape({400}));
}

TEST(HeldDirectory, MakesWhatWasWrittenPartOfTheItem) {
  const TemporaryDirectory dir;
  const std::string item = dir / "item";
  posix_file_system().make_directory(item);
  const HeldDirectory held(item);
  LeafBatchOptions options = kDatabase;
  options.data_file_bytes_max = 1;
  write(item, leaf("a.left", {500}), options);
  write(item, leaf("a.right", {400}), options);
  write_strings(item, {{"a.text", "x"}});
  WriteContext context = make_context({});
  ItemDirectory directory(item, context);
  const auto tree = [] { return test::mapping({{"a", Scalar(Handled{"test.Pair"})}, {"w", floats({300}, 7)}}); };
  TreeItemWriter({"item", tree(), {}}, ArraySaveOptions{}, nullptr).write(directory);
  EXPECT_EQ(shape_at(item, "a.left"), Shape({500}));
  EXPECT_EQ(shape_at(item, "a.right"), Shape({400}));
  EXPECT_THAT(read_strings(item, {"a.text"}), testing::ElementsAre("x"));
  EXPECT_THAT(take_written_leaves(item).arrays, testing::IsEmpty());
  EXPECT_TRUE(verify(item).ok());
  EXPECT_EQ(metadata(item).leaves.size(), 2u);
}

/// Of the save of an item without a database in which `write` was at work.
template <class Write>
std::string refusal_of_directories(Write&& write) {
  const TemporaryDirectory dir;
  const HeldDirectory held(dir.path());
  write(dir.path());
  WriteContext context = make_context({});
  ItemDirectory directory(dir.path(), context);
  ArraySaveOptions options;
  options.use_ocdbt = false;
  TreeItemWriter writer({"item", test::mapping({{"w", floats({3}, 7)}}), {}}, options, nullptr);
  return test::message_of_failure(ErrorKind::kInvalid, [&] { writer.write(directory); });
}

TEST(HeldDirectory, TakesNoDatabaseWhereTheItemHasNone) {
  EXPECT_THAT(refusal_of_directories([](const std::string& item) { write(item, leaf("a.left", {500}), kDatabase); }),
              HasSubstr("'a.left'"));
  const auto by_itself = [](const std::string& item) {
    write_new_file(posix_file_system(), join_path(item, "manifest.ocdbt"), {});
  };
  EXPECT_THAT(refusal_of_directories(by_itself), HasSubstr("'manifest.ocdbt'"));
}

TEST(WrittenStrings, JoinThoseThatAreThere) {
  const TemporaryDirectory dir;
  write_strings(dir.path(), {{"a", "old"}, {"b", "kept"}});
  write_strings(dir.path(), {{"a", "new"}});
  EXPECT_THAT(read_strings(dir.path(), {"b", "a"}), testing::ElementsAre("kept", "new"));
  EXPECT_THROW(read_strings(dir.path(), {"c"}), Error);
}

TEST(HeldDirectory, LeavesTheDatabaseToItsHolder) {
  const TemporaryDirectory dir;
  {
    const HeldDirectory held(dir.path() + "/");
    write(dir.path(), leaf("a", {500}), kDatabase);
    finalize_leaves(dir.path());
    EXPECT_THAT(names_in(dir.path()), Not(Contains("manifest.ocdbt")));
    EXPECT_THAT(take_written_leaves(dir.path()).arrays, SizeIs(1));
    write(dir.path(), leaf("b", {500}), kDatabase);
  }
  finalize_leaves(dir.path());  // what its holder did not take is forgotten
  EXPECT_THAT(names_in(dir.path()), Not(Contains("manifest.ocdbt")));
}

TEST(LeafReader, NamesWhatIsNotThere) {
  const TemporaryDirectory dir;
  write(dir.path(), leaf("w", {3}));
  try {
    LeafReader(dir.path(), std::nullopt).read({{"nope", std::nullopt}});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    EXPECT_THAT(error.what(), testing::HasSubstr("nope"));
  }
}

TEST(LeafReader, FillsMissingChunksIfItMay) {
  const TemporaryDirectory dir;
  write(dir.path(), leaf("w", {4}, in_chunks_of(8)));
  posix_file_system().remove_file(dir / "w/c/1");
  const LeafReader reader(dir.path(), false);
  EXPECT_THROW(reader.read({{"w", std::nullopt}}), Error);
  const std::vector<LoadedArray> loaded = reader.read({{"w", DType::kFloat64}}, {.missing_is_fill = true});
  const auto* const values = reinterpret_cast<const double*>(loaded[0].view.data);
  EXPECT_EQ(values[3], 0);
}

/// Changes the byte of a file that stands this far behind the first place of `needle`.
void spoil(const std::string& path, const std::string& needle, std::size_t behind) {
  std::string content = read_file(posix_file_system(), path, 1 << 20);
  ASSERT_NE(content.find(needle), std::string::npos);
  content[content.find(needle) + behind] ^= 1;
  posix_file_system().remove_file(path);
  write_new_file(posix_file_system(), path, as_bytes(content));
}

TEST(LeafReader, ChecksWhatOnlyTheItemDocumentCovers) {
  const ArrayLeaf whole = floats({100, 50});
  const ArrayView view = whole.pieces[0].view;
  const tree::FlatTree tree = test::mapping(
      {{"whole", whole}, {"slice", test::viewed(whole, view.sub({{10, 0}, {20, 50}}))}, {"other", floats({77}, 1)}});
  for (const bool use_zarr3 : {true, false}) {
    const TemporaryDirectory dir;
    SaveOptions options;
    options.arrays.use_zarr3 = use_zarr3;
    save(dir / "c", tree, options);
    const std::string item = dir / "c/state";
    const auto kind = [&](const std::string& name, bool missing_is_fill) {
      return test::kind_of_failure([&] {
        LeafReader(item, std::nullopt).read({{name, std::nullopt}}, {.missing_is_fill = missing_is_fill});
      });
    };
    EXPECT_EQ(LeafReader(item, std::nullopt).read({{"slice", std::nullopt}})[0].view.shape, Shape({20, 50}));
    const std::vector<DirectoryEntry> data_files = posix_file_system().list(item + "/d");
    ASSERT_THAT(data_files, SizeIs(1));
    spoil(item + "/d/" + data_files[0].name, std::string(as_text(view.bytes().first(4000))), 15 * 200);
    for (const bool missing_is_fill : {true, false}) {
      EXPECT_EQ(kind("slice", missing_is_fill), ErrorKind::kCorrupt) << use_zarr3 << missing_is_fill;
      EXPECT_EQ(kind("whole", missing_is_fill), ErrorKind::kCorrupt) << use_zarr3 << missing_is_fill;
    }
    EXPECT_EQ(LeafReader(item, std::nullopt).read({{"other", std::nullopt}})[0].view.shape, Shape({77}));
  }
}

TEST(LeafReader, RefusesAnArrayThatItsLimitNeverLetsThrough) {
  const TemporaryDirectory dir;
  write(dir.path(), leaf("w", {100}));
  const auto limiter = std::make_shared<ByteLimiter>(399);
  EXPECT_THROW(LeafReader(dir.path(), false).read({{"w", std::nullopt}}, {.limiter = limiter}), Error);
  EXPECT_EQ(limiter->bytes_in_flight(), 0);
}

}  // namespace
}  // namespace perdure::checkpoint
