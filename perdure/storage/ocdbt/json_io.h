#pragma once
// ToJson and FromJson have the same member names, so that one function template describes a structure for both directions, as
// ByteReader and ByteWriter do for its bytes.
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "perdure/base/error.h"
#include "perdure/base/json.h"
#include "perdure/base/utf8.h"

namespace perdure::storage::ocdbt {

class ToJson {
 public:
  template <class Number>
  void number(const char* name, const Number& value) {
    using Wide = std::conditional_t<std::is_signed_v<Number>, std::int64_t, std::uint64_t>;
    object_.add(name, static_cast<Wide>(value));
  }
  /// Bytes as the characters U+0000 to U+00FF.
  void bytes(const char* name, std::string_view value) {
    std::string text;
    for (const char c : value) append_code_point(text, static_cast<unsigned char>(c));
    object_.add(name, std::move(text));
  }
  /// `describe(io, row)` for each row.
  template <class Row, class Describe>
  void rows(const char* name, const std::vector<Row>& rows, Describe describe) {
    json::Array items;
    for (const Row& row : rows) {
      ToJson io;
      describe(io, row);
      items.push_back(io.take());
    }
    object_.add(name, std::move(items));
  }
  json::Value take() { return std::move(object_); }

 private:
  json::Object object_;
};

/// Every member throws kCorrupt for a member that is missing or of another kind.
class FromJson {
 public:
  explicit FromJson(const json::Value& value) : object_(value.as_object()) {}

  template <class Number>
  void number(const char* name, Number& value) {
    const json::Value& member = object_.at(name);
    value = static_cast<Number>(std::is_signed_v<Number> ? static_cast<std::uint64_t>(member.as_int64()) : member.as_uint64());
  }
  void bytes(const char* name, std::string& value) {
    std::string_view text = object_.at(name).as_string();
    value.clear();
    while (!text.empty()) {
      const auto code_point = take_code_point(text);
      if (!code_point || *code_point > 0xff)
        throw Error(ErrorKind::kCorrupt, std::string(name) + " has a character beyond U+00FF");
      value.push_back(static_cast<char>(*code_point));
    }
  }
  template <class Row, class Describe>
  void rows(const char* name, std::vector<Row>& rows, Describe describe) {
    for (const json::Value& item : object_.at(name).as_array()) {
      FromJson io(item);
      describe(io, rows.emplace_back());
    }
  }
  bool has(const char* name) const { return object_.find(name) != nullptr; }

 private:
  const json::Object& object_;
};

}  // namespace perdure::storage::ocdbt
