#include "perdure/checkpoint/leaf_handler_registry.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/base/immortal.h"

namespace perdure {

LeafHandlerRegistry& LeafHandlerRegistry::add_any(std::string typestr, AddLeafHandlerOptions options,
                                                  std::shared_ptr<const AnyLeafHandler> handler) {
  const Row row{std::move(typestr), std::move(handler)};
  if (!options.overrides && find(row.typestr) != nullptr)
    throw Error(ErrorKind::kAlreadyExists, "a leaf handler '" + row.typestr + "' is registered already");
  const auto first = std::ranges::find_if(
      rows_, [&](const Row& other) { return other.is_asked && other.handler->type() == row.handler->type(); });
  if (options.overrides && first != rows_.end()) {
    Row old = std::exchange(*first, row);
    old.is_asked = false;
    rows_.push_back(std::move(old));
  } else {
    rows_.push_back(row);
  }
  std::erase_if(rows_, [&](const Row& other) { return other.typestr == row.typestr && other.handler != row.handler; });
  return *this;
}

const LeafHandlerRegistry::Row* LeafHandlerRegistry::find(const std::type_info& type, const void* object) const {
  const auto found = std::ranges::find_if(
      rows_, [&](const Row& row) { return row.is_asked && row.handler->type() == type && row.handler->takes(object); });
  return found == rows_.end() ? nullptr : &*found;
}

const LeafHandlerRegistry::Row* LeafHandlerRegistry::find(std::string_view typestr) const {
  const auto found = std::ranges::find(rows_, typestr, &Row::typestr);
  return found == rows_.end() ? nullptr : &*found;
}

LeafHandlerRegistry& default_leaf_handlers() {
  static auto& registry = make_immortal<LeafHandlerRegistry>();
  return registry;
}

}  // namespace perdure
