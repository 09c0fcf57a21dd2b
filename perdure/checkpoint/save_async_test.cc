#include "perdure/checkpoint/save_async.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <latch>
#include <thread>

#include "perdure/base/error.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/verify.h"
#include "perdure/checkpoint/write/save_job.h"
#include "tests/support/failures.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/threads.h"
#include "tests/support/trees.h"

namespace perdure {
namespace {

using checkpoint::SaveJob;
using test::floats;
using test::kind_of_failure;
using test::mapping;
using test::names_in;
using test::TemporaryDirectory;
using test::thread_count;
using testing::ElementsAre;
using testing::IsEmpty;

std::size_t entries_in(const char* directory) {
  const auto entries = std::filesystem::directory_iterator(directory);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

float first_float(const std::string& path) {
  const tree::FlatTree tree = load_tree(path);
  return *reinterpret_cast<const float*>(std::get<ArrayLeaf>(tree.leaves[0]).pieces[0].view.data);
}

/// Writes a file once it is let go.
class GatedWriter : public ItemWriter {
 public:
  explicit GatedWriter(std::latch& gate) : gate_(gate) {}
  void write(ItemDirectory& directory) override {
    gate_.wait();
    write_new_file(posix_file_system(), directory.path() + "/mine", as_bytes("written by other means"));
  }

 private:
  std::latch& gate_;
};

SaveFuture start_gated(const std::string& path, std::latch& gate) {
  auto job = std::make_unique<SaveJob>(path, SaveOptions{});
  job->add("item", "mine.Handler", std::make_unique<GatedWriter>(gate));
  job->begin();
  return SaveFuture::start(std::move(job));
}

TEST(SaveAsync, SavesWhatWasThereWhenItWasCalled) {
  const TemporaryDirectory dir;
  auto memory = std::make_shared<std::vector<float>>(3'000'000, 1.0f);
  ArrayLeaf leaf;
  leaf.dtype = DType::kFloat32;
  leaf.shape = {memory->size()};
  leaf.pieces.push_back({Box::whole(leaf.shape),
                         ArrayView::contiguous(reinterpret_cast<const std::byte*>(memory->data()), DType::kFloat32, leaf.shape)});
  leaf.owner = memory;
  const SaveFuture saving = save_async(dir / "c", mapping({{"w", leaf}, {"tied", leaf}}));
  std::ranges::fill(*memory, 2.0f);
  saving.result();
  EXPECT_EQ(first_float(dir / "c"), 1.0f);
  EXPECT_TRUE(verify(dir / "c").ok());
}

TEST(SaveAsync, WritesAStateThatDoesNotFitTheStageBeforeItReturns) {
  const TemporaryDirectory dir;
  SaveOptions options;
  options.stage_bytes_max = 10;
  const SaveFuture saving = save_async(dir / "c", mapping({{"w", floats({100}, 5)}}), options);
  EXPECT_TRUE(saving.wait_for(std::chrono::milliseconds(0)));
  EXPECT_EQ(first_float(dir / "c"), 5.0f);
}

TEST(SaveAsync, StagesNothingThatNobodyMayChange) {
  const TemporaryDirectory dir;
  ArrayLeaf leaf = floats({100});
  for (const auto& [immutable, copies] : {std::pair(true, true), {false, true}, {false, false}}) {
    leaf.immutable = immutable;
    SaveOptions options;
    options.stage_bytes_max = 0;
    SaveJob job(dir / "c", options);
    std::vector<NamedTree> items;
    items.push_back({"state", mapping({{"w", leaf}}), {}, {.copies = copies}});
    checkpoint::add_trees(job, std::move(items));
    EXPECT_EQ(job.stage(), immutable || !copies);
  }
}

TEST(SaveAsync, RefusesAtOnceWhatSaveRefuses) {
  const TemporaryDirectory dir;
  save_async(dir / "c", mapping({{"w", floats({2})}})).result();
  EXPECT_EQ(kind_of_failure([&] { save_async(dir / "c", mapping({{"w", floats({2})}})); }), ErrorKind::kAlreadyExists);
  EXPECT_EQ(kind_of_failure([&] { save_async(dir / "..", mapping({{"w", floats({2})}})); }), ErrorKind::kInvalid);
}

TEST(SaveAsync, RefusesASecondSaveToAPathThatIsBeingSaved) {
  const TemporaryDirectory dir;
  std::latch gate(1);
  const SaveFuture first = start_gated(dir / "c", gate);
  EXPECT_EQ(kind_of_failure([&] { save_async(dir / "c", mapping({{"w", floats({2})}})); }), ErrorKind::kAlreadyExists);
  EXPECT_FALSE(first.wait_for(std::chrono::milliseconds(0)));
  gate.count_down();
  first.result();
  EXPECT_EQ(Checkpoint::open(dir / "c").typestr("item"), "mine.Handler");
}

TEST(SaveAsync, ListsFilesThatWereWrittenByOtherMeans) {
  const TemporaryDirectory dir;
  std::latch gate(0);
  start_gated(dir / "c", gate).result();
  EXPECT_TRUE(verify(dir / "c").ok());
  const Checkpoint saved = Checkpoint::open(dir / "c");
  EXPECT_EQ(saved.find_file("item", "mine"), "written by other means");
  saved.check_files("item");
  posix_file_system().open_writable(dir / "c/item/mine")->write_at(3, as_bytes("X"));
  EXPECT_EQ(kind_of_failure([&] { saved.check_files("item"); }), ErrorKind::kCorrupt);
  EXPECT_FALSE(verify(dir / "c").ok());
}

TEST(SaveAsync, ThrowsItsFailureEachTimeAndLeavesNothingBehind) {
  const TemporaryDirectory dir;
  save_async(dir / "before", mapping({{"w", floats({2})}})).result();  // starts the threads that stay
  const std::size_t threads = thread_count(), descriptors = entries_in("/proc/self/fd");
  test::FaultPlan plan{.fail_at = 8};
  test::FaultyFileSystem fs(plan);
  SaveOptions options;
  options.environment.file_system = &fs;
  const SaveFuture saving = save_async(dir / "c", mapping({{"w", floats({2})}}), options);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(kind_of_failure([&] { saving.result(); }), ErrorKind::kIo);
  EXPECT_THAT(names_in(dir.path()), ::testing::ElementsAre("before"));
  EXPECT_EQ(thread_count(), threads);
  EXPECT_EQ(entries_in("/proc/self/fd"), descriptors);
}

TEST(SaveAsync, CanBeCancelledUntilItCommits) {
  const TemporaryDirectory dir;
  std::latch gate(1);
  const SaveFuture saving = start_gated(dir / "c", gate);
  saving.cancel();
  gate.count_down();
  EXPECT_EQ(kind_of_failure([&] { saving.result(); }), ErrorKind::kCancelled);
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
}

TEST(SaveAsync, CallsBackOnceAfterSuccessAndNeverAfterAFailure) {
  const TemporaryDirectory dir;
  std::latch gate(1);
  std::atomic<int> called = 0;
  const SaveFuture saving = start_gated(dir / "c", gate);
  saving.on_complete([&] {
    saving.result();
    called += posix_file_system().find_info(dir / "c") ? 1 : 100;
  });
  gate.count_down();
  saving.result();
  EXPECT_EQ(called, 1);
  saving.on_complete([&] { called += 10; });
  EXPECT_EQ(called, 11) << "at once";
  std::latch closed(1);
  const SaveFuture failing = start_gated(dir / "d", closed);
  failing.on_complete([&] { called += 1000; });
  failing.cancel();
  closed.count_down();
  EXPECT_EQ(kind_of_failure([&] { failing.result(); }), ErrorKind::kCancelled);
  EXPECT_EQ(called, 11);
}

TEST(SaveAsync, NeverMakesAnewTheDirectoryThatSomebodyRemoved) {
  const TemporaryDirectory dir;
  std::latch gate(1);
  auto job = std::make_unique<SaveJob>(dir / "c", SaveOptions{});
  job->add("first", "mine.Handler", std::make_unique<GatedWriter>(gate));
  job->add("second", "mine.Handler", std::make_unique<GatedWriter>(gate));
  job->begin();
  remove_tree(posix_file_system(), dir / "c.orbax-checkpoint-tmp");
  gate.count_down();
  EXPECT_EQ(kind_of_failure([&] { job->finish(); }), ErrorKind::kIo);
  job.reset();
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
}

TEST(SaveAsync, SeveralThreadsSaveWithoutMixing) {
  const TemporaryDirectory dir;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      save_async(dir / std::to_string(i), mapping({{"w", floats({50'000}, static_cast<float>(i))}})).result();
    });
  }
  threads.clear();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(first_float(dir / std::to_string(i)), static_cast<float>(i));
}

TEST(SaveAsyncDeathTest, AProgramThatEndsFinishesItsSaves) {
  const TemporaryDirectory dir;
  EXPECT_EXIT(
      {
        save_async(dir / "c", mapping({{"w", floats({300'000}, 7)}}));
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
}

/// A save fails; then the program ends with `status`.
[[noreturn]] void end_after_failure(const std::string& path, bool asks, int status) {
  static test::FaultPlan plan{.fail_at = 8};
  static test::FaultyFileSystem fs(plan);
  SaveOptions options;
  options.environment.file_system = &fs;
  const SaveFuture saving = save_async(path, mapping({{"w", floats({2})}}), options);
  if (asks) kind_of_failure([&] { saving.result(); });
  std::exit(status);
}

TEST(SaveAsyncDeathTest, AFailureThatNobodyAskedAboutIsToldAtExit) {
  const TemporaryDirectory dir;
  EXPECT_EXIT(end_after_failure(dir / "run_100", false, 0), testing::ExitedWithCode(1),
              "^perdure: the save to '[^\n]*run_100' \\(step 100\\) failed: [^\n]*\n$");
  EXPECT_EXIT(end_after_failure(dir / "run_100", false, 5), testing::ExitedWithCode(5), "perdure: the save to");
  EXPECT_EXIT(end_after_failure(dir / "run_100", true, 0), testing::ExitedWithCode(0), "^$");
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
}

TEST(SaveAsync, WritesWhereItWasToldWhenTheWorkingDirectoryHasChanged) {
  TemporaryDirectory dir, elsewhere;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  SaveJob job("runs/c", {});
  std::vector<NamedTree> items;
  items.push_back({"state", mapping({{"w", floats({2}, 1)}}), {}});
  checkpoint::add_trees(job, std::move(items));
  job.begin();
  std::filesystem::current_path(elsewhere.path());
  job.finish();
  std::filesystem::current_path(before);
  EXPECT_EQ(first_float(dir / "runs/c"), 1);
  EXPECT_THAT(names_in(elsewhere.path()), IsEmpty());
}

}  // namespace
}  // namespace perdure
