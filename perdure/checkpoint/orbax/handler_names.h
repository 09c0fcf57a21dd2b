#pragma once
// What checkpoints call the built-in handlers of checkpointables, and the files of those that have a few small ones. Both are part of
// the format: where Orbax has a handler of this form, the name is Orbax's. Python's handlers ask for theirs.
#include <string>
#include <string_view>
#include <vector>

namespace perdure::checkpoint {

struct HandlerNames {
  std::string typestr;                          // as recorded
  std::vector<std::string> secondary_typestrs;  // in checkpoints of others
  std::vector<std::string> files;               // by precedence: the first is written, the first that is there is read
};

/// Of the handler that perdure calls `name`: "TreeHandler". Throws kInvalid if there is none.
const HandlerNames& handler_names(std::string_view name);

}  // namespace perdure::checkpoint
