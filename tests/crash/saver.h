#pragma once
// The process that is killed: saves generation after generation to one path, as fast as it can.
//
// It is this test's own executable, started anew, so that no thread or lock of the test is in it.
#include <cstdint>
#include <string>
#include <vector>

namespace perdure::test {

struct SaverOrders {
  std::string path = {};
  std::string progress_file = {};  // 8 bytes: the last generation whose save has returned
  std::uint64_t first_generation = 1;
  std::uint64_t killed_after_ns = 0;
  bool exchange_works = true;
};

/// Of the arrays that it saves.
inline const std::vector<std::uint64_t> kSaverSizes = {10, 1000, 100'000, 400'000};

/// Starts a saver and waits until it has been killed. Gives the last generation whose save returned, 0 for none.
std::uint64_t run_saver_until_killed(const SaverOrders& orders);

/// To be called by main: does not return in a process that was started as a saver.
void become_saver_if_asked(int argc, char** argv);

}  // namespace perdure::test
