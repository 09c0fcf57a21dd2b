// Text, bytes, paths.
#include <algorithm>
#include <iterator>

#include "perdure/base/base64.h"
#include "perdure/recipe/codecs/table.h"

namespace perdure::recipe {
namespace {

using Kind = Expected::Kind;

constexpr std::string_view kBytes = "__bytes__";  // base 64
constexpr std::string_view kPath = "__path__";    // [class of pathlib, text]
constexpr std::string_view kPathTypes[] = {"Path", "PosixPath", "WindowsPath", "PurePath", "PurePosixPath", "PureWindowsPath"};

Value read_bytes(const json::Value& payload, const Place& place, Reader&) {
  auto bytes = from_base64(text_of(payload, place.where));
  if (!bytes) fail(place.where, "expected base 64");
  return {Blob::from(std::move(*bytes))};
}

json::Value write_path(const Value& value, int) {
  const PathValue& path = std::get<PathValue>(value.data);
  return tagged(kPath, json::Array{path.type, path.text});
}

Value read_path(const json::Value& payload, const Place& place, Reader&) {
  const auto [type, text] = two_items(payload, place.where);
  const std::string& name = text_of(*type, place.where);
  if (std::ranges::find(kPathTypes, name) == std::end(kPathTypes)) fail(place.where, quoted(name) + " is no class of pathlib");
  return {PathValue{name, text_of(*text, place.where)}};
}

}  // namespace

constinit const ValueCodec kTextCodec = {
    .kind_name = "text",
    .tag = kTextTag,
    .can_be_key = true,
    .write = [](const Value& value, int) { return json::Value(std::get<Text>(value.data).utf8); },
    .read = [](const json::Value& payload, const Place& place, Reader&) { return Value{Text{text_of(payload, place.where)}}; }};
constinit const ValueCodec kBytesCodec = {
    .kind_name = "bytes",
    .tag = kBytes,
    .can_be_key = true,
    .write = [](const Value& value, int) { return tagged(kBytes, to_base64(std::get<Blob>(value.data))); },
    .read = read_bytes};
constinit const ValueCodec kPathCodec = {
    .kind_name = "a path", .tag = kPath, .can_be_key = true, .write = write_path, .read = read_path};

constinit const ExpectedForm kTextForm = {Kind::kText, "text", "str",
                                          [](const Value& value, const Expected&) { return value.is<Text>(); }};
constinit const ExpectedForm kBytesForm = {Kind::kBytes, "bytes", "bytes",
                                           [](const Value& value, const Expected&) { return value.is<Blob>(); }};

}  // namespace perdure::recipe
