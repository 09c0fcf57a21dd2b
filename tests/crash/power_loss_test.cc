// The power fails before each change that a save, an overwrite or a deletion makes: afterwards there is one whole checkpoint of the old or
// the new, never an older one than the last whose save returned, and nothing is in the way of the next save.
#include <gmock/gmock.h>

#include "perdure/base/error.h"
#include "perdure/checkpoint/delete.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"
#include "tests/crash/generations.h"
#include "tests/crash/simulated_disk.h"

namespace perdure {
namespace {

using test::generation_of;
using test::SimulatedDisk;
using test::state_of;

constexpr std::uint64_t kSeeds = 8;  // of what is left after each power loss
const std::string kPath = "/runs/today/c";

struct Machine {
  explicit Machine(bool exchange_works = true) : disk(exchange_works) {}

  void save_generation(std::uint64_t generation, bool use_ocdbt = true) {
    SaveOptions options;
    options.overwrite = true;
    options.arrays.use_ocdbt = use_ocdbt;
    options.environment = environment;
    save(kPath, state_of(generation), options);
  }
  /// 0: there is none.
  std::uint64_t generation() {
    LoadOptions options;
    options.open.environment = environment;
    try {
      return generation_of(load_tree(kPath, options));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kNotFound) << error.what();
      return 0;
    }
  }

  SimulatedDisk disk;
  const Environment environment{.file_system = &disk, .executor = &inline_executor()};
};

/// `begin` makes what is there and gives its generation; `act` is cut short. `after(machine, before, done)` looks at what is left.
template <class Begin, class Act, class After>
void lose_power_at_each_change(bool exchange_works, Begin begin, Act act, After after) {
  for (int at = 0;; ++at) {
    bool has_ended = false;
    for (std::uint64_t seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE("power lost before change " + std::to_string(at) + ", seed " + std::to_string(seed));
      Machine machine(exchange_works);
      begin(machine);
      machine.disk.lose_power_at(at);
      bool done = true;
      try {
        act(machine);
      } catch (const Error&) {
        done = false;
      }
      has_ended = machine.disk.has_power();
      machine.disk.restart(seed);
      after(machine, done);
    }
    if (has_ended || testing::Test::HasFailure()) return;
  }
}

void expect_the_next_save_works(Machine& machine) {
  machine.save_generation(7);
  EXPECT_EQ(machine.disk.list("/runs/today").size(), 1) << "remains";
  machine.disk.restart(0);
  EXPECT_EQ(machine.generation(), 7);
}

struct PowerLoss : testing::TestWithParam<bool> {};  // whether the file system can exchange

TEST_P(PowerLoss, DuringAFirstSaveLeavesItOrNothing) {
  for (const bool use_ocdbt : {true, false}) {
    lose_power_at_each_change(
        GetParam(), [](Machine&) {}, [&](Machine& machine) { machine.save_generation(1, use_ocdbt); },
        [](Machine& machine, bool done) {
          const std::uint64_t left = machine.generation();
          EXPECT_TRUE(left == 1 || (left == 0 && !done)) << left;
          expect_the_next_save_works(machine);
        });
  }
}

TEST_P(PowerLoss, DuringAnOverwriteLeavesTheOldOrTheNew) {
  lose_power_at_each_change(
      GetParam(), [](Machine& machine) { machine.save_generation(1); }, [](Machine& machine) { machine.save_generation(2); },
      [](Machine& machine, bool done) {
        const std::uint64_t left = machine.generation();
        EXPECT_TRUE(left == 2 || (left == 1 && !done)) << left;
        expect_the_next_save_works(machine);
      });
}

TEST_P(PowerLoss, DuringADeletionLeavesAllOrNothing) {
  lose_power_at_each_change(
      GetParam(), [](Machine& machine) { machine.save_generation(1); },
      [](Machine& machine) { delete_checkpoint(kPath, machine.environment); },
      [](Machine& machine, bool done) {
        const std::uint64_t left = machine.generation();
        EXPECT_TRUE(left == 0 || (left == 1 && !done)) << left;
        expect_the_next_save_works(machine);
      });
}

TEST_P(PowerLoss, WhileAnOverwriteIsUndoneLeavesTheOldOne) {
  lose_power_at_each_change(
      GetParam(),
      [](Machine& machine) {
        machine.save_generation(1);
        machine.disk.rename(kPath, kPath + ".perdure-old");
        machine.disk.sync_directory("/runs/today");
      },
      [](Machine& machine) { machine.save_generation(2); },
      [](Machine& machine, bool done) {
        const std::uint64_t left = machine.generation();
        EXPECT_TRUE(left == 2 || (left == 1 && !done)) << left;
        expect_the_next_save_works(machine);
      });
}

INSTANTIATE_TEST_SUITE_P(Exchange, PowerLoss, testing::Values(true));
INSTANTIATE_TEST_SUITE_P(Renames, PowerLoss, testing::Values(false));

TEST(SimulatedDisk, LosesWhatWasNotSynced) {
  bool lost_content = false, lost_name = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SimulatedDisk disk;
    write_new_file(disk, "/a", as_bytes("new"));
    disk.restart(seed);
    lost_name |= !disk.find_info("/a", false);
    lost_content |= disk.find_info("/a", false) && read_file(disk, "/a", 10) != "new";
  }
  EXPECT_TRUE(lost_content && lost_name);
}

}  // namespace
}  // namespace perdure
