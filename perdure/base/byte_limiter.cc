#include "perdure/base/byte_limiter.h"

#include <cassert>
#include <string>
#include <utility>

#include "perdure/base/error.h"

namespace perdure {

ByteLimiter::ByteLimiter(std::uint64_t bytes_max) : bytes_max_(bytes_max) {
  if (bytes_max == 0) throw Error(ErrorKind::kInvalid, "a byte limit must be positive");
}

ByteLimiter::Permit ByteLimiter::acquire(std::uint64_t bytes) {
  if (bytes > bytes_max_) {
    throw Error(ErrorKind::kInvalid,
                "cannot have " + std::to_string(bytes) + " bytes in flight: the limit is " + std::to_string(bytes_max_));
  }
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = next_ticket_++;
  waiting_.push_back(ticket);
  changed_.wait(lock, [&] { return waiting_.front() == ticket && bytes <= bytes_max_ - in_flight_; });
  waiting_.pop_front();
  in_flight_ += bytes;
  lock.unlock();
  changed_.notify_all();  // the next in line may fit as well
  return Permit(this, bytes);
}

void ByteLimiter::release(std::uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    assert(bytes <= in_flight_);
    in_flight_ -= bytes;
  }
  changed_.notify_all();
}

std::uint64_t ByteLimiter::bytes_in_flight() const {
  const std::lock_guard lock(mutex_);
  return in_flight_;
}

std::size_t ByteLimiter::waiting_count() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

ByteLimiter::Permit::Permit(Permit&& other) noexcept
    : limiter_(std::exchange(other.limiter_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

ByteLimiter::Permit& ByteLimiter::Permit::operator=(Permit&& other) noexcept {
  if (this != &other) {
    release();
    limiter_ = std::exchange(other.limiter_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

void ByteLimiter::Permit::release() {
  if (ByteLimiter* limiter = std::exchange(limiter_, nullptr)) limiter->release(bytes_);
}

}  // namespace perdure
