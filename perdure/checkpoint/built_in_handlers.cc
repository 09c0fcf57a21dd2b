#include "perdure/checkpoint/built_in_handlers.h"

#include "perdure/base/error.h"
#include "perdure/base/immortal.h"
#include "perdure/checkpoint/checkpointable_handler_registry.h"
#include "perdure/checkpoint/orbax/handler_names.h"
#include "perdure/checkpoint/write/tree_item_writer.h"
#include "perdure/tree/flatten.h"

namespace perdure {
namespace {

using checkpoint::handler_names;

/// Registers `Handler` under the names of `name`.
template <class Handler>
void add(CheckpointableHandlerRegistry& registry, std::string_view name) {
  const checkpoint::HandlerNames& names = handler_names(name);
  registry.add<Handler>(names.typestr, {.secondary_typestrs = names.secondary_typestrs});
}

const std::string& written_file(std::string_view name) { return handler_names(name).files[0]; }

CheckpointableHandlerRegistry make_built_in() {
  CheckpointableHandlerRegistry registry;
  add<JsonHandler>(registry, "JsonHandler");
  add<TextHandler>(registry, "TextHandler");
  add<BytesHandler>(registry, "BytesHandler");
  add<TreeHandler>(registry, "TreeHandler");
  return registry;
}

}  // namespace

const CheckpointableHandlerRegistry& CheckpointableHandlerRegistry::built_in() {
  static const auto& registry = make_immortal<CheckpointableHandlerRegistry>(make_built_in());
  return registry;
}

std::unique_ptr<ItemWriter> TreeHandler::save(const Value& state, const SaveOptions& options) const {
  return std::make_unique<checkpoint::TreeItemWriter>(NamedTree{{}, tree::flatten(state), {}}, options);
}
Value TreeHandler::load(const StoredItem& item, const Value* abstract) const {
  return abstract != nullptr ? perdure::load(item.checkpoint().path(), *abstract, item.options())
                             : perdure::load(item.checkpoint().path(), item.options());
}

std::unique_ptr<ItemWriter> JsonHandler::save(const json::Value& value, const SaveOptions&) const {
  return make_files_writer({{written_file("JsonHandler"), json::dump(value)}});
}
json::Value JsonHandler::load(const StoredItem& item, const NothingAsked*) const {
  for (const std::string& file : handler_names("MetricsHandler").files) {  // those of JSON, and its own
    if (const std::optional<std::string> text = item.find_file(file)) return json::parse(*text);
  }
  throw Error(ErrorKind::kNotFound, "checkpointable '" + item.name() + "' has no file of JSON");
}

std::unique_ptr<ItemWriter> TextHandler::save(const std::string& text, const SaveOptions&) const {
  return make_files_writer({{written_file("TextHandler"), text}});
}
std::string TextHandler::load(const StoredItem& item, const NothingAsked*) const {
  return item.read_file(written_file("TextHandler"));
}

std::unique_ptr<ItemWriter> BytesHandler::save(const Blob& bytes, const SaveOptions&) const {
  return make_files_writer({{written_file("BytesHandler"), std::string(bytes.text())}});
}
Blob BytesHandler::load(const StoredItem& item, const NothingAsked*) const {
  return Blob::from(item.read_file(written_file("BytesHandler")));
}

}  // namespace perdure
