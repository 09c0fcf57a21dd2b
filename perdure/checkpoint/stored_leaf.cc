#include "perdure/checkpoint/stored_leaf.h"

#include <charconv>
#include <cstring>

namespace perdure::checkpoint {
namespace {

constexpr std::string_view kKeyOrigin = "jax.key:";

template <class T>
StoredLeafForm rank0(std::string_view value_type, DType dtype, T value) {
  StoredLeafForm form{.value_type = value_type, .text = {}, .array_dtype = dtype, .scalar_bytes = {}, .array_bytes = {}};
  std::memcpy(form.scalar_bytes.data(), &value, sizeof value);
  return form;
}

StoredLeafForm string_form(std::string_view text) {
  return {.value_type = "string", .text = text, .array_dtype = {}, .scalar_bytes = {}, .array_bytes = {}};
}

struct ScalarForm {
  StoredLeafForm operator()(None) const {
    return {.value_type = "None", .text = {}, .array_dtype = {}, .scalar_bytes = {}, .array_bytes = {}};
  }
  StoredLeafForm operator()(bool value) const { return rank0("scalar", DType::kBool, std::uint8_t{value}); }
  StoredLeafForm operator()(std::int64_t value) const { return rank0("scalar", DType::kInt64, value); }
  StoredLeafForm operator()(double value) const { return rank0("scalar", DType::kFloat64, value); }
  StoredLeafForm operator()(const std::complex<double>& value) const { return rank0("np.ndarray", DType::kComplex128, value); }
  StoredLeafForm operator()(const Text& value) const { return string_form(value.utf8); }
  StoredLeafForm operator()(const Blob& value) const {
    return {.value_type = "np.ndarray", .text = {}, .array_dtype = DType::kUint8, .scalar_bytes = {}, .array_bytes = value.view()};
  }
  StoredLeafForm operator()(const BigInt& value) const {
    std::uint64_t number = 0;  // Orbax knows uint64, and nothing beyond
    const char* end = value.digits.data() + value.digits.size();
    const auto [stop, error] = std::from_chars(value.digits.data(), end, number);
    return error == std::errc{} && stop == end ? rank0("scalar", DType::kUint64, number) : string_form(value.digits);
  }
};

}  // namespace

StoredLeafForm stored_form(const Scalar& scalar) { return std::visit(ScalarForm{}, scalar); }

bool is_jax_origin(std::string_view origin) { return origin == "jax" || origin.starts_with("jax.") || origin.starts_with("jax:"); }

std::optional<std::string_view> random_key_impl(std::string_view origin) {
  if (!origin.starts_with(kKeyOrigin)) return std::nullopt;
  return origin.substr(kKeyOrigin.size());
}

std::string_view empty_value_type(NodeKind kind) {
  switch (kind) {
    case NodeKind::kList: return "List";
    case NodeKind::kTuple: return "Tuple";
    case NodeKind::kNamedTuple: return "NamedTuple";
    case NodeKind::kLeaf:
    case NodeKind::kMapping:
    case NodeKind::kRecord: return "Dict";
  }
  return "Dict";
}

}  // namespace perdure::checkpoint
