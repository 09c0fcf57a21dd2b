// Everything that dead processes, other programs and users can leave beside each other, times everything that can be asked for then.
// Nothing that is not ours changes, a whole checkpoint stays one, and what is refused is refused for a reason that still stands.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "perdure/base/error.h"
#include "perdure/checkpoint/delete.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/save_lock.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"
#include "tests/crash/generations.h"
#include "tests/support/failures.h"
#include "tests/support/temporary_directory.h"

namespace perdure {
namespace {

using checkpoint::lock_path;
using checkpoint::old_path;
using checkpoint::temporary_path;
using test::generation_of;
using test::state_of;
using test::TemporaryDirectory;

enum class AtName { kNothing, kCheckpoint, kEmpty, kOther, kFile, kLink };
enum class AtOld { kNothing, kCheckpoint, kOther };
enum class Lock { kNone, kFree, kHeld, kForeign };

struct State {
  AtName name = AtName::kNothing;
  AtOld old = AtOld::kNothing;
  bool has_temporary = false;
  Lock lock = Lock::kNone;

  std::string str() const {
    constexpr const char* kNames[] = {"nothing", "checkpoint", "empty", "other", "file", "link"};
    constexpr const char* kOlds[] = {"nothing", "checkpoint", "other"};
    constexpr const char* kLocks[] = {"no lock", "free lock", "held lock", "foreign lock"};
    return std::string("NAME: ") + kNames[static_cast<int>(name)] + ", NAME.perdure-old: " + kOlds[static_cast<int>(old)] +
           (has_temporary ? ", temporary directory, " : ", ") + kLocks[static_cast<int>(lock)];
  }
  bool is_ours() const { return name == AtName::kNothing || name == AtName::kCheckpoint; }
  bool is_busy() const {
    return lock == Lock::kHeld || lock == Lock::kForeign || (has_temporary && lock == Lock::kNone);  // another program's
  }
  /// What a load finds; 0 for nothing.
  std::uint64_t generation() const {
    if (name == AtName::kCheckpoint) return 2;
    if (name == AtName::kLink) return 9;
    return name == AtName::kNothing && old == AtOld::kCheckpoint ? 1 : 0;
  }
};

std::vector<State> all_states() {
  std::vector<State> states;
  for (const AtName name :
       {AtName::kNothing, AtName::kCheckpoint, AtName::kEmpty, AtName::kOther, AtName::kFile, AtName::kLink}) {
    for (const AtOld old : {AtOld::kNothing, AtOld::kCheckpoint, AtOld::kOther}) {
      for (const bool has_temporary : {false, true}) {
        for (const Lock lock : {Lock::kNone, Lock::kFree, Lock::kHeld, Lock::kForeign})
          states.push_back({name, old, has_temporary, lock});
      }
    }
  }
  return states;
}

/// A state on the disk. The checkpoints in it are copies: nothing is synced.
class Stage {
 public:
  Stage(const State& state, const std::string& models) : state_(state) {
    const auto copy = [&](const char* generation, const std::string& to) {
      std::filesystem::copy(join_path(models, generation), to, std::filesystem::copy_options::recursive);
    };
    const auto other = [&](const std::string& to) {
      fs_.make_directory(to);
      write_new_file(fs_, to + "/thesis.tex", as_bytes("years"));
    };
    switch (state.name) {
      case AtName::kNothing: break;
      case AtName::kCheckpoint: copy("2", path()); break;
      case AtName::kEmpty: fs_.make_directory(path()); break;
      case AtName::kOther: other(path()); break;
      case AtName::kFile: write_new_file(fs_, path(), as_bytes("years")); break;
      case AtName::kLink:
        copy("9", dir_ / "elsewhere");
        EXPECT_EQ(::symlink("elsewhere", path().c_str()), 0);
        break;
    }
    if (state.old == AtOld::kCheckpoint) copy("1", old_path(path()));
    if (state.old == AtOld::kOther) other(old_path(path()));
    if (state.has_temporary) {
      fs_.make_directory(temporary_path(path()));
      write_new_file(fs_, temporary_path(path()) + "/half", as_bytes("half"));
    }
    if (state.lock != Lock::kNone) {
      const char* owner = state.lock == Lock::kForeign ? "host elsewhere\nboot other\npid 1\n" : "";
      write_new_file(fs_, lock_path(path()), as_bytes(owner));
      if (state.lock == Lock::kHeld) {
        held_ = fs_.open_writable(lock_path(path()));
        EXPECT_TRUE(held_->try_lock());
      }
    }
  }

  std::string path() const { return dir_ / "c"; }
  std::vector<std::string> names() const { return test::names_in(dir_.path()); }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> files;
    for (const std::string& name : list_tree(fs_, dir_.path())) {
      const bool is_link = fs_.find_info(dir_ / name, false)->type == FileType::kLink;
      if (name != "c.orbax-checkpoint-tmp.lock") files[name] = is_link ? "a link" : read_file(fs_, dir_ / name, 1 << 20);
    }
    return files;
  }
  /// What nothing that is asked for may change. A checkpoint that was moved away is all that there is, unless another took its place.
  std::map<std::string, std::string> files_to_be_kept() const {
    std::map<std::string, std::string> kept;
    for (const auto& [name, content] : files()) {
      const bool at_name = name == "c" || name.starts_with("c/"), at_old = name.starts_with("c.perdure-old/");
      const bool keeps_old = state_.old == AtOld::kOther || !state_.is_ours();
      if ((at_name && !state_.is_ours()) || (at_old && keeps_old) || name.starts_with("elsewhere/")) kept[name] = content;
    }
    return kept;
  }
  /// The names that stay whatever is saved.
  std::vector<std::string> names_of_others() const {
    std::vector<std::string> kept;
    if (state_.old == AtOld::kOther) kept.push_back("c.perdure-old");
    if (state_.name == AtName::kLink) kept.push_back("elsewhere");
    return kept;
  }

 private:
  const State state_;
  FileSystem& fs_ = posix_file_system();
  TemporaryDirectory dir_{TemporaryDirectory::parent_in_memory()};
  std::unique_ptr<File> held_;
};

class LeftStates : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    models_ = new TemporaryDirectory;
    for (const std::uint64_t generation : {1u, 2u, 9u}) save(*models_ / std::to_string(generation), state_of(generation, {3}));
  }
  static void TearDownTestSuite() { delete models_; }

  /// `expected`: how `act` ends in that state, nullopt if it succeeds. `after` looks at what is there then.
  template <class Expected, class Act, class After>
  void for_each_state(Expected expected, Act act, After after) {
    for (const State& state : all_states()) {
      SCOPED_TRACE(state.str());
      const Stage stage(state, models_->path());
      const auto kept = stage.files_to_be_kept();
      const auto before = stage.files();
      std::optional<ErrorKind> failure;
      try {
        act(stage.path());
      } catch (const Error& error) {
        failure = error.kind();
      }
      EXPECT_EQ(failure.value_or(ErrorKind::kCancelled), expected(state).value_or(ErrorKind::kCancelled));
      EXPECT_EQ(stage.files_to_be_kept(), kept);
      if (state.is_busy()) {
        EXPECT_EQ(stage.files(), before);
      }
      after(state, stage, !failure);
    }
  }

  static void expect_loads(const Stage& stage, std::uint64_t generation) {
    if (generation == 0) {
      EXPECT_EQ(test::kind_of_failure([&] { load(stage.path()); }), ErrorKind::kNotFound);
    } else {
      EXPECT_EQ(generation_of(load_tree(stage.path())), generation);
    }
  }

  static TemporaryDirectory* models_;
};
TemporaryDirectory* LeftStates::models_ = nullptr;

std::optional<ErrorKind> end_of_save(const State& state, bool overwrite) {
  const bool in_the_way = !state.is_ours() || state.old == AtOld::kOther || (!overwrite && state.generation() != 0);
  if (state.is_busy() || in_the_way) return ErrorKind::kAlreadyExists;
  return std::nullopt;
}

std::optional<ErrorKind> end_of_delete(const State& state) {
  const bool is_nothing = state.name == AtName::kNothing && state.old == AtOld::kNothing && !state.has_temporary;
  if (is_nothing) return ErrorKind::kNotFound;
  if (state.is_busy()) return ErrorKind::kAlreadyExists;
  if (!state.is_ours()) return ErrorKind::kInvalid;
  if (state.old == AtOld::kOther) return ErrorKind::kAlreadyExists;
  return std::nullopt;
}

std::vector<std::string> with_checkpoint(std::vector<std::string> names) {
  names.insert(names.begin(), "c");
  return names;
}

TEST_F(LeftStates, AreLoadedAsFarAsThereIsAWholeCheckpoint) {
  for_each_state([](const State& state) { return state.generation() == 0 ? std::optional(ErrorKind::kNotFound) : std::nullopt; },
                 [](const std::string& path) { load(path); },
                 [](const State& state, const Stage& stage, bool) { expect_loads(stage, state.generation()); });
}

TEST_F(LeftStates, AreSavedToUnlessSomethingIsThere) {
  for_each_state([](const State& state) { return end_of_save(state, false); },
                 [](const std::string& path) { save(path, state_of(3, {3})); },
                 [](const State& state, const Stage& stage, bool saved) {
                   expect_loads(stage, saved ? 3 : state.generation());
                   if (saved) {
                     EXPECT_EQ(stage.names(), with_checkpoint(stage.names_of_others()));
                   }
                 });
}

TEST_F(LeftStates, AreOverwrittenUnlessSomethingElseIsThere) {
  for_each_state([](const State& state) { return end_of_save(state, true); },
                 [](const std::string& path) {
                   SaveOptions options;
                   options.overwrite = true;
                   save(path, state_of(3, {3}), options);
                 },
                 [](const State& state, const Stage& stage, bool saved) {
                   expect_loads(stage, saved ? 3 : state.generation());
                   if (saved) {
                     EXPECT_EQ(stage.names(), with_checkpoint(stage.names_of_others()));
                   }
                 });
}

TEST_F(LeftStates, AreDeletedWithTheirRemains) {
  for_each_state([](const State& state) { return end_of_delete(state); },
                 [](const std::string& path) { delete_checkpoint(path); },
                 [](const State& state, const Stage& stage, bool deleted) {
                   expect_loads(stage, deleted ? 0 : state.generation());
                   if (deleted) {
                     EXPECT_EQ(stage.names(), stage.names_of_others());
                   }
                 });
}

}  // namespace
}  // namespace perdure
