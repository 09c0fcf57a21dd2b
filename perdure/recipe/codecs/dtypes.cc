// Dtypes of three packages, and devices of torch.
#include "perdure/recipe/codecs/table.h"
#include "perdure/recipe/codecs/torch_names.h"

namespace perdure::recipe {
namespace {

using Kind = Expected::Kind;

constexpr std::string_view kDtype = "__dtype__";    // "torch.float32", "numpy.int8", "jax.numpy.bfloat16"
constexpr std::string_view kDevice = "__device__";  // "cuda:1" of torch

bool is_torch_dtype(const Value& value) {
  const DtypeValue* dtype = value.get_if<DtypeValue>();
  return dtype != nullptr && dtype->name.starts_with("torch.");
}

Value torch_dtype(const std::string& name, const JsonPath& where) {
  const auto torch = find_torch_dtype(name);
  if (!torch) fail(where, quoted(name) + " is no dtype of torch");
  return {DtypeValue{"torch." + std::string(*torch)}};
}

Value read_dtype(const json::Value& payload, const Place& place, Reader&) {
  const std::string& name = text_of(payload, place.where);
  if (name.starts_with("torch.")) return torch_dtype(name, place.where);
  std::string_view plain = name;
  for (const std::string_view package : {"numpy.", "jax.numpy."}) {
    if (plain.starts_with(package)) plain.remove_prefix(package.size());
  }
  if (plain.size() == name.size() || (!find_dtype(plain) && plain != "bool_")) fail(place.where, quoted(name) + " is no dtype");
  return {DtypeValue{name}};
}

Value read_device(const json::Value& payload, const Place& place, Reader&) {
  const std::string& name = text_of(payload, place.where);
  if (!is_torch_device(name)) fail(place.where, quoted(name) + " is no device of torch");
  return {DeviceValue{name}};
}

// Texts where a dtype or device is expected, or meant by the name of the argument.

bool names_dtype(std::string_view text) { return text.starts_with("torch.") && find_torch_dtype(text); }

std::optional<json::Value> write_settled_dtype(const Value& value, const Expected&, int) {
  return is_torch_dtype(value) ? std::optional<json::Value>(std::get<DtypeValue>(value.data).name) : std::nullopt;
}

std::optional<json::Value> write_settled_device(const Value& value, const Expected&, int) {
  const DeviceValue* device = value.get_if<DeviceValue>();
  return device != nullptr ? std::optional<json::Value>(device->name) : std::nullopt;
}

/// Text that would be taken for what it only names.
template <bool (*IsName)(std::string_view), std::optional<json::Value> (*Write)(const Value&, const Expected&, int)>
std::optional<json::Value> write_or_mark(const Value& value, const Expected& expected, int level) {
  const Text* text = value.get_if<Text>();
  if (text != nullptr && IsName(text->utf8)) return tagged(kTextTag, text->utf8);
  return Write(value, expected, level);
}

template <Value (*Read)(const json::Value&, const Place&, Reader&)>
std::optional<Value> read_settled(const json::Value& written, const Place& place, Reader& reader) {
  return Read(written, place, reader);
}

template <bool (*IsName)(std::string_view), Value (*Read)(const json::Value&, const Place&, Reader&)>
std::optional<Value> read_if_named(const json::Value& written, const Place& place, Reader& reader) {
  if (!written.is_string() || !IsName(written.as_string())) return std::nullopt;
  return Read(written, place, reader);
}

bool fits_anything(const Value&, const Expected&) { return true; }

}  // namespace

constinit const ValueCodec kDtypeCodec = {
    .kind_name = "a dtype",
    .tag = kDtype,
    .can_be_key = true,
    .write = [](const Value& value, int) { return tagged(kDtype, std::get<DtypeValue>(value.data).name); },
    .read = read_dtype};
constinit const ValueCodec kDeviceCodec = {
    .kind_name = "a device",
    .tag = kDevice,
    .can_be_key = true,
    .write = [](const Value& value, int) { return tagged(kDevice, std::get<DeviceValue>(value.data).name); },
    .read = read_device};

constinit const ExpectedForm kDtypeForm = {Kind::kDtype,
                                           "dtype",
                                           "torch.dtype",
                                           [](const Value& value, const Expected&) { return is_torch_dtype(value); },
                                           write_settled_dtype,
                                           [](const json::Value& written, const Place& place, Reader&) {
                                             return std::optional(torch_dtype(text_of(written, place.where), place.where));
                                           }};
constinit const ExpectedForm kDeviceForm = {
    Kind::kDevice,        "device",
    "torch.device",       [](const Value& value, const Expected&) { return value.is<DeviceValue>(); },
    write_settled_device, read_settled<read_device>};
constinit const ExpectedForm kNamedLikeDtypeForm = {Kind::kNamedLikeDtype,
                                                    "named_like_dtype",
                                                    "any value",
                                                    fits_anything,
                                                    write_or_mark<names_dtype, write_settled_dtype>,
                                                    read_if_named<names_dtype, read_dtype>};
constinit const ExpectedForm kNamedLikeDeviceForm = {Kind::kNamedLikeDevice,
                                                     "named_like_device",
                                                     "any value",
                                                     fits_anything,
                                                     write_or_mark<is_torch_device, write_settled_device>,
                                                     read_if_named<is_torch_device, read_device>};

}  // namespace perdure::recipe
