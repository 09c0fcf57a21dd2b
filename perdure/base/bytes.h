#pragma once
// Who owns bytes. A view is borrowed for the call; a Blob is kept.
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure {

using ByteView = std::span<const std::byte>;  // borrowed for the call
using ByteSpan = std::span<std::byte>;        // borrowed, to be filled

inline ByteView as_bytes(std::string_view text) { return {reinterpret_cast<const std::byte*>(text.data()), text.size()}; }
inline std::string_view as_text(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Shared and immutable bytes: a slice of a mapping, of a pooled buffer, of a Python buffer.
/// Copies share the memory, which lives as long as the last of them. Any thread may use any copy.
class Blob {
 public:
  Blob() = default;
  Blob(ByteView view, std::shared_ptr<const void> owner) : view_(view), owner_(std::move(owner)) {}

  static Blob from(std::string text) {
    auto owner = std::make_shared<const std::string>(std::move(text));
    return Blob(as_bytes(*owner), owner);
  }
  static Blob from(std::vector<std::byte> bytes) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return Blob(ByteView(*owner), owner);
  }

  ByteView view() const { return view_; }
  operator ByteView() const { return view_; }  // NOLINT: a Blob reads wherever a view does
  const std::byte* data() const { return view_.data(); }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  std::string_view text() const { return as_text(view_); }
  const std::shared_ptr<const void>& owner() const { return owner_; }

  /// The bytes [offset, offset + size), sharing the memory. Must lie inside.
  Blob slice(std::size_t offset, std::size_t size) const { return Blob(view_.subspan(offset, size), owner_); }

 private:
  ByteView view_;
  std::shared_ptr<const void> owner_;
};

}  // namespace perdure
