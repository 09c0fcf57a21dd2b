#include "perdure/recipe/timestamp.h"

#include <ctime>

namespace perdure::recipe {

std::string timestamp_now(Clock& clock) {
  const std::uint64_t now_us = clock.now_ns() / 1000;
  const auto seconds = static_cast<std::time_t>(now_us / 1'000'000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[40];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  const std::string fraction = std::to_string(1'000'000 + now_us % 1'000'000).substr(1);
  return std::string(text, size) + "." + fraction + "+00:00";
}

}  // namespace perdure::recipe
