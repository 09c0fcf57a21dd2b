#include "perdure/tree/object/types.h"

#include <mutex>

#include "perdure/base/error.h"

namespace perdure::tree {

void ObjectTypes::add(const ObjectType& type) {
  const std::unique_lock lock(mutex_);
  types_.emplace(type.id(), &type);
}

const ObjectType* ObjectTypes::find(const std::type_info& id) const {
  const std::shared_lock lock(mutex_);
  const auto found = types_.find(id);
  return found == types_.end() ? nullptr : found->second;
}

const ObjectType& ObjectTypes::get(const std::type_info& id) const {
  if (const ObjectType* const type = find(id)) return *type;
  throw Error(ErrorKind::kInputType,
              "a pointer to a '" + type_text(id) + "', whose description nobody has registered: call register_type<T>()");
}

}  // namespace perdure::tree
