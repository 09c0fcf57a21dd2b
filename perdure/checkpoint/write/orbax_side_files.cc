#include "perdure/checkpoint/write/orbax_side_files.h"

#include "perdure/base/base64.h"
#include "perdure/base/json.h"
#include "perdure/base/origin.h"

namespace perdure::checkpoint {
namespace {

constexpr std::string_view kFirstDevice = R"({"sharding_type": "SingleDeviceSharding", "device_str": "cpu:0"})";

}  // namespace

std::string encode_shardings(const std::vector<PlannedArray>& arrays) {
  std::string out = "{";
  for (const PlannedArray& array : arrays) {
    if (!array.is_jax) continue;
    if (out.size() > 1) out += ',';
    json::append_quoted(out, to_base64_url(as_bytes(array.name)));
    out += ':';
    const std::string_view sharding = array.sharding.empty() ? kFirstDevice : std::string_view(array.sharding);
    json::append_quoted(out, sharding);  // JSON inside a string, as Orbax has it
  }
  return out += '}';
}

std::string encode_array_metadatas(const SavePlan& plan) {
  std::string out = R"({"array_metadatas":[)";
  bool is_first = true;
  for (const PlannedArray& array : plan.arrays) {
    if (!array.is_jax) continue;
    out += is_first ? R"({"array_metadata":{"param_name":)" : R"(,{"array_metadata":{"param_name":)";
    is_first = false;
    json::append_quoted(out, array.name);
    json::append_numbers(out += R"(,"write_shape":)", array.metadata.chunk_shape.dims());
    json::append_numbers(out += R"(,"chunk_shape":)", array.metadata.chunk_shape.dims());
    out += R"(,"ext_metadata":)";
    if (const auto impl = random_key_impl(std::get<StoredArrayRef>(plan.leaves[array.leaf_index]).origin)) {
      json::append_quoted(out += R"({"random_key_impl":)", *impl);
      out += "}}}";
    } else {
      out += "null}}";
    }
  }
  return out += "]}";
}

}  // namespace perdure::checkpoint
