// SIGKILL at any moment of saves, overwrites and clean-ups: one whole checkpoint is there afterwards, never an older one than the
// last whose save returned, and what the dead left behind is gone after the next save.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"
#include "perdure/checkpoint/verify.h"
#include "tests/crash/generations.h"
#include "tests/crash/saver.h"
#include "tests/support/temporary_directory.h"

namespace perdure {
namespace {

using test::generation_of;
using test::names_in;
using test::SaverOrders;
using test::state_of;
using test::TemporaryDirectory;
using testing::ElementsAre;

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::stoull(text) : otherwise;
}

std::uint64_t kill_count() { return number_from_environment("PERDURE_KILLS", 210); }

std::uint64_t generation_at(const std::string& path) {
  const std::uint64_t generation = generation_of(load_tree(path));
  EXPECT_TRUE(verify(path).ok());
  return generation;
}

/// How long a kill may wait: about two saves of this machine now.
std::uint64_t two_saves_ns(const std::string& path) {
  SaveOptions options;
  options.overwrite = true;
  const auto begin = std::chrono::steady_clock::now();
  save(path, state_of(1, test::kSaverSizes), options);
  save(path, state_of(1, test::kSaverSizes), options);
  return static_cast<std::uint64_t>((std::chrono::steady_clock::now() - begin).count());
}

void overwrite_and_kill(bool exchange_works, std::uint64_t kills) {
  const std::uint64_t seed = number_from_environment("PERDURE_SEED", 1);
  std::mt19937_64 random(seed);
  TemporaryDirectory dir;
  const std::uint64_t span_ns = two_saves_ns(dir / "c") + 20'000'000;  // and the start of a process
  std::uint64_t last = 1;
  for (std::uint64_t kill = 0; kill < kills && !testing::Test::HasFailure(); ++kill) {
    SCOPED_TRACE("PERDURE_SEED=" + std::to_string(seed) + ", kill " + std::to_string(kill));
    SaverOrders orders{.path = dir / "c",
                       .progress_file = dir / "progress",
                       .first_generation = last + 1,
                       .killed_after_ns = random() % span_ns,
                       .exchange_works = exchange_works};
    const std::uint64_t returned = std::max(test::run_saver_until_killed(orders), last);
    last = generation_at(dir / "c");
    EXPECT_GE(last, returned) << "a save that had returned is lost";
    EXPECT_LE(last, returned + 1);
    EXPECT_LE(names_in(dir.path()).size(), 5) << "leftovers pile up";
  }
  two_saves_ns(dir / "c");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c", "progress"));
}

TEST(Kill, DuringOverwritesLeavesOneWholeCheckpoint) { overwrite_and_kill(true, kill_count() / 3); }
TEST(Kill, DuringOverwritesWithoutExchangeLeavesOneWholeCheckpoint) { overwrite_and_kill(false, kill_count() / 3); }

TEST(Kill, DuringAFirstSaveLeavesAWholeCheckpointOrNone) {
  const std::uint64_t seed = number_from_environment("PERDURE_SEED", 1);
  std::mt19937_64 random(seed);
  TemporaryDirectory dir;
  const std::uint64_t span_ns = two_saves_ns(dir / "c") / 2;
  for (std::uint64_t kill = 0; kill < kill_count() / 3 && !HasFailure(); ++kill) {
    SCOPED_TRACE("PERDURE_SEED=" + std::to_string(seed) + ", kill " + std::to_string(kill));
    remove_tree(posix_file_system(), dir / "c");
    SaverOrders orders{.path = dir / "c", .progress_file = dir / "progress", .killed_after_ns = random() % span_ns};
    const std::uint64_t returned = test::run_saver_until_killed(orders);
    if (!posix_file_system().find_info(dir / "c")) {
      EXPECT_EQ(returned, 0) << "a save that had returned is lost";
      continue;
    }
    EXPECT_GE(generation_at(dir / "c"), std::max<std::uint64_t>(returned, 1));
  }
  two_saves_ns(dir / "c");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c", "progress"));
}

}  // namespace
}  // namespace perdure

int main(int argc, char** argv) {
  perdure::test::become_saver_if_asked(argc, argv);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
