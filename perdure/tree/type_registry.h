#pragma once
// Which handler a type has: its own, or that of its nearest base. One rule for Python classes and C++ types.
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>

namespace perdure::tree {

/// A type of the host: a Python class, or a C++ type's description. Never destroyed while it is registered.
using TypeRef = const void*;

/// Any thread may call any member.
template <class Handler>
class TypeRegistry {
 public:
  using Found = std::shared_ptr<const Handler>;

  /// Replaces what the type had, and returns that: it may run code when it dies, which is the caller's to time.
  Found set(TypeRef type, Handler handler) {
    auto made = std::make_shared<const Handler>(std::move(handler));
    const std::lock_guard lock(mutex_);
    ++generation_;
    return std::exchange(handlers_[type], std::move(made));
  }

  /// Of exactly that type; null if it has none.
  Found find(TypeRef type) const {
    const std::lock_guard lock(mutex_);
    const auto found = handlers_.find(type);
    return found == handlers_.end() ? nullptr : found->second;
  }

  /// `order`: the type and its bases, nearest first, as Python's C3 puts them.
  Found resolve(std::span<const TypeRef> order) const {
    for (const TypeRef type : order) {
      if (Found found = find(type)) return found;
    }
    return nullptr;
  }

  /// Changes with every set(): what was resolved before may be out of date.
  std::uint64_t generation() const { return generation_; }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<TypeRef, Found> handlers_;  // guarded by mutex_
  std::atomic<std::uint64_t> generation_{0};
};

}  // namespace perdure::tree
