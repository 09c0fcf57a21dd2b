#include "python/src/transfer_arguments.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>

#include "perdure/base/error.h"
#include "python/src/convert.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

bool is_told(const LeafStatus& leaf) { return leaf.callback.is_valid() && !leaf.callback.is_none(); }

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
    if (!is_told(leaf)) return;
    const nb::object told = nb::getattr(leaf.callback, event, nb::none());
    if (!told.is_none()) told(leaf.key_path);
  }

  std::vector<LeafStatus> leaves_;
};

}  // namespace

TransferOptions transfer_options(TransferArguments arguments) {
  TransferOptions options{.priorities = std::move(arguments.priorities), .status = nullptr};
  if (arguments.bytes_max) options.bytes_max = *arguments.bytes_max;
  options.write_limiter = std::move(arguments.write_limiter);
  if (std::ranges::none_of(arguments.told, is_told)) return options;
  options.status = {new PythonStatusSink(std::move(arguments.told)), [](PythonStatusSink* last) {
                      const GilAcquire gil;
                      delete last;
                    }};
  return options;
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
