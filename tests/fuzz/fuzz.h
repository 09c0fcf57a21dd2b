#pragma once
// What a fuzz target is: a decoder that must survive any bytes, and whose every accepted input must re-encode to the same value.
//
// To add one: a file x_fuzz.cc here that defines the two functions below. With clang and PERDURE_BUILD_FUZZERS it becomes
// the libFuzzer program fuzz_x; with any compiler driver.cc makes it the ctest fuzz.x, which runs the seeds, the files in
// corpus/x and a fixed number of seeded mutations of both.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Feeds one input. Errors of kind perdure::Error are answers and are caught inside; returns 0. Anything else that is
/// thrown, a crash, a sanitizer report or fuzz_check is a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Small valid inputs to start from; made by the encoder, so that they follow the format when it changes.
std::vector<std::string> seeds();

namespace perdure::fuzz {

/// Aborts with `what` unless `holds`. For properties: what was accepted must come back equal.
void fuzz_check(bool holds, const char* what);

}  // namespace perdure::fuzz
