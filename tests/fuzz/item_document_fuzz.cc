// _PERDURE_TREE. The first byte of an input says what the rest is: a whole file, or all of it but the CRC at its end
// (a mutation of a file seldom survives its checksum).
#include <algorithm>

#include "perdure/base/byte_io.h"
#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/document/item_document.h"
#include "tests/fuzz/fuzz.h"

using namespace perdure;
using namespace perdure::checkpoint;

namespace {

constexpr char kWhole = 'F';
constexpr char kWithoutCrc = 'D';

std::string sealed(std::string text) {
  ByteWriter crc;
  crc.u32le(crc32c(as_bytes(text)));
  return text.append(crc.str());
}

std::string encoded(const ItemDocument& document) { return encode_item_document(document.structure, document.leaves); }

bool same_node(const tree::Node& a, const tree::Node& b) {
  return a.kind == b.kind && a.key == b.key && a.child_count == b.child_count && a.leaf_index == b.leaf_index &&
         a.type_index == b.type_index;
}

void check_round_trip(const ItemDocument& document) {
  const std::string text = encoded(document);
  const ItemDocument again = parse_item_document(text);
  fuzz::fuzz_check(std::ranges::equal(again.structure.nodes(), document.structure.nodes(), same_node),
                   "nodes differ after encoding them again");
  fuzz::fuzz_check(again.structure.types() == document.structure.types(), "types differ after encoding them again");
  fuzz::fuzz_check(encoded(again) == text, "leaves differ after encoding them again");  // NaN and Blob have no ==
}

Key tuple_key(int depth) {
  Key key("end");
  for (int i = 0; i < depth; ++i) key = Key(KeyTuple{key, Key(true)});
  return key;
}

ItemDocument example() {
  ItemDocument document;
  tree::Structure& structure = document.structure;
  const auto root = structure.append(NodeKind::kMapping, {});
  for (const Key& key :
       {Key(None{}), Key(false), Key(-1), Key(BigInt{"99999999999999999999"}), Key(-0.0), Key("\xed\xa0\x80"), tuple_key(2)}) {
    structure.append(NodeKind::kLeaf, key);
  }
  structure.append(NodeKind::kRecord, Key("empty"), structure.add_type({"my.module", "State"}));
  structure.append(NodeKind::kLeaf, Key("w"));
  structure.append(NodeKind::kLeaf, Key("tied"));
  structure.set_child_count(root, 10);
  document.leaves = {Scalar(None{}),
                     Scalar(true),
                     Scalar(std::int64_t{7}),
                     Scalar(BigInt{"-170141183460469231731687303715884105728"}),
                     Scalar(0.5),
                     Scalar(std::complex<double>(1, -2)),
                     Scalar(Blob::from(std::string("a\0b", 3)))};
  document.leaves.emplace_back(StoredArrayRef{"w", "torch.Parameter", {}, {1, 0xffffffff}});
  document.leaves.emplace_back(StoredArrayRef{"w", "torch.Parameter", 7, {}});
  return document;
}

ItemDocument only_a_text() {
  ItemDocument document;
  document.structure.append(NodeKind::kLeaf, {});
  document.leaves.emplace_back(Scalar(Text{"run"}));
  return document;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    check_round_trip(parse_item_document(data[0] == kWithoutCrc ? sealed(rest) : rest));
  } catch (const Error& error) {
    fuzz::fuzz_check(error.kind() == ErrorKind::kCorrupt, "an error that is not kCorrupt");
  }
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<std::string> made;
  for (const ItemDocument& document : {example(), only_a_text()}) {
    const std::string text = encoded(document);
    made.push_back(kWhole + text);
    made.push_back(kWithoutCrc + text.substr(0, text.size() - 4));
  }
  return made;
}
