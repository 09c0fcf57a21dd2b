#include "perdure/checkpoint/item_document.h"

#include <bit>
#include <map>

#include "perdure/base/byte_io.h"
#include "perdure/base/checksum.h"
#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

constexpr std::string_view kMagic = "perdure tree\n";
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kCrcSize = 4;
constexpr int kKeyDepthMax = 64;  // tuples in tuples

/// Part of the format: keys and scalars use the same numbers.
enum class Tag : std::uint8_t { kNone, kFalse, kTrue, kInt64, kBigInt, kDouble, kComplex, kText, kBytes, kTuple, kArray };

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::kCorrupt, "item document: " + what); }

// ---- values that keys and scalars share

void put(ByteWriter& out, Tag tag) { out.u8(static_cast<std::uint8_t>(tag)); }
void put_text(ByteWriter& out, std::string_view text) {
  out.varint(text.size());
  out.text(text);
}

struct ValueEncoder {
  ByteWriter& out;
  int depth = 0;

  void operator()(None) const { put(out, Tag::kNone); }
  void operator()(bool value) const { put(out, value ? Tag::kTrue : Tag::kFalse); }
  void operator()(std::int64_t value) const {
    put(out, Tag::kInt64);
    out.u64le(static_cast<std::uint64_t>(value));
  }
  void operator()(const BigInt& value) const {
    put(out, Tag::kBigInt);
    put_text(out, value.digits);
  }
  void operator()(double value) const {
    put(out, Tag::kDouble);
    out.u64le(std::bit_cast<std::uint64_t>(value));
  }
  void operator()(const std::complex<double>& value) const {
    put(out, Tag::kComplex);
    out.u64le(std::bit_cast<std::uint64_t>(value.real()));
    out.u64le(std::bit_cast<std::uint64_t>(value.imag()));
  }
  void operator()(const Text& value) const {
    put(out, Tag::kText);
    put_text(out, value.utf8);
  }
  void operator()(const Blob& value) const {
    put(out, Tag::kBytes);
    put_text(out, value.text());
  }
  void operator()(const std::shared_ptr<const KeyTuple>& tuple) const {
    if (depth == kKeyDepthMax) throw Error(ErrorKind::kInvalid, "a tuple key is nested more than 64 deep");
    put(out, Tag::kTuple);
    out.varint(tuple->size());
    for (const Key& key : *tuple) std::visit(ValueEncoder{out, depth + 1}, key.value);
  }
};

class Decoder {
 public:
  explicit Decoder(ByteView bytes) : in_(bytes) {}

  ByteReader& in() { return in_; }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    in_.varint(value);
    return value;
  }
  std::uint64_t u64() {
    std::uint64_t value = 0;
    in_.u64le(value);
    return value;
  }
  std::uint8_t u8() {
    std::uint8_t value = 0;
    in_.u8(value);
    return value;
  }
  std::string text() { return in_.text(varint()); }
  /// A number of things that take at least a byte each, so that a hostile one cannot make us allocate.
  std::uint64_t count() {
    const std::uint64_t value = varint();
    if (value > in_.remaining() || value > UINT32_MAX) fail("a count of " + std::to_string(value) + " is more than the file holds");
    return value;
  }
  std::uint32_t index(std::uint64_t end, const char* of_what) {
    const std::uint64_t value = varint();
    if (value >= end) fail(std::string(of_what) + " " + std::to_string(value) + " of " + std::to_string(end));
    return static_cast<std::uint32_t>(value);
  }

  Key key(int depth = 0) {
    const Tag tag = static_cast<Tag>(u8());
    switch (tag) {
      case Tag::kNone: return {None{}};
      case Tag::kFalse: return {false};
      case Tag::kTrue: return {true};
      case Tag::kInt64: return {static_cast<std::int64_t>(u64())};
      case Tag::kBigInt: return {BigInt{text()}};
      case Tag::kDouble: return {std::bit_cast<double>(u64())};
      case Tag::kText: return {Text{text()}};
      case Tag::kTuple: return {tuple(depth)};
      default: fail("unknown tag " + std::to_string(static_cast<int>(tag)) + " of a key");
    }
  }

  Scalar scalar(Tag tag) {
    switch (tag) {
      case Tag::kNone: return None{};
      case Tag::kFalse: return false;
      case Tag::kTrue: return true;
      case Tag::kInt64: return static_cast<std::int64_t>(u64());
      case Tag::kBigInt: return BigInt{text()};
      case Tag::kDouble: return std::bit_cast<double>(u64());
      case Tag::kComplex: {
        const auto real = std::bit_cast<double>(u64());
        return std::complex<double>(real, std::bit_cast<double>(u64()));
      }
      case Tag::kText: return Text{text()};
      case Tag::kBytes: return Blob::from(text());
      default: fail("unknown tag " + std::to_string(static_cast<int>(tag)) + " of a leaf");
    }
  }

 private:
  std::shared_ptr<const KeyTuple> tuple(int depth) {
    if (depth == kKeyDepthMax) fail("a tuple key is nested more than 64 deep");
    auto items = std::make_shared<KeyTuple>(count());
    for (Key& item : *items) item = key(depth + 1);
    return items;
  }
  ByteReader in_;
};

// ---- structure

void encode_structure(ByteWriter& out, const tree::Structure& structure) {
  out.varint(structure.types().size() - 1);  // types()[0] is the plain one
  for (std::size_t i = 1; i < structure.types().size(); ++i) {
    put_text(out, structure.types()[i].module);
    put_text(out, structure.types()[i].qualname);
  }
  const auto& nodes = structure.nodes();
  out.varint(nodes.size());
  for (const tree::Node& node : nodes) out.u8(static_cast<std::uint8_t>(node.kind));
  for (const tree::Node& node : nodes) std::visit(ValueEncoder{out}, node.key.value);
  for (const tree::Node& node : nodes) out.varint(node.child_count);
  for (const tree::Node& node : nodes) out.varint(node.type_index);
}

NodeKind node_kind(std::uint8_t value) {
  if (value > static_cast<std::uint8_t>(NodeKind::kRecord)) fail("unknown node kind " + std::to_string(value));
  return static_cast<NodeKind>(value);
}

/// Preorder with child counts is a tree exactly if nodes never run out before the end, and are all used at the end.
void check_child_counts(const tree::Structure& structure) {
  std::uint64_t expected = 1;
  for (const tree::Node& node : structure.nodes()) {
    if (expected == 0) fail("nodes after the end of the tree");
    if (node.kind == NodeKind::kLeaf && node.child_count != 0) fail("a leaf with children");
    expected += node.child_count;
    --expected;
  }
  if (expected != 0) fail(std::to_string(expected) + " nodes are missing");
}

tree::Structure decode_structure(Decoder& in) {
  tree::Structure structure;
  const std::uint64_t type_count = in.count();
  for (std::uint64_t i = 1; i <= type_count; ++i) {
    std::string module = in.text();
    if (structure.add_type({std::move(module), in.text()}) != i) fail("a type is listed twice");
  }
  const std::uint64_t node_count = in.count();
  std::vector<NodeKind> kinds(node_count);
  for (NodeKind& kind : kinds) kind = node_kind(in.u8());
  std::vector<Key> keys(node_count);
  for (Key& key : keys) key = in.key();
  std::vector<std::uint32_t> child_counts(node_count);
  for (std::uint32_t& count : child_counts) count = in.index(node_count, "child count");
  for (std::uint64_t i = 0; i < node_count; ++i) {
    structure.append(kinds[i], std::move(keys[i]), in.index(type_count + 1, "type"));
    structure.set_child_count(i, child_counts[i]);
  }
  check_child_counts(structure);
  return structure;
}

// ---- leaves

/// Origins are few and stand in a table.
class LeafEncoder {
 public:
  LeafEncoder(ByteWriter& out, const std::vector<DocumentLeaf>& leaves) : out_(out) {
    ByteWriter table;
    for (const DocumentLeaf& leaf : leaves) {
      const auto* array = std::get_if<StoredArrayRef>(&leaf);
      if (array && origins_.try_emplace(array->origin, origins_.size()).second) put_text(table, array->origin);
    }
    out_.varint(origins_.size());
    out_.text(table.str());
    out_.varint(leaves.size());
  }

  void operator()(const Scalar& scalar) { std::visit(ValueEncoder{out_}, scalar); }
  void operator()(const StoredArrayRef& array) {
    put(out_, Tag::kArray);
    put_text(out_, array.name);
    out_.varint(origins_.at(array.origin));
    out_.varint(array.tied_to ? *array.tied_to + std::uint64_t{1} : 0);
    out_.varint(array.chunk_crc32c.size());
    for (const std::uint32_t crc : array.chunk_crc32c) out_.u32le(crc);
  }

 private:
  ByteWriter& out_;
  std::map<std::string, std::uint64_t, std::less<>> origins_;
};

StoredArrayRef decode_array(Decoder& in, const std::vector<std::string>& origins, const std::vector<DocumentLeaf>& earlier) {
  StoredArrayRef array;
  array.name = in.text();
  array.origin = origins[in.index(origins.size(), "origin")];
  if (const std::uint32_t tied = in.index(earlier.size() + 1, "tied leaf"); tied != 0) {
    if (!std::holds_alternative<StoredArrayRef>(earlier[tied - 1])) fail("'" + array.name + "' is tied to a leaf that is no array");
    array.tied_to = tied - 1;
  }
  array.chunk_crc32c.resize(in.count());
  for (std::uint32_t& crc : array.chunk_crc32c) in.in().u32le(crc);
  return array;
}

std::vector<DocumentLeaf> decode_leaves(Decoder& in) {
  std::vector<std::string> origins(in.count());
  for (std::string& origin : origins) origin = in.text();
  const std::uint64_t leaf_count = in.count();
  std::vector<DocumentLeaf> leaves;
  leaves.reserve(leaf_count);
  for (std::uint64_t i = 0; i < leaf_count; ++i) {
    const Tag tag = static_cast<Tag>(in.u8());
    if (tag == Tag::kArray) {
      leaves.emplace_back(decode_array(in, origins, leaves));
    } else {
      leaves.emplace_back(in.scalar(tag));
    }
  }
  return leaves;
}

/// The body, after magic, version and CRC have been checked.
ByteView checked_body(std::string_view text) {
  if (!text.starts_with(kMagic) || text.size() < kMagic.size() + kCrcSize) fail("does not begin with 'perdure tree'");
  const ByteView bytes = as_bytes(text);
  const ByteView sealed = bytes.first(bytes.size() - kCrcSize);
  std::uint32_t stored = 0;
  ByteReader(bytes.last(kCrcSize)).u32le(stored);
  if (const std::uint32_t computed = crc32c(sealed); stored != computed) {
    fail("crc32c: stored " + std::to_string(stored) + ", computed " + std::to_string(computed));
  }
  return sealed.subspan(kMagic.size());
}

}  // namespace

std::string encode_item_document(const tree::Structure& structure, const std::vector<DocumentLeaf>& leaves) {
  ByteWriter out;
  out.text(kMagic);
  out.varint(kVersion);
  encode_structure(out, structure);
  LeafEncoder encoder(out, leaves);
  for (const DocumentLeaf& leaf : leaves) std::visit(encoder, leaf);
  out.u32le(crc32c(as_bytes(out.str())));
  return out.take();
}

ItemDocument parse_item_document(std::string_view text) {
  Decoder in(checked_body(text));
  if (const std::uint64_t version = in.varint(); version != kVersion) {
    fail("format version " + std::to_string(version) + "; this perdure reads " + std::to_string(kVersion));
  }
  ItemDocument document;
  document.structure = decode_structure(in);
  document.leaves = decode_leaves(in);
  in.in().expect_end();
  if (document.leaves.size() != document.structure.leaf_count()) {
    fail(std::to_string(document.structure.leaf_count()) + " leaves in the structure, " + std::to_string(document.leaves.size()) + " values");
  }
  return document;
}

}  // namespace perdure::checkpoint
