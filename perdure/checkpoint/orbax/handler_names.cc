#include "perdure/checkpoint/orbax/handler_names.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/base/immortal.h"

namespace perdure::checkpoint {
namespace {

struct Row {
  std::string_view name;
  HandlerNames names;
};

std::string v1(std::string_view handler) { return "orbax.checkpoint.experimental.v1._src.handlers." + std::string(handler); }

/// Orbax has moved these once: both names occur.
std::vector<std::string> v0(std::initializer_list<std::string_view> handlers) {
  std::vector<std::string> names;
  for (const std::string_view handler : handlers) {
    for (const char* package : {"orbax.checkpoint._src.handlers.", "orbax.checkpoint.v0._src.handlers."})
      names.push_back(package + std::string(handler));
  }
  return names;
}

Row named(std::string_view name, std::string typestr, std::vector<std::string> secondary, std::vector<std::string> files = {}) {
  return {name, {std::move(typestr), std::move(secondary), std::move(files)}};
}

/// A form that Orbax has in its older interface only.
Row named_as_v0(std::string_view name, std::string_view handler) {
  std::vector<std::string> both = v0({handler});
  return named(name, std::move(both[0]), {std::move(both[1])});
}

Row ours(std::string_view name, std::vector<std::string> files = {}) {
  return named(name, "perdure.handlers." + std::string(name), {}, std::move(files));
}

std::vector<Row> make_table() {
  return {
      named("TreeHandler", v1("pytree_handler.PyTreeHandler"),
            v0({"pytree_checkpoint_handler.PyTreeCheckpointHandler", "standard_checkpoint_handler.StandardCheckpointHandler"})),
      named("JsonHandler", v1("json_handler.JsonHandler"), v0({"json_checkpoint_handler.JsonCheckpointHandler"}),
            {"data.json", "metadata"}),
      named("MetricsHandler", v1("json_handler.MetricsHandler"), {}, {"metrics", "data.json", "metadata"}),
      named("ProtoHandler", v1("proto_handler.ProtoHandler"), v0({"proto_checkpoint_handler.ProtoCheckpointHandler"}),
            {"proto.pbtxt"}),
      named("StatefulHandler", v1("stateful_checkpointable_handler.StatefulCheckpointableHandler"), {}),
      named_as_v0("ArrayHandler", "array_checkpoint_handler.ArrayCheckpointHandler"),
      named_as_v0("NumpyRandomHandler", "random_key_checkpoint_handler.NumpyRandomKeyCheckpointHandler"),
      named_as_v0("JaxRandomKeyHandler", "random_key_checkpoint_handler.JaxRandomKeyCheckpointHandler"),
      ours("TextHandler", {"text.txt"}),
      ours("BytesHandler", {"data.bin"}),
      ours("IteratorHandler"),
      ours("PythonRandomHandler"),
      ours("TorchGeneratorHandler"),
  };
}

}  // namespace

const HandlerNames& handler_names(std::string_view name) {
  static const auto& table = make_immortal<std::vector<Row>>(make_table());
  const auto row = std::ranges::find(table, name, &Row::name);
  if (row == table.end()) throw Error(ErrorKind::kInvalid, "no built-in handler is named '" + std::string(name) + "'");
  return row->names;
}

}  // namespace perdure::checkpoint
