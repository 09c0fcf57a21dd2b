// Manifests and version nodes. The first byte of an input says what the rest is: an envelope of a manifest, or a body of either
// that gets a good envelope (a mutation of an envelope seldom survives its checksum).
#include "perdure/base/error.h"
#include "perdure/storage/ocdbt/envelope.h"
#include "perdure/storage/ocdbt/manifest.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace perdure;
using namespace perdure::storage::ocdbt;

constexpr char kEnvelope = 'E';
constexpr char kManifestBody = 'M';
constexpr char kVersionNodeBody = 'V';

void try_manifest(const Blob& envelope) {
  const Manifest manifest = decode_manifest(envelope);
  fuzz::fuzz_check(decode_manifest(Blob::from(encode_manifest(manifest, true))) == manifest,
                   "a manifest differs after encoding it again");
}

void try_version_node(const Blob& envelope) {
  const VersionNode node = decode_version_node(envelope);
  fuzz::fuzz_check(decode_version_node(Blob::from(encode_version_node(node, false))) == node,
                   "a node differs after encoding it again");
}

Manifest example_manifest() {
  Manifest manifest;
  manifest.files.add("", "");
  manifest.files.add("ocdbt.process_0/", "d/a");
  manifest.files.add("ocdbt.process_1/", "d/b");
  manifest.generations = {{33, 0, {0, kNoRoot, kNoRoot}, {}, 7}, {34, 2, {1, 64, 100}, {5, 300, 4000}, 9}};
  manifest.version_nodes = {{32, {2, 1000, 90}, 16, 3, 1}};
  return manifest;
}

VersionNode example_version_node(std::uint8_t height) {
  const Manifest manifest = example_manifest();
  VersionNode node{4, height, manifest.files, {}, {}};
  if (height == 0) node.generations = manifest.generations;
  if (height > 0) node.children = {{16, {1, 5, 6}, 16, 3, 0}, {32, {2, 7, 8}, 16, 3, 0}};
  return node;
}

std::string body_of(const std::string& envelope, Magic magic) {
  return std::string(open_envelope(Blob::from(envelope), magic).text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (data[0] == kEnvelope) try_manifest(Blob::from(rest));
    if (data[0] == kManifestBody) try_manifest(Blob::from(seal_envelope(rest, Magic::kManifest, false)));
    if (data[0] == kVersionNodeBody) try_version_node(Blob::from(seal_envelope(rest, Magic::kVersionNode, false)));
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> seeds() {
  Manifest numbered;
  numbered.config.manifest_kind = kNumberedManifests;
  std::vector<std::string> inputs;
  for (const Manifest& manifest : {example_manifest(), numbered}) {
    inputs.push_back(kEnvelope + encode_manifest(manifest, true));
    inputs.push_back(kManifestBody + body_of(encode_manifest(manifest, false), Magic::kManifest));
  }
  for (const std::uint8_t height : {0, 1}) {
    const std::string envelope = encode_version_node(example_version_node(height), false);
    inputs.push_back(kVersionNodeBody + body_of(envelope, Magic::kVersionNode));
  }
  return inputs;
}
