// B+tree nodes. The first byte of an input says what the rest is: an envelope, or a body that gets a good envelope, compressed
// unless the byte says otherwise (a mutation of an envelope seldom survives its checksum).
#include "perdure/base/error.h"
#include "perdure/storage/ocdbt/btree_node.h"
#include "perdure/storage/ocdbt/envelope.h"
#include "perdure/storage/ocdbt/writer.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace perdure;
using namespace perdure::storage::ocdbt;

constexpr char kEnvelope = 'E';
constexpr char kBody = 'B';

Blob envelope_of(std::string_view input) {
  const std::string_view rest = input.substr(1);
  return Blob::from(input.front() == kEnvelope ? std::string(rest)
                                               : seal_envelope(rest, Magic::kBtreeNode, input.front() != kBody));
}

std::string body_of(const std::string& envelope) {
  return std::string(open_envelope(Blob::from(envelope), Magic::kBtreeNode).text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    const BtreeNode node = decode_btree_node(envelope_of({reinterpret_cast<const char*>(data), size}));
    fuzz::fuzz_check(decode_btree_node(Blob::from(encode_btree_node(node, false))) == node,
                     "a node differs after encoding it again");
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<Entry> entries;
  for (int i = 0; i < 9; ++i) {
    const bool is_inline = i % 2 == 0;
    entries.push_back(
        {"layer" + std::to_string(i), is_inline, is_inline ? "value" : "", static_cast<std::uint32_t>(i % 3), 64u * i, 5});
  }
  std::vector<std::string> inputs;
  for (const std::uint64_t node_bytes : {400u, 100'000u}) {
    const WriterConfig config{.max_decoded_node_bytes = node_bytes, .compress_nodes = false};
    const std::string nodes = encode_database(entries, {"d/a", "d/bb", "ocdbt.process_0/d/a"}, 0, 0, config).nodes;
    for (std::size_t at = 0, length = 0; at < nodes.size(); at += length) {
      std::uint64_t stored = 0;
      ByteReader(as_bytes(nodes).subspan(at + 4)).u64le(stored);
      length = stored;
      const std::string envelope = nodes.substr(at, length);
      inputs.push_back(kEnvelope + envelope);
      inputs.push_back(kBody + body_of(envelope));
    }
  }
  inputs.push_back(kEnvelope + encode_database(entries, {"d/a", "d/bb", "d/c"}, 0, 0, {}).nodes);
  return inputs;
}
