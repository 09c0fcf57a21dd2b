#include "perdure/checkpoint/plan/leaf_handler_output.h"

#include "perdure/base/error.h"
#include "perdure/base/leaf_note.h"
#include "perdure/checkpoint/document/leaf_kinds/handled.h"
#include "perdure/checkpoint/files/item_name.h"
#include "perdure/tree/names.h"

namespace perdure::checkpoint {
namespace {

const LeafHandlerRegistry::Row& handler_of(const Handled& handled, const LeafHandlerRegistry& handlers) {
  if (handled.type == nullptr) {
    throw Error(ErrorKind::kInputType, "only the name '" + handled.typestr + "' of a value, without the value");
  }
  const LeafHandlerRegistry::Row* const row = handlers.find(*handled.type, handled.object.get());
  if (row == nullptr) throw Error(ErrorKind::kNoHandler, "no leaf handler takes an object of its type");
  return *row;
}

}  // namespace

HandlerOutput serialize_handled(tree::FlatTree& tree, const LeafHandlerRegistry& handlers) {
  HandlerOutput output;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < tree.leaves.size(); ++i) {
    const Handled* const handled = find_handled(tree.leaves[i]);
    if (handled == nullptr) continue;
    if (names.empty()) names = tree::leaf_names(tree.structure);
    with_leaf_note(names[i], [&] {
      const LeafHandlerRegistry::Row& row = handler_of(*handled, handlers);
      LeafOutput out(part_prefix(names[i]), i, output);
      row.handler->serialize(handled->object.get(), out);
      tree.leaves[i] = Scalar(Handled{row.typestr});
    });
  }
  for (const NamedContent& file : output.files) check_handler_file_name(file.name);
  return output;
}

}  // namespace perdure::checkpoint
