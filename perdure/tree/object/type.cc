#include "perdure/tree/object/type.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "perdure/base/error.h"

namespace perdure::tree {

std::string type_text(const std::type_info& id) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(id.name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : id.name();
}

void ObjectType::append_children(void*, std::vector<SlotItem>&) const {}

Leaf ObjectType::read(const void*) const { throw Error(ErrorKind::kInputType, "cannot save a '" + name() + "'"); }

LeafTemplate ObjectType::asked_for(const void*) const {
  throw Error(ErrorKind::kInputType, "a template cannot hold a '" + name() + "'");
}

Staged ObjectType::stage(void*, const Leaf&) const {
  throw Error(ErrorKind::kMismatch, "a plain value or array in the checkpoint, a '" + name() + "' in the template");
}

void refuse_to_slice(const ObjectType& type) {
  throw Error(ErrorKind::kInputType,
              "the serializer of '" + type.name() +
                  "' makes a new object and cannot restore one of a derived type; register that type, or a "
                  "serializer that fills the object");
}

TypeName class_name_of(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  if (dot == std::string_view::npos) return {"", std::string(dotted)};
  return {std::string(dotted.substr(0, dot)), std::string(dotted.substr(dot + 1))};
}

}  // namespace perdure::tree
