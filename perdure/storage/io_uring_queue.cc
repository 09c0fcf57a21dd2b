// make_io_uring_queue of write_queue.h: the kernel writes, no thread of ours waits for it.
#include "perdure/storage/write_queue.h"

#ifdef PERDURE_HAS_IO_URING
#include <liburing.h>

#include <array>
#include <cerrno>
#include <deque>
#include <optional>
#include <vector>
#endif

namespace perdure::storage {

#ifdef PERDURE_HAS_IO_URING
namespace {

class IoUringQueue : public WriteQueue {
 public:
  IoUringQueue(const io_uring& ring, int fd) : ring_(ring), fd_(fd) {}
  IoUringQueue(const IoUringQueue&) = delete;
  IoUringQueue& operator=(const IoUringQueue&) = delete;
  ~IoUringQueue() override {
    while (in_flight_count() > 0) pop();  // the kernel reads their buffers
    ::io_uring_queue_exit(&ring_);
  }

  void push(Block block) override {
    if (submit_errno_ != 0) return refused_.push_back({std::move(block), 0, submit_errno_});
    std::size_t slot = 0;
    while (slots_[slot]) ++slot;
    slots_[slot] = {std::move(block), {}};
    std::vector<iovec>& vectors = slots_[slot]->vectors = slots_[slot]->block.iovecs();
    io_uring_sqe* sqe = ::io_uring_get_sqe(&ring_);
    ::io_uring_prep_writev(sqe, fd_, vectors.data(), static_cast<unsigned>(vectors.size()), slots_[slot]->block.offset);
    sqe->user_data = slot;
    const int submitted = retried([&] { return ::io_uring_submit(&ring_); });
    if (submitted == 1) {
      ++slots_used_;
    } else {
      submit_errno_ = submitted < 0 ? -submitted : EAGAIN;
      refused_.push_back({std::move(slots_[slot]->block), 0, submit_errno_});
      slots_[slot].reset();
    }
  }

  WriteResult pop() override {
    if (!refused_.empty()) {
      WriteResult result = std::move(refused_.front());
      refused_.pop_front();
      return result;
    }
    io_uring_cqe* cqe = nullptr;
    while (retried([&] { return ::io_uring_wait_cqe(&ring_, &cqe); }) != 0) continue;  // it is in flight: it will come
    const std::size_t slot = cqe->user_data;
    const int result = cqe->res;
    ::io_uring_cqe_seen(&ring_, cqe);
    Block block = std::move(slots_[slot]->block);
    slots_[slot].reset();
    --slots_used_;
    return result < 0 ? WriteResult{std::move(block), 0, -result}
                      : WriteResult{std::move(block), static_cast<std::size_t>(result)};
  }

  std::size_t in_flight_count() const override { return slots_used_ + refused_.size(); }

 private:
  template <class Call>
  static int retried(Call call) {
    int result;
    do result = call();
    while (result == -EINTR);
    return result;
  }

  struct InFlight {
    Block block;
    std::vector<iovec> vectors;  // of the block; the kernel reads them
  };

  io_uring ring_;
  const int fd_;
  std::array<std::optional<InFlight>, kInFlightMax> slots_;
  std::size_t slots_used_ = 0;
  int submit_errno_ = 0;  // once the ring has refused it still holds that entry, and is not used again
  std::deque<WriteResult> refused_;
};

}  // namespace

std::unique_ptr<WriteQueue> make_io_uring_queue(int fd) {
  io_uring ring;
  if (::io_uring_queue_init(8, &ring, 0) != 0) return nullptr;
  return std::make_unique<IoUringQueue>(ring, fd);
}

#else

std::unique_ptr<WriteQueue> make_io_uring_queue(int) { return nullptr; }

#endif

}  // namespace perdure::storage
