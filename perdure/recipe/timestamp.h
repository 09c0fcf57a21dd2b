#pragma once
// When a recipe was made.
#include <string>

#include "perdure/base/clock.h"

namespace perdure::recipe {

/// "2026-01-01T00:00:00.000001+00:00": ISO 8601, UTC, microseconds.
std::string timestamp_now(Clock& clock);

}  // namespace perdure::recipe
