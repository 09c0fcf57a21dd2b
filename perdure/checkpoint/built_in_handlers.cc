#include "perdure/checkpoint/built_in_handlers.h"

#include "perdure/base/error.h"
#include "perdure/base/immortal.h"
#include "perdure/checkpoint/handler_registry.h"
#include "perdure/checkpoint/write/tree_item_writer.h"
#include "perdure/tree/flatten.h"

namespace perdure {
namespace {

constexpr const char* kTextFile = "text.txt";
constexpr const char* kBytesFile = "data.bin";
constexpr const char* kJsonFiles[] = {"data.json", "metadata", "metrics"};  // the first is written

std::string orbax_typestr(std::string_view module, std::string_view cls) {
  return "orbax.checkpoint.experimental.v1._src.handlers." + std::string(module) + '.' + std::string(cls);
}

std::vector<std::string> orbax_v0_typestrs(std::initializer_list<std::string_view> handlers) {
  std::vector<std::string> typestrs;
  for (const std::string_view handler : handlers) typestrs.push_back("orbax.checkpoint._src.handlers." + std::string(handler));
  return typestrs;
}

HandlerRegistry make_built_in() {
  HandlerRegistry registry;
  registry.add<JsonHandler>(orbax_typestr("json_handler", "JsonHandler"),
                            {.secondary_typestrs = orbax_v0_typestrs({"json_checkpoint_handler.JsonCheckpointHandler"})});
  registry.add<TextHandler>("perdure.handlers.TextHandler");
  registry.add<BytesHandler>("perdure.handlers.BytesHandler");
  registry.add<TreeHandler>(std::string(checkpoint::kTreeTypestr),
                            {.secondary_typestrs = orbax_v0_typestrs({"pytree_checkpoint_handler.PyTreeCheckpointHandler",
                                                                      "standard_checkpoint_handler.StandardCheckpointHandler"})});
  return registry;
}

}  // namespace

const HandlerRegistry& HandlerRegistry::built_in() {
  static const auto& registry = make_immortal<HandlerRegistry>(make_built_in());
  return registry;
}

std::unique_ptr<ItemWriter> TreeHandler::save(const Value& state, const SaveOptions& options) const {
  return std::make_unique<checkpoint::TreeItemWriter>(NamedTree{{}, tree::flatten(state), {}}, options.arrays);
}
Value TreeHandler::load(const StoredItem& item, const Value* abstract) const {
  return abstract != nullptr ? perdure::load(item.checkpoint().path(), *abstract, item.options())
                             : perdure::load(item.checkpoint().path(), item.options());
}

std::unique_ptr<ItemWriter> JsonHandler::save(const json::Value& value, const SaveOptions&) const {
  return make_files_writer({{kJsonFiles[0], json::dump(value)}});
}
json::Value JsonHandler::load(const StoredItem& item, const NothingAsked*) const {
  for (const char* file : kJsonFiles) {
    if (const std::optional<std::string> text = item.find_file(file)) return json::parse(*text);
  }
  throw Error(ErrorKind::kNotFound, "checkpointable '" + item.name() + "' has no file of JSON");
}

std::unique_ptr<ItemWriter> TextHandler::save(const std::string& text, const SaveOptions&) const {
  return make_files_writer({{kTextFile, text}});
}
std::string TextHandler::load(const StoredItem& item, const NothingAsked*) const { return item.read_file(kTextFile); }

std::unique_ptr<ItemWriter> BytesHandler::save(const Blob& bytes, const SaveOptions&) const {
  return make_files_writer({{kBytesFile, std::string(bytes.text())}});
}
Blob BytesHandler::load(const StoredItem& item, const NothingAsked*) const { return Blob::from(item.read_file(kBytesFile)); }

}  // namespace perdure
