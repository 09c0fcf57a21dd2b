// `_METADATA` of a foreign item, and the tree that is built from it.
#include "perdure/base/error.h"
#include "perdure/checkpoint/orbax/orbax_tree.h"
#include "tests/fuzz/fuzz.h"

using namespace perdure;
using namespace perdure::checkpoint;

namespace {

TreeMetadataEntry entry(std::vector<TreeMetadataEntry::PathKey> path, std::string value_type) {
  return {.path = std::move(path), .value_type = std::move(value_type), .write_shape = {}};
}

TreeMetadata example() {
  TreeMetadata metadata;
  metadata.use_ocdbt = true;
  metadata.entries.push_back(entry({{"a"}, {"0", TreeMetadataEntry::KeyType::kSequence}}, "jax.Array"));
  metadata.entries.back().write_shape = Shape{4, 2};
  metadata.entries.push_back(entry({{"a"}, {"1", TreeMetadataEntry::KeyType::kSequence}}, "None"));
  metadata.entries.push_back(entry({{"b\xc3\xbc"}}, "string"));
  return metadata;
}

bool same_entries(const TreeMetadata& a, const TreeMetadata& b) {
  if (a.entries.size() != b.entries.size()) return false;
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    const TreeMetadataEntry& x = a.entries[i];
    const TreeMetadataEntry& y = b.entries[i];
    if (x.value_type != y.value_type || x.write_shape != y.write_shape || x.path.size() != y.path.size()) return false;
    for (std::size_t k = 0; k < x.path.size(); ++k) {
      if (x.path[k].key != y.path[k].key || x.path[k].type != y.path[k].type) return false;
    }
  }
  return true;
}

bool same(const TreeMetadata& a, const TreeMetadata& b) {
  return same_entries(a, b) && a.use_ocdbt == b.use_ocdbt && a.use_zarr3 == b.use_zarr3 &&
         a.custom_metadata == b.custom_metadata && a.value_metadata_tree == b.value_metadata_tree &&
         a.private_files == b.private_files && a.is_ours == b.is_ours;
}

}  // namespace

std::vector<std::string> seeds() {
  TreeMetadata ours = example();
  ours.is_ours = true;
  ours.private_files = {"_PERDURE_TREE"};
  TreeMetadata rich;
  rich.entries.push_back(entry({{"t"}, {"0", TreeMetadataEntry::KeyType::kSequence}}, "np.ndarray"));
  rich.value_metadata_tree =
      json::parse(R"({"t":{"category":"custom","clazz":"tuple","entries":[{"category":"custom","clazz":"ValueMetadataEntry",
    "data":{"value_type":"np.ndarray","skip_deserialize":false}}]}})");
  return {encode_tree_metadata(example()), encode_tree_metadata(ours), encode_tree_metadata(rich)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const TreeMetadata metadata = parse_tree_metadata(as_text({reinterpret_cast<const std::byte*>(data), size}));
    perdure::fuzz::fuzz_check(same(parse_tree_metadata(encode_tree_metadata(metadata)), metadata),
                              "_METADATA did not come back equal");
    const OrbaxTree tree = build_orbax_tree(metadata);
    perdure::fuzz::fuzz_check(tree.entry_of_leaf.size() == tree.structure.leaf_count(), "a leaf has no entry");
  } catch (const Error&) {
  }
  return 0;
}
