#pragma once
// JSON that survives what Python's json module emits: NaN, Infinity, integers of any size, duplicate keys, lone surrogates.
//
// Numbers are kept as their text, so that nothing is rounded before somebody asks. Strings are UTF-8; a lone surrogate
// (\ud800 in the text) is kept as its three-byte WTF-8 form and written back as an escape. The parser (json_parse.cc) is our
// own: those of the usual libraries refuse some of these. Its nesting is bounded and it never recurses on the C++ stack. Copying,
// comparing, dumping and destroying recurse once a level, so values that a program builds should keep to the same depth.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/base/bytes.h"

namespace perdure::json {

class Value;
using Array = std::vector<Value>;
/// Members in the order of the text. Duplicate keys are kept; find() gives the last one, as Python does.
class Object;

/// A number as it stands in JSON text: "1", "-0.0", "1e400", "NaN", "-Infinity".
struct Number {
  std::string text;
  bool operator==(const Number&) const = default;
};

class Value {
 public:
  Value() = default;  // null
  Value(std::nullptr_t) {}
  Value(bool value);
  Value(int value) : Value(static_cast<std::int64_t>(value)) {}
  Value(std::int64_t value);
  Value(std::uint64_t value);
  Value(double value);  // shortest text that reads back equal; NaN, Infinity, -Infinity as Python writes them
  Value(Number value);
  Value(const char* text) : Value(std::string(text)) {}
  Value(std::string_view text) : Value(std::string(text)) {}
  Value(std::string text);
  Value(Array items);
  Value(Object members);
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  bool is_null() const;
  bool is_bool() const;
  bool is_number() const;
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;
  std::string_view kind_name() const;  // "null", "bool", "number", "string", "array", "object"

  // Each throws kCorrupt "expected an integer, found a string" for a value of another kind or out of range.
  bool as_bool() const;
  std::int64_t as_int64() const;
  std::uint64_t as_uint64() const;
  double as_double() const;
  const Number& as_number() const;
  const std::string& as_string() const;
  const Array& as_array() const;
  Array& as_array();
  const Object& as_object() const;
  Object& as_object();

  bool operator==(const Value&) const;

 private:
  std::variant<std::nullptr_t, bool, Number, std::string, std::unique_ptr<Array>, std::unique_ptr<Object>> data_;
};

class Object {
 public:
  using Member = std::pair<std::string, Value>;
  Object() = default;
  Object(std::initializer_list<Member> members) : members_(members) {}

  /// The last member of that name, or nullptr.
  const Value* find(std::string_view key) const;
  /// find, or kCorrupt "missing key 'shape'".
  const Value& at(std::string_view key) const;
  /// Appends; does not look for an earlier member of the same name.
  void add(std::string key, Value value) { members_.emplace_back(std::move(key), std::move(value)); }
  const std::vector<Member>& members() const { return members_; }
  std::vector<Member>& members() { return members_; }
  std::size_t size() const { return members_.size(); }
  bool operator==(const Object&) const = default;

 private:
  std::vector<Member> members_;
};

struct ParseOptions {
  std::size_t depth_max = 1000;  // nested arrays and objects
};

/// Parses one JSON document. Throws kCorrupt naming the byte offset, also for text that is not strict UTF-8.
Value parse(std::string_view text, const ParseOptions& options = {});

struct DumpOptions {
  int indent = 0;     // spaces a level; 0: one line without spaces
  bool ascii = true;  // escape everything beyond ASCII (always done for lone surrogates)
};
/// Throws kInvalid for a string that is not UTF-8 (WTF-8).
std::string dump(const Value& value, const DumpOptions& options = {});

/// Appends `text` as a JSON string with quotes: for writers that fill templates. Throws kInvalid as dump() does.
void append_quoted(std::string& out, std::string_view text, bool ascii = true);
/// Appends "[2,3]".
void append_numbers(std::string& out, std::span<const std::uint64_t> numbers);

}  // namespace perdure::json
