// GB/s of a durable data file from memory that is not aligned, checksummed on the way, and its ratio to the limit measured in the
// same run: the same size written by io_uring with O_DIRECT from aligned memory into reserved blocks, not checksummed, then synced.
//
//   data_file_writer_bench DIRECTORY [MB] [ROUNDS]
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

std::string write_data_file(const std::string& path, ByteView bytes) {
  const auto writer = storage::create_data_file(posix_file_system(), path, {.size_hint_bytes = bytes.size()});
  for (std::size_t offset = 0; offset < bytes.size();) {
    const std::size_t size = std::min<std::size_t>(bytes.size() - offset, 5'000'000);  // leaves of about 5 MB
    writer->append(bytes.subspan(offset, size));
    offset += size;
  }
  writer->finish();
  return std::string(writer->statistics().path);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: data_file_writer_bench DIRECTORY [MB] [ROUNDS]\n"), 2;
  const std::size_t size = (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1500) * 1'000'000 / kBlock * kBlock;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 7;
  const std::string path = join_path(argv[1], "data_file_writer_bench.data");
  const auto memory = allocate_result(size + 16);
  for (std::size_t i = 0; i < size + 16; ++i) memory.get()[i] = static_cast<std::byte>(i * 2654435761 >> 13);
  const ByteView bytes{memory.get() + 16, size};  // where NumPy puts an array in its page

  std::vector<double> limit_seconds, seconds, cpu, ratios;
  std::string way;
  for (int round = 0; round < rounds; ++round) {
    const Cost limit = cost_of([&] { write_at_the_limit(path, memory.get(), size); });
    ::unlink(path.c_str());
    const Cost ours = cost_of([&] { way = write_data_file(path, bytes); });
    ::unlink(path.c_str());
    limit_seconds.push_back(limit.seconds);
    seconds.push_back(ours.seconds);
    cpu.push_back(ours.cpu_seconds);
    ratios.push_back(limit.seconds / ours.seconds);
  }
  const double gigabytes = static_cast<double>(size) * 1e-9;
  std::printf("%.2f GB, %s: %.2f GB/s, %.2f s CPU; limit %.2f GB/s; ratio %.2f (median of %d rounds)\n", gigabytes, way.c_str(),
              gigabytes / median(seconds), median(cpu), gigabytes / median(limit_seconds), median(ratios), rounds);
}
