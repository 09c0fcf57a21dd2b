#pragma once
// Background saves that failed and that nobody has asked about. A program must not end as if they had succeeded: at exit there is
// a line on stderr for each, and an exit status of 0 becomes 1.
#include <cstddef>
#include <cstdint>
#include <string>

namespace perdure::checkpoint {

/// Makes the exit handler known. Before the first background save starts: handlers run in reverse order.
void watch_for_unasked_failures();

/// Gives the number by which to forget it. Any thread.
std::uint64_t add_unasked_failure(const std::string& path, const std::string& what);
void forget_unasked_failure(std::uint64_t number);

/// Writes a line to stderr for each that was not reported yet. Whether there has been one.
bool report_unasked_failures();

}  // namespace perdure::checkpoint
