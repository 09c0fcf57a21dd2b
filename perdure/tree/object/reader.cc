#include "perdure/tree/object/reader.h"

#include "perdure/base/error.h"
#include "perdure/tree/names.h"
#include "perdure/tree/object/fit.h"

namespace perdure::tree {

NodeKind TypedReader::kind(ObjectRef object) {
  if (is_value(object)) return value_reader_.kind(object);
  return is_handled(object) ? NodeKind::kMapping : objects_.kind(object);
}

void TypedReader::append_children(ObjectRef object, NodeKind kind, std::vector<Child>& out) {
  const std::size_t first = out.size();
  if (is_handled(object)) {
    for (const Value::Item& item : relative(object).items()) out.push_back({item.key, &item.value});
  } else if (is_value(object)) {
    value_reader_.append_children(object, kind, out);
  } else {
    return objects_.append_children(object, out);
  }
  for (std::size_t i = first; i < out.size(); ++i) values_.insert(out[i].object);
}

TypeName TypedReader::type_name(ObjectRef object) {
  if (is_value(object)) return value_reader_.type_name(object);
  return is_handled(object) ? TypeName{} : objects_.type_name(object);
}

Leaf TypedReader::leaf(ObjectRef object) {
  if (is_value(object)) return value_reader_.leaf(object);
  const Slot& holder = objects_.holder(object);
  return holder.type->read(holder.address);
}

LeafTemplate TypedReader::asked_for(ObjectRef leaf) {
  if (is_value(leaf)) return template_of(value_reader_.leaf(leaf));
  const Slot& holder = objects_.holder(leaf);
  return holder.type->asked_for(holder.address);
}

bool TypedReader::restore(ObjectRef leaf, Leaf value) {
  if (!is_value(leaf)) return assignments_.add(leaf, value, objects_.holder(leaf));
  restored_.insert_or_assign(leaf, std::move(value));
  return false;
}

void TypedReader::restore_handled(const FlatObjects& flat) {
  for (std::size_t position = 0; position < flat.objects.size(); ++position) {
    const auto saved = relative_.find(flat.objects[position]);
    if (saved == relative_.end()) continue;
    with_note(
        [&] { return "while restoring '" + dotted_at(flat.structure, position) + "'"; },
        [&] { assignments_.add(objects_.load(saved->first, *objects_.serializer(saved->first), restored(saved->second))); });
  }
}

const Value& TypedReader::relative(ObjectRef handled) {
  const auto known = relative_.find(handled);
  if (known != relative_.end()) return known->second;
  return relative_.emplace(handled, objects_.save(handled, *objects_.serializer(handled))).first->second;
}

/// The relative dict with the values that were read.
Value TypedReader::restored(const Value& relative) const {
  ValueReader reader;
  const FlatObjects flat = flatten(reader, &relative);
  std::vector<Leaf> leaves = read_leaves(reader, flat);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto found = restored_.find(flat.leaf(i));
    if (found != restored_.end()) leaves[i] = found->second;
  }
  return unflatten({flat.structure, std::move(leaves)});
}

}  // namespace perdure::tree
