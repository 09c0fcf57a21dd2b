#include "perdure/base/byte_limiter.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "perdure/base/error.h"

namespace perdure {

ByteLimiter::ByteLimiter(std::uint64_t bytes_max) : bytes_max_(bytes_max) {
  if (bytes_max == 0) throw Error(ErrorKind::kInvalid, "a byte limit must be positive");
}

void ByteLimiter::check_can_fit(std::uint64_t bytes) const {
  if (bytes > bytes_max_) {
    throw Error(ErrorKind::kInvalid,
                "cannot have " + std::to_string(bytes) + " bytes in flight: the limit is " + std::to_string(bytes_max_));
  }
}

ByteLimiter::Permit ByteLimiter::acquire(std::uint64_t bytes) {
  check_can_fit(bytes);
  std::unique_lock lock(mutex_);
  if (!waiting_.empty() || !fits(bytes)) {
    const Ticket ticket = enqueue(bytes, {});
    changed_.wait(lock, [&] { return waiting_.empty() || waiting_.front().ticket > ticket; });
  } else {
    in_flight_ += bytes;
  }
  return Permit(this, bytes);
}

std::optional<ByteLimiter::Ticket> ByteLimiter::request(std::uint64_t bytes, std::function<void()> granted) {
  check_can_fit(bytes);
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty() || !fits(bytes)) return enqueue(bytes, std::move(granted));
  in_flight_ += bytes;
  return std::nullopt;
}

ByteLimiter::Ticket ByteLimiter::enqueue(std::uint64_t bytes, std::function<void()> granted) {
  waiting_.push_back({next_ticket_, bytes, std::move(granted)});
  return next_ticket_++;
}

bool ByteLimiter::cancel(Ticket ticket) {
  std::function<void()> dropped;  // what it holds may take other locks when it goes
  std::unique_lock lock(mutex_);
  const auto found = std::ranges::find(waiting_, ticket, &Waiter::ticket);
  if (found == waiting_.end()) return false;
  dropped = std::move(found->granted);
  waiting_.erase(found);
  serve(std::move(lock));
  return true;
}

void ByteLimiter::release(std::uint64_t bytes) {
  std::unique_lock lock(mutex_);
  if (bytes > in_flight_) {
    throw Error(ErrorKind::kInvalid,
                "cannot give back " + std::to_string(bytes) + " bytes: " + std::to_string(in_flight_) + " are in flight");
  }
  in_flight_ -= bytes;
  serve(std::move(lock));
}

/// Takes the bytes of all who are next and fit, then tells them.
void ByteLimiter::serve(std::unique_lock<std::mutex> lock) {
  std::vector<std::function<void()>> granted;
  while (!waiting_.empty() && fits(waiting_.front().bytes)) {
    in_flight_ += waiting_.front().bytes;
    if (waiting_.front().granted) granted.push_back(std::move(waiting_.front().granted));
    waiting_.pop_front();
  }
  lock.unlock();
  changed_.notify_all();
  for (const auto& tell : granted) tell();
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
