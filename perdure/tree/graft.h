#pragma once
// A template in which some leaves stand for whatever is stored below them: a serializer's relative dict has the keys that it was
// saved with, not those that the template's object would write.
#include <vector>

#include "perdure/tree/flatten.h"

namespace perdure::tree {

/// The template, with a mapping in place of each leaf i for which is_graft[i]. Its children are what `stored` has at the same dotted key
/// path: the children of a container, a leaf under the key "", or nothing. The mapping's object is the leaf's; nodes below it have
/// none (nullptr).
FlatObjects graft(const FlatObjects& target, const Structure& stored, const std::vector<bool>& is_graft);

}  // namespace perdure::tree
