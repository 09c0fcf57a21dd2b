#pragma once
// Bounds the bytes in flight, not the threads.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

namespace perdure {

/// Any thread may call any member. Waiters are served first come, first served, so a large one is never starved.
class ByteLimiter {
 public:
  /// `bytes_max` > 0.
  explicit ByteLimiter(std::uint64_t bytes_max);

  /// Gives its bytes back when it goes.
  class Permit {
   public:
    Permit() = default;
    Permit(ByteLimiter* limiter, std::uint64_t bytes) : limiter_(limiter), bytes_(bytes) {}
    Permit(Permit&& other) noexcept;
    Permit& operator=(Permit&& other) noexcept;
    ~Permit() { release(); }
    void release();

   private:
    ByteLimiter* limiter_ = nullptr;
    std::uint64_t bytes_ = 0;
  };

  /// Blocks until `bytes` fit. More than bytes_max() at once throws kInvalid.
  Permit acquire(std::uint64_t bytes);
  std::uint64_t bytes_max() const { return bytes_max_; }
  std::uint64_t bytes_in_flight() const;
  std::size_t waiting_count() const;  // threads blocked in acquire()

 private:
  void release(std::uint64_t bytes);
  const std::uint64_t bytes_max_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t in_flight_ = 0;        // guarded by mutex_
  std::deque<std::uint64_t> waiting_;  // guarded by mutex_: tickets in order of arrival
  std::uint64_t next_ticket_ = 0;      // guarded by mutex_
};

}  // namespace perdure
