#pragma once
// A number for each axis of an array. Most arrays have few axes: up to four numbers lie in the object, so that 20,000 leaves with
// their boxes and views need no memory of their own.
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>

namespace perdure {

/// A value like a std::vector of fixed size. `T`: an integer.
template <class T>
class AxisValues {
 public:
  AxisValues() = default;
  AxisValues(std::initializer_list<T> values) : AxisValues(std::span<const T>(values.begin(), values.size())) {}
  explicit AxisValues(std::span<const T> values) : AxisValues(Uninitialized{}, values.size()) {
    std::copy(values.begin(), values.end(), data());
  }
  explicit AxisValues(std::size_t size, T value = {}) : AxisValues(Uninitialized{}, size) { std::fill_n(data(), size, value); }
  AxisValues(const AxisValues& other) : AxisValues(std::span<const T>(other.data(), other.size_)) {}
  AxisValues(AxisValues&& other) noexcept : size_(std::exchange(other.size_, 0)), place_(other.place_) {}
  AxisValues& operator=(AxisValues other) noexcept {
    std::swap(size_, other.size_);
    std::swap(place_, other.place_);
    return *this;
  }
  ~AxisValues() {
    if (!is_inside()) delete[] place_.outside;
  }

  std::size_t size() const { return size_; }
  T* data() { return is_inside() ? place_.inside : place_.outside; }
  const T* data() const { return is_inside() ? place_.inside : place_.outside; }
  T& operator[](std::size_t axis) { return data()[axis]; }
  const T& operator[](std::size_t axis) const { return data()[axis]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  bool operator==(const AxisValues& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

 private:
  static constexpr std::size_t kInsideMax = 4;
  struct Uninitialized {};
  union Place {
    T inside[kInsideMax];
    T* outside;
  };

  AxisValues(Uninitialized, std::size_t size) : size_(size) {
    if (!is_inside()) place_.outside = new T[size];
  }
  bool is_inside() const { return size_ <= kInsideMax; }

  std::size_t size_ = 0;
  Place place_ = {};
};

}  // namespace perdure
