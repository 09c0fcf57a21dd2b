#include "perdure/checkpoint/verify/fault_log.h"

#include <algorithm>
#include <tuple>

namespace perdure::checkpoint {

void FaultLog::add(Fault fault) {
  const std::lock_guard lock(mutex_);
  report_.faults.push_back(std::move(fault));
}

void FaultLog::add_checked(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  report_.bytes_checked += bytes;
}

void FaultLog::add_error(Fault place, const Error& error) {
  place.what = error.message();
  for (const std::string& note : error.notes()) place.what += "; " + note;
  add(std::move(place));
}

VerifyReport FaultLog::take() {
  const std::lock_guard lock(mutex_);
  std::sort(report_.faults.begin(), report_.faults.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.file, a.offset, a.leaf, a.chunk, a.what) < std::tie(b.file, b.offset, b.leaf, b.chunk, b.what);
  });
  const auto repeated = std::unique(report_.faults.begin(), report_.faults.end());
  report_.faults.erase(repeated, report_.faults.end());
  return std::move(report_);
}

}  // namespace perdure::checkpoint
