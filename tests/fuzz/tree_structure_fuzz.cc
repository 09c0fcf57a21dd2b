// A tree's structure as JSON: what is accepted is a whole tree, and encodes to what decodes to the same.
#include "perdure/base/error.h"
#include "perdure/tree/names.h"
#include "tests/fuzz/fuzz.h"

using namespace perdure;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const tree::Structure structure = tree::structure_from_json(json::parse({reinterpret_cast<const char*>(data), size}));
    const json::Value again = tree::to_json(structure);
    fuzz::fuzz_check(tree::to_json(tree::structure_from_json(again)) == again, "a structure differs after a round trip");
    fuzz::fuzz_check(tree::leaf_names(structure).size() == structure.leaf_count(), "the walk does not meet every leaf");
    tree::check_unique_names(structure);
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> seeds() {
  tree::Structure structure;
  structure.set_child_count(structure.append(NodeKind::kMapping, Key()), 4);
  structure.set_child_count(structure.append(NodeKind::kList, "layers"), 2);
  structure.append(NodeKind::kLeaf, 0);
  structure.append(NodeKind::kTuple, 1);
  const std::uint32_t adam = structure.add_type({"optax", "Adam"});
  structure.set_child_count(structure.append(NodeKind::kNamedTuple, KeyTuple{"a", 1, 0.5}, adam), 1);
  structure.append(NodeKind::kLeaf, "mu");
  structure.append(NodeKind::kLeaf, "\xed\xa0\x80");
  structure.append(NodeKind::kLeaf, true);
  return {json::dump(tree::to_json(structure)), R"({"kinds":".","counts":[],"keys":[],"types":[],"typed":[]})"};
}
