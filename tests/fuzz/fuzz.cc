#include "tests/fuzz/fuzz.h"

#include <cstdlib>
#include <iostream>

namespace perdure::fuzz {

void fuzz_check(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "fuzz_check failed: " << what << "\n";
  std::abort();
}

}  // namespace perdure::fuzz
