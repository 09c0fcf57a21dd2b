#include "perdure/recipe/codecs/torch_names.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace perdure::recipe {
namespace {

struct TorchDtype {
  std::string_view name;
  std::string_view meaning;  // the name that torch prints
};

constexpr TorchDtype kTorchDtypes[] = {
    {"bool", "bool"},
    {"uint1", "uint1"},
    {"uint2", "uint2"},
    {"uint3", "uint3"},
    {"uint4", "uint4"},
    {"uint5", "uint5"},
    {"uint6", "uint6"},
    {"uint7", "uint7"},
    {"uint8", "uint8"},
    {"uint16", "uint16"},
    {"uint32", "uint32"},
    {"uint64", "uint64"},
    {"int1", "int1"},
    {"int2", "int2"},
    {"int3", "int3"},
    {"int4", "int4"},
    {"int5", "int5"},
    {"int6", "int6"},
    {"int7", "int7"},
    {"int8", "int8"},
    {"int16", "int16"},
    {"int32", "int32"},
    {"int64", "int64"},
    {"short", "int16"},
    {"int", "int32"},
    {"long", "int64"},
    {"float4_e2m1fn_x2", "float4_e2m1fn_x2"},
    {"float8_e4m3fn", "float8_e4m3fn"},
    {"float8_e4m3fnuz", "float8_e4m3fnuz"},
    {"float8_e5m2", "float8_e5m2"},
    {"float8_e5m2fnuz", "float8_e5m2fnuz"},
    {"float8_e8m0fnu", "float8_e8m0fnu"},
    {"bfloat16", "bfloat16"},
    {"float16", "float16"},
    {"float32", "float32"},
    {"float64", "float64"},
    {"half", "float16"},
    {"float", "float32"},
    {"double", "float64"},
    {"complex32", "complex32"},
    {"complex64", "complex64"},
    {"complex128", "complex128"},
    {"chalf", "complex32"},
    {"cfloat", "complex64"},
    {"cdouble", "complex128"},
    {"quint8", "quint8"},
    {"qint8", "qint8"},
    {"qint32", "qint32"},
    {"quint4x2", "quint4x2"},
    {"quint2x4", "quint2x4"},
    {"bits8", "bits8"},
    {"bits16", "bits16"},
    {"bits1x8", "bits1x8"},
    {"bits2x4", "bits2x4"},
    {"bits4x2", "bits4x2"},
};

constexpr std::string_view kDeviceTypes[] = {"cpu", "cuda", "meta", "mps",  "xpu",    "xla",
                                             "hpu", "hip",  "ipu",  "mtia", "vulkan", "privateuseone"};
constexpr int kDeviceIndexMax = 127;  // torch keeps it in a signed byte

}  // namespace

std::optional<std::string_view> find_torch_dtype(std::string_view name) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  const auto row =
      std::find_if(std::begin(kTorchDtypes), std::end(kTorchDtypes), [name](const TorchDtype& d) { return d.name == name; });
  if (row == std::end(kTorchDtypes)) return std::nullopt;
  return row->meaning;
}

bool is_dtype_of_tensors(DType dtype) {
  return find_torch_dtype(name(dtype)) && (dtype == DType::kBool || !has_unused_bits(dtype));
}

bool is_torch_device(std::string_view name) {
  const std::size_t colon = std::min(name.find(':'), name.size());
  if (std::find(std::begin(kDeviceTypes), std::end(kDeviceTypes), name.substr(0, colon)) == std::end(kDeviceTypes)) return false;
  if (colon == name.size()) return true;
  const std::string_view digits = name.substr(colon + 1);
  unsigned index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool is_plain = digits.size() == 1 || !digits.starts_with('0');
  return error == std::errc() && end == digits.data() + digits.size() && is_plain && index <= kDeviceIndexMax;
}

}  // namespace perdure::recipe
