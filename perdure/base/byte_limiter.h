#pragma once
// Bounds the bytes in flight, not the threads.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

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

  // For those who may not block. Whoever was granted bytes gives them back with release().

  using Ticket = std::uint64_t;
  /// Takes the bytes at once (nullopt), or queues: `granted` is then called once they are taken, by the thread that gave bytes
  /// back, without a lock of ours. It must not throw. Errors as of acquire().
  std::optional<Ticket> request(std::uint64_t bytes, std::function<void()> granted);
  /// Leaves the queue. False: too late, the bytes are taken.
  bool cancel(Ticket ticket);
  /// Throws kInvalid if fewer are in flight.
  void release(std::uint64_t bytes);

  std::uint64_t bytes_max() const { return bytes_max_; }
  std::uint64_t bytes_in_flight() const;
  std::size_t waiting_count() const;

 private:
  struct Waiter {
    Ticket ticket;
    std::uint64_t bytes;
    std::function<void()> granted;  // empty: a thread blocked in acquire()
  };
  void check_can_fit(std::uint64_t bytes) const;
  bool fits(std::uint64_t bytes) const { return bytes <= bytes_max_ - in_flight_; }
  Ticket enqueue(std::uint64_t bytes, std::function<void()> granted);
  void serve(std::unique_lock<std::mutex> lock);

  const std::uint64_t bytes_max_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t in_flight_ = 0;  // guarded by mutex_
  std::deque<Waiter> waiting_;   // guarded by mutex_: in order of arrival
  Ticket next_ticket_ = 0;       // guarded by mutex_
};

}  // namespace perdure
