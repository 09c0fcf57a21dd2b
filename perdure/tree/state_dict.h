#pragma once
// Any training state as one flat dict, and back through a template: the engine behind perdure.tree and perdure::tree.
//
// Keys: fields and mapping keys are joined by ".", positions attach as "[i]", a leaf at the root has the key "", a serializer's keys
// are relative to its slot ("" is the slot itself). The template decides containers, lengths, dtypes and devices; the flat dict
// gives values. A slot whose key is missing keeps the template's own object.
#include <string>
#include <vector>

#include "perdure/tree/state_host.h"

namespace perdure::tree {

/// Puts every leaf of `root` into the host's flat dict, in the order of the walk. Throws kInputType naming the key: for an
/// unknown leaf, a cycle, two leaves of one key. Whatever a serializer throws passes, with a note that names its key.
void save_state(StateHost& host, ObjectRef root);

struct Restored {
  ObjectRef root = nullptr;           // owned by the host
  std::vector<std::string> unused;    // keys of the flat dict that nothing in the template asked for
  std::vector<std::string> unfilled;  // array leaves of the template that nothing in the flat dict filled
};

/// A twin of the template with the values of `flat`. The template is not touched. Throws kInputType for an unknown leaf or a cycle;
/// what the host throws for a leaf passes, with a note that names its key.
Restored restore_state(StateHost& host, ObjectRef target, std::vector<FlatEntry> flat);

}  // namespace perdure::tree
