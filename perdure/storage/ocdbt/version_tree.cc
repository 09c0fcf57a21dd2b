#include "perdure/storage/ocdbt/version_tree.h"

#include <string>

#include "perdure/storage/ocdbt/envelope.h"

namespace perdure::storage::ocdbt {
namespace {

void check_ascends(std::uint64_t before, std::uint64_t number) {
  if (number > before) return;
  throw Error(ErrorKind::kCorrupt, "generation " + std::to_string(number) + " follows " + std::to_string(before));
}

}  // namespace

void check(std::span<const Generation> generations, const DataFileTable& files) {
  if (generations.empty()) throw Error(ErrorKind::kCorrupt, "no generations");
  std::uint64_t before = 0;
  for (const Generation& generation : generations) {
    check_ascends(before, generation.number);
    before = generation.number;
    check_file_id(files, generation.root.file);
  }
}

void check(std::span<const VersionNodeReference> references, const DataFileTable& files) {
  std::uint64_t before = 0;
  for (const VersionNodeReference& reference : references) {
    check_ascends(before, reference.last_generation);
    before = reference.last_generation;
    check_file_id(files, reference.node.file);
  }
}

VersionNode decode_version_node(const Blob& envelope) {
  const Blob body = open_envelope(envelope, Magic::kVersionNode);
  return with_note([] { return std::string("version node"); },
                   [&] {
                     ByteReader io(body);
                     VersionNode node;
                     version_node(io, node);
                     io.expect_end();
                     check(node.files);
                     if (node.height == 0) {
                       check(node.generations, node.files);
                     } else if (node.children.empty()) {
                       throw Error(ErrorKind::kCorrupt, "no children");
                     }
                     check(node.children, node.files);
                     return node;
                   });
}

std::string encode_version_node(const VersionNode& node, bool compress) {
  ByteWriter io;
  version_node(io, node);
  return seal_envelope(io.str(), Magic::kVersionNode, compress);
}

}  // namespace perdure::storage::ocdbt
