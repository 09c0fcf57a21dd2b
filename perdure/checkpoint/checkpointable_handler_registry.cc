#include "perdure/checkpoint/checkpointable_handler_registry.h"

#include <algorithm>

#include "perdure/base/error.h"

namespace perdure {
namespace {

class Answers final : public checkpoint::HandlerAnswers {
 public:
  Answers(const std::vector<std::shared_ptr<const AnyCheckpointableHandler>>& handlers, const std::any& object)
      : handlers_(handlers), object_(object) {}
  bool takes(std::size_t entry) override { return handlers_[entry]->takes(object_); }
  std::optional<bool> takes_abstract(std::size_t entry) override { return handlers_[entry]->takes_abstract(object_); }

 private:
  const std::vector<std::shared_ptr<const AnyCheckpointableHandler>>& handlers_;
  const std::any& object_;
};

}  // namespace

LoadOptions StoredItem::options() const {
  LoadOptions options = options_;
  options.checkpointable_name = name_;
  return options;
}

std::string StoredItem::read_file(const std::string& file) const {
  std::optional<std::string> content = find_file(file);
  if (!content) throw Error(ErrorKind::kNotFound, "checkpointable '" + name_ + "' has no file '" + file + "'");
  return std::move(*content);
}

CheckpointableHandlerRegistry& CheckpointableHandlerRegistry::add_any(std::string typestr,
                                                                      AddCheckpointableHandlerOptions options,
                                                                      std::shared_ptr<const AnyCheckpointableHandler> handler) {
  const auto is_taken = [&](const checkpoint::HandlerEntry& entry) {
    return options.name ? entry.name == options.name : !entry.name && entry.typestr == typestr;
  };
  if (std::ranges::any_of(entries_, is_taken)) {
    throw Error(ErrorKind::kAlreadyExists, "a handler for '" + options.name.value_or(typestr) + "' is registered already");
  }
  entries_.push_back({std::move(typestr), std::move(options.name), std::move(options.secondary_typestrs)});
  handlers_.push_back(std::move(handler));
  return *this;
}

CheckpointableHandlerRegistry::Found CheckpointableHandlerRegistry::found(std::optional<std::size_t> entry,
                                                                          const std::string& name) const {
  if (!entry) throw Error(ErrorKind::kNoHandler, "no handler takes checkpointable '" + name + "'");
  return {*handlers_[*entry], entries_[*entry].typestr};
}

CheckpointableHandlerRegistry::Found CheckpointableHandlerRegistry::for_save(const std::string& name,
                                                                             const std::any& object) const {
  Answers answers(handlers_, object);
  const Found chosen = found(checkpoint::handler_to_save(entries_, name, false, answers), name);
  if (!chosen.handler.takes(object)) {
    throw Error(ErrorKind::kNoHandler, "handler '" + chosen.typestr + "' of checkpointable '" + name + "' takes another type");
  }
  return chosen;
}

CheckpointableHandlerRegistry::Found CheckpointableHandlerRegistry::for_load(const std::string& name, const std::string& typestr,
                                                                             const std::any& abstract) const {
  Answers answers(handlers_, abstract);
  const checkpoint::LoadQuestion question{.name = name, .typestr = typestr, .has_template = abstract.has_value()};
  return found(checkpoint::handler_to_load(entries_, question, answers), name);
}

}  // namespace perdure
