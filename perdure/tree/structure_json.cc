// {"kinds": "{.[..", "counts": [2, 2], "keys": ["w", "layers"], "types": [["module", "Class"]], "typed": [[4, 1]]}
//
// Columns, since most nodes need only a letter and perhaps a key: `kinds` has a letter for each node in preorder, `counts` the
// number of children of each container, `keys` the key of each node that is neither the root nor in a list or tuple, `typed`
// [position, type] of each container of a class of its own. Keys: null, bool, integer and text as in JSON, a tuple as an
// array; {"float": "3fe0000000000000"} has the bits of a double, {"utf8": "eda080"} text that is no strict UTF-8.
#include <array>
#include <bit>
#include <charconv>
#include <limits>

#include "perdure/base/error.h"
#include "perdure/base/utf8.h"
#include "perdure/tree/structure.h"

namespace perdure::tree {
namespace {

struct KindLetter {
  NodeKind kind;
  char letter;
};
constexpr KindLetter kKindLetters[] = {
    {NodeKind::kLeaf, '.'},  {NodeKind::kMapping, '{'},    {NodeKind::kList, '['},
    {NodeKind::kTuple, '('}, {NodeKind::kNamedTuple, 'n'}, {NodeKind::kRecord, 'r'},
};

[[noreturn]] void corrupt(const std::string& what) { throw Error(ErrorKind::kCorrupt, "tree structure: " + what); }

char letter_of(NodeKind kind) {
  for (const KindLetter& row : kKindLetters) {
    if (row.kind == kind) return row.letter;
  }
  return '?';
}

NodeKind kind_of(char letter) {
  for (const KindLetter& row : kKindLetters) {
    if (row.letter == letter) return row.kind;
  }
  corrupt("unknown kind of node");
}

bool has_positions(NodeKind kind) { return kind == NodeKind::kList || kind == NodeKind::kTuple; }

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::uint64_t parse_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) corrupt("expected hexadecimal digits");
  return value;
}

std::string bytes_of_hex(std::string_view text) {
  std::string bytes;
  if (text.size() % 2 != 0) corrupt("odd number of hexadecimal digits");
  for (std::size_t i = 0; i < text.size(); i += 2) bytes += static_cast<char>(parse_hex(text.substr(i, 2)));
  return bytes;
}

struct KeyToJson {
  json::Value operator()(None) const { return nullptr; }
  json::Value operator()(bool flag) const { return flag; }
  json::Value operator()(std::int64_t number) const { return number; }
  json::Value operator()(const BigInt& number) const { return json::Number{number.digits}; }
  json::Value operator()(double number) const {
    std::array<char, 16> digits{};
    const auto [end, error] = std::to_chars(digits.begin(), digits.end(), std::bit_cast<std::uint64_t>(number), 16);
    return json::Object{{"float", std::string(digits.begin(), end)}};
  }
  json::Value operator()(const Text& text) const {
    if (utf8_size(text.utf8) != text.utf8.size()) return json::Object{{"utf8", hex_of(text.utf8)}};
    return text.utf8;
  }
  json::Value operator()(const std::shared_ptr<const KeyTuple>& keys) const {
    json::Array items;
    for (const Key& key : *keys) items.push_back(std::visit(*this, key.value));
    return items;
  }
};

Key number_key(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec == std::errc() && result.ptr == end) return number;
  const std::size_t digits = text.find_first_not_of("0123456789", text.starts_with('-') ? 1 : 0);
  if (digits != std::string::npos || result.ec != std::errc::result_out_of_range) corrupt("a key that is no integer: " + text);
  return Key::Value(BigInt{text});
}

Key object_key(const json::Object& object) {
  if (const json::Value* bits = object.find("float")) return std::bit_cast<double>(parse_hex(bits->as_string()));
  return Text{bytes_of_hex(object.at("utf8").as_string())};
}

Key key_from_json(const json::Value& value, std::size_t depth = 0) {
  if (value.is_string()) return Text{value.as_string()};
  if (value.is_number()) return number_key(value.as_number().text);
  if (value.is_null()) return Key();
  if (value.is_bool()) return value.as_bool();
  if (value.is_object()) return object_key(value.as_object());
  if (depth >= kKeyDepthMax) corrupt("a key of too many levels");
  KeyTuple keys;
  for (const json::Value& item : value.as_array()) keys.push_back(key_from_json(item, depth + 1));
  return keys;
}

/// Reads the columns side by side, and checks that each is used up.
class Reader {
 public:
  explicit Reader(const json::Object& object)
      : kinds_(object.at("kinds").as_string()), counts_(object.at("counts").as_array()), keys_(object.at("keys").as_array()) {
    if (kinds_.size() >= std::numeric_limits<std::uint32_t>::max()) corrupt("too many nodes");
    for (const json::Value& type : object.at("types").as_array()) add_type(type.as_array());
  }

  Structure read() {
    for (const char letter : kinds_) read_node(kind_of(letter));
    drop_full();
    if (kinds_.empty() || !open_.empty()) corrupt("nodes are missing");
    if (next_count_ != counts_.size() || next_key_ != keys_.size()) corrupt("more counts or keys than nodes");
    return std::move(structure_);
  }

 private:
  struct Open {
    NodeKind kind;
    std::uint32_t count, next;  // children in all, and seen so far
  };

  void add_type(const json::Array& names) {
    if (names.size() != 2) corrupt("a type needs module and name");
    const std::size_t before = structure_.types().size();
    const auto index = structure_.add_type({names[0].as_string(), names[1].as_string()});
    if (index != before) corrupt("a type is there twice");
  }

  void drop_full() {
    while (!open_.empty() && open_.back().next == open_.back().count) open_.pop_back();
  }

  void read_node(NodeKind kind) {
    drop_full();
    if (open_.empty() && !structure_.nodes().empty()) corrupt("more nodes than the root has");
    const std::size_t position = structure_.append(kind, next_key());
    if (kind == NodeKind::kLeaf) return;
    if (next_count_ == counts_.size()) corrupt("a count is missing");
    const std::uint64_t count = counts_[next_count_++].as_uint64();
    if (count > kinds_.size() - structure_.nodes().size()) corrupt("more children than nodes");
    structure_.set_child_count(position, static_cast<std::uint32_t>(count));
    open_.push_back({kind, static_cast<std::uint32_t>(count), 0});
  }

  Key next_key() {
    if (open_.empty()) return Key();
    Open& parent = open_.back();
    const std::uint32_t index = parent.next++;
    if (has_positions(parent.kind)) return index;
    if (next_key_ == keys_.size()) corrupt("a key is missing");
    Key key = key_from_json(keys_[next_key_++]);
    const bool is_field = parent.kind == NodeKind::kNamedTuple || parent.kind == NodeKind::kRecord;
    if (is_field && !std::holds_alternative<Text>(key.value)) corrupt("a field whose name is no text");
    return key;
  }

  const std::string& kinds_;
  const json::Array& counts_;
  const json::Array& keys_;
  std::size_t next_count_ = 0;
  std::size_t next_key_ = 0;
  Structure structure_;
  std::vector<Open> open_;
};

void read_typed(const json::Array& typed, Structure& structure) {
  for (const json::Value& pair : typed) {
    if (pair.as_array().size() != 2) corrupt("expected [position, type]");
    const std::uint64_t position = pair.as_array()[0].as_uint64();
    const std::uint64_t type = pair.as_array()[1].as_uint64();
    if (position >= structure.nodes().size() || type == 0 || type >= structure.types().size()) corrupt("a type of nothing");
    structure.set_type(position, static_cast<std::uint32_t>(type));
  }
}

json::Array types_to_json(const Structure& structure) {
  json::Array types;
  for (std::size_t i = 1; i < structure.types().size(); ++i) {
    types.push_back(json::Array{structure.types()[i].module, structure.types()[i].qualname});
  }
  return types;
}

}  // namespace

json::Value to_json(const Structure& structure) {
  std::string kinds;
  json::Array counts, keys, typed;
  std::vector<std::pair<NodeKind, std::uint32_t>> open;  // kind, children still to come
  for (std::size_t position = 0; position < structure.nodes().size(); ++position) {
    const Node& node = structure.nodes()[position];
    while (!open.empty() && open.back().second == 0) open.pop_back();
    if (!open.empty()) {
      if (!has_positions(open.back().first)) keys.push_back(std::visit(KeyToJson{}, node.key.value));
      --open.back().second;
    }
    kinds += letter_of(node.kind);
    if (node.type_index != 0) typed.push_back(json::Array{static_cast<std::uint64_t>(position), std::uint64_t{node.type_index}});
    if (node.kind == NodeKind::kLeaf) continue;
    counts.push_back(std::uint64_t{node.child_count});
    open.emplace_back(node.kind, node.child_count);
  }
  return json::Object{{"kinds", std::move(kinds)},
                      {"counts", std::move(counts)},
                      {"keys", std::move(keys)},
                      {"types", types_to_json(structure)},
                      {"typed", std::move(typed)}};
}

Structure structure_from_json(const json::Value& value) {
  const json::Object& object = value.as_object();
  Structure structure = Reader(object).read();
  read_typed(object.at("typed").as_array(), structure);
  return structure;
}

}  // namespace perdure::tree
