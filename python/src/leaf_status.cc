#include "python/src/leaf_status.h"

#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "perdure/base/error.h"
#include "python/src/convert.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

class PythonStatusSink final : public LeafStatusSink {
 public:
  explicit PythonStatusSink(std::vector<LeafStatus> leaves) : leaves_(std::move(leaves)) {}

  void on_transfer_start(std::uint32_t leaf_index) override { tell("on_transfer_start", leaf_index); }
  void on_transfer_end(std::uint32_t leaf_index) override { tell("on_transfer_end", leaf_index); }
  void on_write_start(std::uint32_t leaf_index) override { tell("on_write_start", leaf_index); }
  void on_write_end(std::uint32_t leaf_index) override { tell("on_write_end", leaf_index); }

 private:
  void tell(const char* event, std::uint32_t leaf_index) {
    const LeafStatus& leaf = leaves_[leaf_index];
    const GilAcquire gil;
    if (!leaf.callback.is_valid() || leaf.callback.is_none()) return;
    const nb::object told = nb::getattr(leaf.callback, event, nb::none());
    if (!told.is_none()) told(leaf.key_path);
  }

  std::vector<LeafStatus> leaves_;
};

}  // namespace

std::shared_ptr<LeafStatusSink> make_status_sink(std::vector<LeafStatus> leaves) {
  auto* const sink = new PythonStatusSink(std::move(leaves));
  return std::shared_ptr<LeafStatusSink>(sink, [](PythonStatusSink* last) {
    const GilAcquire gil;
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
