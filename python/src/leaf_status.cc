#include "python/src/leaf_status.h"

#include <nanobind/stl/string.h>

#include <array>
#include <string>
#include <utility>

#include "perdure/base/error.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

constexpr std::array kEventNames = {"on_transfer_start", "on_transfer_end", "on_write_start", "on_write_end"};

class PythonStatusSink final : public LeafStatusSink {
 public:
  PythonStatusSink(const nb::object& callback, std::vector<nb::object> key_paths) : key_paths_(std::move(key_paths)) {
    for (std::size_t i = 0; i < kEventNames.size(); ++i) events_[i] = nb::getattr(callback, kEventNames[i], nb::none());
  }

  void on_transfer_start(std::uint32_t leaf_index) override { tell(0, leaf_index); }
  void on_transfer_end(std::uint32_t leaf_index) override { tell(1, leaf_index); }
  void on_write_start(std::uint32_t leaf_index) override { tell(2, leaf_index); }
  void on_write_end(std::uint32_t leaf_index) override { tell(3, leaf_index); }

 private:
  void tell(std::size_t event, std::uint32_t leaf_index) {
    const nb::gil_scoped_acquire gil;
    if (!events_[event].is_none()) events_[event](key_paths_[leaf_index]);
  }

  std::vector<nb::object> key_paths_;
  std::array<nb::object, kEventNames.size()> events_;
};

}  // namespace

std::shared_ptr<LeafStatusSink> make_status_sink(nb::object callback, std::vector<nb::object> key_paths) {
  auto* const sink = new PythonStatusSink(callback, std::move(key_paths));
  return std::shared_ptr<LeafStatusSink>(sink, [](PythonStatusSink* last) {
    const nb::gil_scoped_acquire gil;
    delete last;
  });
}

TransferPriority read_priority(nb::handle priority, const std::string& key) {
  int number = -1;
  const nb::object value = nb::getattr(priority, "value", nb::none());
  if (nb::try_cast(value, number) && number >= 0 && number <= static_cast<int>(TransferPriority::kDeprioritized)) {
    return static_cast<TransferPriority>(number);
  }
  throw Error(ErrorKind::kInvalid, "the transfer priority of '" + key + "' is " + nb::cast<std::string>(nb::str(priority)));
}

}  // namespace perdure::python
