// Somebody overwrites or deletes a checkpoint while it is being read: the reader gets all of the old one, all of the new one, or is
// told that it is gone.
#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <thread>

#include "perdure/base/error.h"
#include "perdure/checkpoint/checkpointables.h"
#include "perdure/checkpoint/delete.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"
#include "perdure/checkpoint/verify.h"
#include "tests/crash/generations.h"
#include "tests/support/failures.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/forwarding_file_system.h"
#include "tests/support/temporary_directory.h"

namespace perdure {
namespace {

using test::generation_of;
using test::state_of;
using test::TemporaryDirectory;

/// Does something before a reader's looks at the disk. Reads of files that are open already are none: those stay what they are.
class WatchedFileSystem : public test::ForwardingFileSystem {
 public:
  explicit WatchedFileSystem(std::function<void(int look)> before) : before_(std::move(before)) {}
  std::unique_ptr<File> open(const std::string& path, bool follow) override {
    before_(count_++);
    return posix.open(path, follow);
  }
  std::optional<FileInfo> find_info(const std::string& path, bool follow) override {
    before_(count_++);
    return posix.find_info(path, follow);
  }
  std::vector<DirectoryEntry> list(const std::string& path) override {
    before_(count_++);
    return posix.list(path);
  }
  int count() const { return count_; }

 private:
  const std::function<void(int)> before_;
  std::atomic<int> count_ = 0;
};

/// `act` through a file system on which `disturb` happens before the look with each `step`th number in turn. `prepare` comes first.
template <class Prepare, class Disturb, class Act>
void before_each_look(Prepare prepare, Disturb disturb, Act act, int step = 1) {
  for (int at = 0;; at += step) {
    SCOPED_TRACE("before look " + std::to_string(at));
    prepare();
    WatchedFileSystem fs([&](int look) {
      if (look == at) disturb();
    });
    act(fs);
    if (fs.count() <= at) return;
  }
}

SaveOptions overwriting(bool use_ocdbt) {
  SaveOptions options;
  options.overwrite = true;
  options.arrays.use_ocdbt = use_ocdbt;
  return options;
}

/// The form of the checkpoint, and how it is read.
struct Way {
  const char* name;
  bool use_ocdbt = true;
  bool map = false;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class OverwrittenReader : public testing::TestWithParam<Way> {
 protected:
  void save_generation(std::uint64_t generation) { save(dir_ / "c", state_of(generation), overwriting(GetParam().use_ocdbt)); }
  tree::FlatTree load_through(FileSystem& fs) {
    LoadOptions options;
    options.open.environment = {.file_system = &fs, .executor = &inline_executor()};
    options.read.map = GetParam().map;
    return load_tree(dir_ / "c", options);
  }
  TemporaryDirectory dir_{TemporaryDirectory::parent_in_memory()};
};

TEST_P(OverwrittenReader, GetsAllOfTheOldOrAllOfTheNew) {
  before_each_look([&] { save_generation(1); }, [&] { save_generation(2); },
                   [&](FileSystem& fs) { EXPECT_LE(generation_of(load_through(fs)), 2); });
}

TEST_P(OverwrittenReader, IsToldWhatHappenedIfThatNeverEnds) {
  save_generation(1);
  WatchedFileSystem fs([&](int look) { save_generation(static_cast<std::uint64_t>(look)); });
  try {
    generation_of(load_through(fs));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCheckpoint) << error.what();
  }
}

TEST_P(OverwrittenReader, OfADeletedCheckpointGetsAllOfItOrNotFound) {
  const auto load_or_find_nothing = [&](FileSystem& fs) {
    try {
      EXPECT_EQ(generation_of(load_through(fs)), 1);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kNotFound) << error.what();
    }
  };
  before_each_look([&] { save_generation(1); }, [&] { delete_checkpoint(dir_ / "c"); }, load_or_find_nothing);
}

INSTANTIATE_TEST_SUITE_P(Of, OverwrittenReader,
                         testing::Values(Way{"Database", true, false}, Way{"MappedDatabase", true, true},
                                         Way{"Directories", false, false}, Way{"MappedDirectories", false, true}),
                         [](const auto& test) { return test.param.name; });

TEST(OverwrittenReaderOf, SeveralItemsGetsAllOfOneSave) {
  const TemporaryDirectory dir(TemporaryDirectory::parent_in_memory());
  const auto save_both = [&](std::uint64_t generation) {
    std::vector<NamedTree> items;
    for (const char* name : {"a", "b"}) items.push_back({name, state_of(generation), {}});
    save_checkpointables(dir / "c", std::move(items), overwriting(true));
  };
  const auto load_both = [&](FileSystem& fs) {
    LoadOptions options;
    options.open.environment = {.file_system = &fs, .executor = &inline_executor()};
    const Checkpointables loaded = load_checkpointables(dir / "c", {}, options);
    EXPECT_EQ(loaded.get<Value>("a")[Text{"generation"}].as_int(), loaded.get<Value>("b")[Text{"generation"}].as_int());
  };
  before_each_look([&] { save_both(1); }, [&] { save_both(2); }, load_both);
}

TEST(OverwrittenReaderOf, AVerificationFindsNoFaultInAWholeCheckpoint) {
  const TemporaryDirectory dir(TemporaryDirectory::parent_in_memory());
  const auto save_generation = [&](std::uint64_t generation) { save(dir / "c", state_of(generation), overwriting(true)); };
  const auto expect_sound = [&](FileSystem& fs) {
    OpenOptions options;
    options.environment = {.file_system = &fs, .executor = &inline_executor()};
    const VerifyReport report = verify(dir / "c", options);
    EXPECT_TRUE(report.ok()) << report.faults[0].what;
  };
  before_each_look([&] { save_generation(1); }, [&] { save_generation(2); }, expect_sound, 3);
}

/// Before each of the looks in turn, a save without exchange dies between its two renames.
template <class Read>
void while_an_overwrite_is_cut_short(Read read) {
  const TemporaryDirectory dir(TemporaryDirectory::parent_in_memory());
  const auto read_through = [&](FileSystem& fs) {
    OpenOptions options;
    options.environment = {.file_system = &fs, .executor = &inline_executor()};
    read(dir / "c", options);
  };
  before_each_look([&] { save(dir / "c", state_of(1), overwriting(true)); },
                   [&] { posix_file_system().rename_new(dir / "c", dir / "c.perdure-old"); }, read_through);
}

TEST(OverwrittenReaderOf, ALoadFindsWhatWasPutAside) {
  while_an_overwrite_is_cut_short([](const std::string& path, const OpenOptions& open) {
    LoadOptions options;
    options.open = open;
    EXPECT_EQ(generation_of(load_tree(path, options)), 1);
  });
}

TEST(OverwrittenReaderOf, AVerificationFindsWhatWasPutAside) {
  while_an_overwrite_is_cut_short([](const std::string& path, const OpenOptions& options) {
    const VerifyReport report = verify(path, options);
    EXPECT_TRUE(report.ok()) << report.faults[0].what;
  });
}

TEST(OverwrittenReaderOf, AVerificationIsToldWhatHappenedIfThatNeverEnds) {
  const TemporaryDirectory dir(TemporaryDirectory::parent_in_memory());
  save(dir / "c", state_of(1), overwriting(true));
  WatchedFileSystem fs([&](int) { save(dir / "c", state_of(2), overwriting(true)); });
  OpenOptions options;
  options.environment = {.file_system = &fs, .executor = &inline_executor()};
  EXPECT_THAT(test::message_of_failure(ErrorKind::kCheckpoint, [&] { verify(dir / "c", options); }),
              testing::HasSubstr("was overwritten or deleted while it was being read"));
}

TEST(OverwrittenReaderOf, AFileSystemThatCannotExchangeFindsOneOfThem) {
  const TemporaryDirectory dir(TemporaryDirectory::parent_in_memory());
  std::atomic<bool> stop = false;
  save(dir / "c", state_of(1), overwriting(true));
  std::jthread writer([&] {
    test::FaultPlan plan{.exchange_works = false};
    test::FaultyFileSystem fs(plan);
    SaveOptions options = overwriting(true);
    options.environment.file_system = &fs;
    for (std::uint64_t generation = 2; generation < 200; ++generation) save(dir / "c", state_of(generation), options);
    stop = true;
  });
  std::uint64_t last = 1;
  while (!stop) {
    const std::uint64_t generation = generation_of(load_tree(dir / "c"));
    EXPECT_GE(generation, last);
    last = generation;
  }
}

/// `act` through a file system on which somebody deletes the checkpoint before the look with that number, unless he is locked out.
template <class Act>
void while_somebody_deletes_it(Act act) {
  const TemporaryDirectory dir(TemporaryDirectory::parent_in_memory());
  const auto act_through = [&](FileSystem& fs) {
    Environment environment;
    environment.file_system = &fs;
    act(dir / "c", environment);
  };
  before_each_look([&] { save(dir / "c", state_of(1), overwriting(true)); },
                   [&] { test::error_of([&] { delete_checkpoint(dir / "c"); }); }, act_through);
}

TEST(TwoWriters, AnOverwriteSucceedsThoughTheOldOneIsDeletedMeanwhile) {
  while_somebody_deletes_it([](const std::string& path, const Environment& environment) {
    SaveOptions options = overwriting(true);
    options.environment = environment;
    save(path, state_of(2), options);
    EXPECT_EQ(generation_of(load_tree(path)), 2);
  });
}

TEST(TwoWriters, ADeletionFindsNothingIfAnotherWasFaster) {
  while_somebody_deletes_it([](const std::string& path, const Environment& environment) {
    EXPECT_THAT(test::error_of([&] { delete_checkpoint(path, environment); }),
                testing::AnyOf("", testing::HasSubstr("not found")));
    EXPECT_FALSE(posix_file_system().find_info(path));
  });
}

TEST(TwoWriters, AFirstSaveSucceedsThoughOneThatFailedTakesAwayTheirDirectory) {
  const TemporaryDirectory dir(TemporaryDirectory::parent_in_memory());
  const auto save_first = [&](FileSystem& fs) {
    SaveOptions options;
    options.environment.file_system = &fs;
    save(dir / "runs/c", state_of(1), options);
    EXPECT_EQ(generation_of(load_tree(dir / "runs/c")), 1);
    delete_checkpoint(dir / "runs/c");  // an empty directory stays
  };
  before_each_look([] {}, [&] { test::error_of([&] { posix_file_system().remove_directory(dir / "runs"); }); }, save_first);
}

}  // namespace
}  // namespace perdure
