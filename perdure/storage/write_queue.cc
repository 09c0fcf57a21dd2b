#include "perdure/storage/write_queue.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>

#include "perdure/base/error.h"

namespace perdure::storage {
namespace {

using WriteBlock = std::function<WriteResult(Block)>;

WriteBlock through_file(File& file) {
  return [&file](Block block) -> WriteResult {
    try {
      std::uint64_t offset = block.offset;
      for (const Block::Part& part : block.parts) {
        file.write_at(offset, part.bytes);
        offset += part.bytes.size();
      }
      return {block, block.size_bytes};
    } catch (...) {
      return {block, 0, 0, std::current_exception()};
    }
  };
}

WriteBlock through_descriptor(int fd) {
  return [fd](Block block) -> WriteResult {
    const std::vector<iovec> vectors = block.iovecs();
    const ssize_t put = ::pwritev(fd, vectors.data(), static_cast<int>(vectors.size()), static_cast<off_t>(block.offset));
    return put < 0 ? WriteResult{block, 0, errno} : WriteResult{block, static_cast<std::size_t>(put)};
  };
}

class InlineQueue : public WriteQueue {
 public:
  explicit InlineQueue(WriteBlock write) : write_(std::move(write)) {}
  void push(Block block) override { done_.push_back(write_(std::move(block))); }
  WriteResult pop() override {
    WriteResult result = std::move(done_.front());
    done_.pop_front();
    return result;
  }
  std::size_t in_flight_count() const override { return done_.size(); }

 private:
  const WriteBlock write_;
  std::deque<WriteResult> done_;
};

class ThreadQueue : public WriteQueue {
 public:
  explicit ThreadQueue(WriteBlock write) : write_(std::move(write)), thread_([this](std::stop_token stop) { work(stop); }) {}

  void push(Block block) override {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(block));
    }
    ++in_flight_count_;
    changed_.notify_all();
  }

  WriteResult pop() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !done_.empty(); });
    WriteResult result = std::move(done_.front());
    done_.pop_front();
    --in_flight_count_;
    return result;
  }

  std::size_t in_flight_count() const override { return in_flight_count_; }

 private:
  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return !waiting_.empty(); })) {
      Block block = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      WriteResult result = write_(std::move(block));
      lock.lock();
      done_.push_back(std::move(result));
      changed_.notify_all();
    }
  }

  const WriteBlock write_;
  std::size_t in_flight_count_ = 0;  // of the owner's thread
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Block> waiting_;     // guarded by mutex_
  std::deque<WriteResult> done_;  // guarded by mutex_
  std::jthread thread_;           // last, so that it is joined first
};

std::unique_ptr<WriteQueue> make_thread_queue(const WriteBlock& write) {
  try {
    return std::make_unique<ThreadQueue>(write);
  } catch (const std::system_error&) {
    return std::make_unique<InlineQueue>(write);  // no thread to be had
  }
}

}  // namespace

void Block::add(Part part) {
  size_bytes += part.bytes.size();
  parts.push_back(std::move(part));
}

Block Block::after(std::size_t written) const {
  Block rest{.parts = {}, .size_bytes = 0, .offset = offset + written};
  for (const Part& part : parts) {
    const std::size_t skipped = std::min(written, part.bytes.size());
    written -= skipped;
    if (skipped < part.bytes.size()) rest.add({part.bytes.subspan(skipped), part.owner});
  }
  return rest;
}

std::vector<iovec> Block::iovecs() const {
  std::vector<iovec> vectors;
  vectors.reserve(parts.size());
  for (const Part& part : parts) vectors.push_back({const_cast<std::byte*>(part.bytes.data()), part.bytes.size()});
  return vectors;
}

std::unique_ptr<WriteQueue> make_inline_queue(File& file) { return std::make_unique<InlineQueue>(through_file(file)); }
std::unique_ptr<WriteQueue> make_buffered_queue(File& file) { return make_thread_queue(through_file(file)); }
std::unique_ptr<WriteQueue> make_direct_queue(int fd) { return make_thread_queue(through_descriptor(fd)); }

}  // namespace perdure::storage
