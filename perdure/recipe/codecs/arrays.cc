// Arrays and tensors.
#include "perdure/base/origin.h"
#include "perdure/recipe/codecs/array_json.h"
#include "perdure/recipe/codecs/table.h"
#include "perdure/recipe/codecs/torch_names.h"

namespace perdure::recipe {
namespace {

using Kind = Expected::Kind;

constexpr std::string_view kArray = "__array__";    // {dtype, shape, data, origin}
constexpr std::string_view kTensor = "__tensor__";  // {dtype, shape, data} of torch

void check_tensor(const ArrayValue& array, const JsonPath& where) {
  if (!is_dtype_of_tensors(array.dtype)) fail(where.key("dtype"), "torch has no tensors of " + quoted(name(array.dtype)));
}

json::Value write_array(const Value& value, int) {
  const ArrayValue& array = std::get<ArrayValue>(value.data);
  if (array.origin == origins::kTorch) return tagged(kTensor, encode_array(array, "torch."));
  json::Value payload = encode_array(array, "");
  payload.as_object().add("origin", array.origin);
  return tagged(kArray, std::move(payload));
}

Value read_array(const json::Value& payload, const Place& place, Reader& reader) {
  const json::Value* origin = payload.is_object() ? payload.as_object().find("origin") : nullptr;
  if (origin == nullptr) fail(place.where, "an array without 'origin'");
  json::Object members = payload.as_object();
  std::erase_if(members.members(), [](const json::Object::Member& member) { return member.first == "origin"; });
  ArrayValue array = decode_array(members, false, place.where);
  array.origin = text_of(*origin, place.where);
  if (is_torch_origin(array.origin) && holds_numbers(array.origin)) check_tensor(array, place.where);
  if (array.origin == origins::kNumpyScalar && array.shape.rank() != 0) fail(place.where, "a scalar with axes");
  return reader.meet({std::move(array)}, place.where);
}

Value read_tensor(const json::Value& payload, const Place& place, Reader& reader) {
  ArrayValue array = decode_array(payload, true, place.where);
  array.origin = origins::kTorch;
  check_tensor(array, place.where);
  return reader.meet({std::move(array)}, place.where);
}

std::optional<json::Value> write_settled(const Value& value, const Expected&, int) {
  const ArrayValue* array = value.get_if<ArrayValue>();
  if (array == nullptr || array->origin != origins::kTorch) return std::nullopt;
  return encode_array(*array, "torch.");
}

bool is_of_torch(const Value& value, const Expected&) {
  const ArrayValue* array = value.get_if<ArrayValue>();
  return array != nullptr && is_torch_origin(array->origin);
}

}  // namespace

constinit const ValueCodec kArrayCodec = {.kind_name = "an array", .tag = kArray, .write = write_array, .read = read_array};
constinit const ValueCodec kTensorCodec = {.kind_name = "an array", .tag = kTensor, .write = write_array, .read = read_tensor};

constinit const ExpectedForm kTensorForm = {Kind::kTensor,
                                            "tensor",
                                            "torch.Tensor",
                                            is_of_torch,
                                            write_settled,
                                            [](const json::Value& written, const Place& place, Reader& reader) {
                                              return std::optional(read_tensor(written, place, reader));
                                            }};

}  // namespace perdure::recipe
