// GB/s of strided copies into C order, as a writer makes them: in steps, into memory that is there. Beside them the same bytes
// with memcpy.
//
//   array_copy_bench [STEP_KB]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "perdure/base/array_view.h"
#include "perdure/base/buffer_pool.h"

namespace {

using namespace perdure;

constexpr int kRounds = 5;

template <class Body>
double best_seconds(Body body) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    body();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

/// `shape` and `order` (axes of the memory, outermost first) give the strides.
struct Case {
  const char* name;
  DType dtype;
  Shape shape;
  std::vector<std::size_t> order;
};

ArrayView view_of(const Case& each, const std::byte* memory) {
  ArrayView view{memory, each.dtype, each.shape, Strides(each.shape.rank())};
  auto stride = static_cast<std::int64_t>(itemsize(each.dtype));
  for (std::size_t i = each.order.size(); i-- > 0;) {
    view.strides[each.order[i]] = stride;
    stride *= static_cast<std::int64_t>(each.shape[each.order[i]]);
  }
  return view;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t step = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 8192) << 10;
  const Case cases[] = {
      {"float32 4096 x 4096, F order", DType::kFloat32, {4096, 4096}, {1, 0}},
      {"float32 3000 x 5000, F order", DType::kFloat32, {3000, 5000}, {1, 0}},
      {"float32 64 x 500000, F order", DType::kFloat32, {64, 500'000}, {1, 0}},
      {"bfloat16 8192 x 4096, F order", DType::kBfloat16, {8192, 4096}, {1, 0}},
      {"uint8 8192 x 8192, F order", DType::kUint8, {8192, 8192}, {1, 0}},
      {"float64 2048 x 4096, F order", DType::kFloat64, {2048, 4096}, {1, 0}},
      {"float32 256 x 64 x 32 x 32, NHWC as NCHW", DType::kFloat32, {256, 64, 32, 32}, {0, 2, 3, 1}},
      {"float32 512 x 512 x 64, axes 0 and 1 swapped", DType::kFloat32, {512, 512, 64}, {1, 0, 2}},
  };
  const std::size_t size_max = 128 << 20;
  const auto source = allocate_result(size_max), target = allocate_result(size_max);
  std::memset(source.get(), 1, size_max);
  std::memset(target.get(), 1, size_max);
  for (const Case& each : cases) {
    const ArrayView view = view_of(each, source.get());
    const std::uint64_t size = view.size_bytes();
    const double seconds = best_seconds([&] {
      for (std::uint64_t at = 0; at < size; at += step)
        gather_bytes(view, at, {target.get() + at, std::min<std::uint64_t>(step, size - at)});
    });
    const double plain = best_seconds([&] { std::memcpy(target.get(), source.get(), size); });
    const double gigabytes = static_cast<double>(size) * 1e-9;
    std::printf("%-46s %5.2f GB/s (memcpy %.1f)\n", each.name, gigabytes / seconds, gigabytes / plain);
  }
}
