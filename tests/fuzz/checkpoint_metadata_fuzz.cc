// _CHECKPOINT_METADATA.
#include "perdure/base/error.h"
#include "perdure/checkpoint/orbax/checkpoint_metadata.h"
#include "tests/fuzz/fuzz.h"

using namespace perdure;
using namespace perdure::checkpoint;

namespace {

bool same(const CheckpointMetadata& a, const CheckpointMetadata& b) {
  return a.item_handlers == b.item_handlers && a.metrics == b.metrics && a.custom_metadata == b.custom_metadata &&
         a.init_timestamp_ns == b.init_timestamp_ns && a.commit_timestamp_ns == b.commit_timestamp_ns;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const CheckpointMetadata metadata = parse_checkpoint_metadata({reinterpret_cast<const char*>(data), size});
    fuzz::fuzz_check(same(parse_checkpoint_metadata(encode_checkpoint_metadata(metadata)), metadata),
                     "_CHECKPOINT_METADATA did not come back equal");
  } catch (const Error& error) {
    fuzz::fuzz_check(error.kind() == ErrorKind::kCorrupt, "an error that is not kCorrupt");
  }
  return 0;
}

std::vector<std::string> seeds() {
  CheckpointMetadata v1;
  v1.item_handlers = {{"state", "orbax.checkpoint._src.handlers.pytree_checkpoint_handler.PyTreeCheckpointHandler"},
                      {"data", "json"}};
  v1.custom_metadata = json::parse(R"({"step": 7, "name": "run"})");
  v1.init_timestamp_ns = 1'700'000'000'000'000'000;
  v1.commit_timestamp_ns = 1'700'000'000'000'000'001;
  CheckpointMetadata flat;
  flat.item_handlers = {{"", "handler"}};
  flat.metrics = json::parse(R"({"loss": NaN})");
  return {encode_checkpoint_metadata(v1), encode_checkpoint_metadata(flat),
          R"({"item_handlers": "handler", "metrics": null, "performance_metrics": {}, "custom_metadata": null, "unknown": [1]})"};
}
