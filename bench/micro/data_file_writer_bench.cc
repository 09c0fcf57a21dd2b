// GB/s of a durable data file from memory that is not aligned, checksummed on the way: copied into write buffers, written from in
// place, and from in place through the page cache. With the ratio to the limit measured in the same run: the same size written by
// io_uring with O_DIRECT from aligned memory into reserved blocks, not checksummed, then synced.
//
//   data_file_writer_bench DIRECTORY [MB] [ROUNDS] [LEAF_KB]
#include <fcntl.h>
#include <liburing.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "perdure/base/buffer_pool.h"
#include "perdure/base/error.h"
#include "perdure/storage/data_file_writer.h"

namespace {

using namespace perdure;

constexpr std::size_t kBlock = 8 << 20;
constexpr unsigned kDepth = 8;

double cpu_seconds() {
  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Cost {
  double seconds = 0;
  double cpu_seconds = 0;
};

template <class Body>
Cost cost_of(Body body) {
  const double cpu = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  body();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), cpu_seconds() - cpu};
}

void require(bool condition, const char* what) {
  if (condition) return;
  std::perror(what);
  std::exit(1);
}

void wait_for_one(io_uring& ring) {
  io_uring_cqe* cqe = nullptr;
  require(::io_uring_wait_cqe(&ring, &cqe) == 0 && cqe->res == static_cast<int>(kBlock), "write");
  ::io_uring_cqe_seen(&ring, cqe);
}

void write_at_the_limit(const std::string& path, const std::byte* aligned, std::size_t size) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_DIRECT | O_CLOEXEC, 0666);
  require(fd >= 0, "open");
  require(::fallocate(fd, 0, 0, static_cast<off_t>(size)) == 0, "fallocate");
  io_uring ring;
  require(::io_uring_queue_init(kDepth, &ring, 0) == 0, "io_uring_queue_init");
  unsigned in_flight = 0;
  for (std::size_t offset = 0; offset < size; offset += kBlock) {
    if (in_flight == kDepth) wait_for_one(ring), --in_flight;
    ::io_uring_prep_write(::io_uring_get_sqe(&ring), fd, aligned + offset, kBlock, offset);
    require(::io_uring_submit(&ring) == 1, "io_uring_submit");
    ++in_flight;
  }
  while (in_flight-- > 0) wait_for_one(ring);
  ::io_uring_queue_exit(&ring);
  require(::fdatasync(fd) == 0, "fdatasync");
  ::close(fd);
}

struct Mode {
  const char* name;
  bool in_place;
  bool direct;
};
constexpr Mode kModes[] = {{"copied", false, true}, {"in place", true, true}, {"in place, page cache", true, false}};

std::string write_data_file(const std::string& path, ByteView bytes, std::size_t leaf_bytes, const Mode& mode) {
  const auto writer = storage::create_data_file(
      posix_file_system(), path, {.size_hint_bytes = bytes.size(), .direct = mode.direct, .io_uring = mode.direct});
  for (std::size_t offset = 0; offset < bytes.size(); offset += leaf_bytes) {
    const ByteView leaf = bytes.subspan(offset, std::min(bytes.size() - offset, leaf_bytes));
    if (mode.in_place) {
      writer->align(storage::kDiskBlockBytes, reinterpret_cast<std::uintptr_t>(leaf.data()) % storage::kDiskBlockBytes);
      writer->append_in_place(leaf);
    } else {
      writer->append(leaf);
    }
  }
  writer->finish();
  return std::string(writer->statistics().path);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Series {
  std::vector<double> seconds, cpu, ratios;
  std::string way;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: data_file_writer_bench DIRECTORY [MB] [ROUNDS] [LEAF_KB]\n"), 2;
  const std::size_t size = (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1500) * 1'000'000 / kBlock * kBlock;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 7;
  const std::size_t leaf_bytes = (argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 5000) * 1000;
  const std::string path = join_path(argv[1], "data_file_writer_bench.data");
  const auto memory = allocate_result(size + 64);
  for (std::size_t i = 0; i < size + 64; ++i) memory.get()[i] = static_cast<std::byte>(i * 2654435761 >> 13);
  const ByteView bytes{memory.get() + 64, size};  // where NumPy, torch and XLA put large arrays, or near it

  std::vector<double> limit_seconds;
  Series series[std::size(kModes)];
  for (int round = 0; round < rounds; ++round) {
    const Cost limit = cost_of([&] { write_at_the_limit(path, memory.get(), size); });
    limit_seconds.push_back(limit.seconds);
    ::unlink(path.c_str());
    for (std::size_t i = 0; i < std::size(kModes); ++i) {
      const Cost ours = cost_of([&] { series[i].way = write_data_file(path, bytes, leaf_bytes, kModes[i]); });
      ::unlink(path.c_str());
      series[i].seconds.push_back(ours.seconds);
      series[i].cpu.push_back(ours.cpu_seconds);
      series[i].ratios.push_back(limit.seconds / ours.seconds);
    }
  }
  const double gigabytes = static_cast<double>(size) * 1e-9;
  std::printf("%.2f GB in leaves of %zu kB, limit %.2f GB/s (medians of %d rounds)\n", gigabytes, leaf_bytes / 1000,
              gigabytes / median(limit_seconds), rounds);
  for (std::size_t i = 0; i < std::size(kModes); ++i) {
    std::printf("%s, %s: %.2f GB/s, %.2f s CPU, ratio %.2f\n", kModes[i].name, series[i].way.c_str(),
                gigabytes / median(series[i].seconds), median(series[i].cpu), median(series[i].ratios));
  }
}
