// Does not compile: the error says what is missing.
#include <perdure/perdure.h>

namespace trainer {
struct Undescribed {};
}  // namespace trainer

void save(const std::vector<trainer::Undescribed>& state) { perdure::save("step_1", state); }
