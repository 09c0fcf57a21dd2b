#pragma once
// Which handler takes which checkpointable, by type, by name, and by what a checkpoint recorded (handler_resolution.h has the rules).
//
//   perdure::CheckpointableHandlerRegistry registry = perdure::CheckpointableHandlerRegistry::built_in();
//   registry.add<VocabularyHandler>("my_program.VocabularyHandler");
#include <any>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perdure/checkpoint/checkpointable.h"
#include "perdure/checkpoint/handler_resolution.h"

namespace perdure {

/// A handler of any type: what does not fit is not taken.
class AnyCheckpointableHandler {
 public:
  virtual ~AnyCheckpointableHandler() = default;
  virtual std::unique_ptr<ItemWriter> save(const std::any& object, const SaveOptions& options) const = 0;
  virtual std::any load(const StoredItem& item, const std::any& abstract) const = 0;  // empty: as saved
  virtual bool takes(const std::any& object) const = 0;
  virtual std::optional<bool> takes_abstract(const std::any& abstract) const = 0;
};

template <class Handler>
class TypedCheckpointableHandler final : public AnyCheckpointableHandler {
 public:
  using Object = typename Handler::Object;
  using Abstract = typename Handler::AbstractObject;
  explicit TypedCheckpointableHandler(Handler handler) : handler_(std::move(handler)) {}

  std::unique_ptr<ItemWriter> save(const std::any& object, const SaveOptions& options) const override {
    return base().save(std::any_cast<const Object&>(object), options);
  }
  std::any load(const StoredItem& item, const std::any& abstract) const override {
    return base().load(item, std::any_cast<Abstract>(&abstract));
  }
  bool takes(const std::any& object) const override {
    const auto* typed = std::any_cast<Object>(&object);
    return typed != nullptr && base().is_handleable(*typed);
  }
  std::optional<bool> takes_abstract(const std::any& abstract) const override {
    const auto* typed = std::any_cast<Abstract>(&abstract);
    return typed == nullptr ? false : base().is_abstract_handleable(*typed);
  }

 private:
  const CheckpointableHandler<Object, Abstract>& base() const { return handler_; }  // its members may be private there
  Handler handler_;
};

struct AddCheckpointableHandlerOptions {
  std::optional<std::string> name = {};              // only for the checkpointable of this name, which it then gets
  std::vector<std::string> secondary_typestrs = {};  // older names of it in checkpoints
};

/// For one thread while handlers are added; then any thread may call any const member. Copies share the handlers.
class CheckpointableHandlerRegistry {
 public:
  /// The handlers of built_in_handlers.h.
  static const CheckpointableHandlerRegistry& built_in();

  /// Later ones go before earlier ones. `typestr`: what checkpoints call it; never change it. Throws kAlreadyExists for a typestr
  /// or a name that is there.
  template <class Handler>
  CheckpointableHandlerRegistry& add(std::string typestr, AddCheckpointableHandlerOptions options = {},
                                     Handler handler = Handler()) {
    return add_any(std::move(typestr), std::move(options),
                   std::make_shared<TypedCheckpointableHandler<Handler>>(std::move(handler)));
  }

  struct Found {
    const AnyCheckpointableHandler& handler;
    const std::string& typestr;
  };
  /// Throws kNoHandler naming the checkpointable. A handler of its name that is of another type does not count.
  Found for_save(const std::string& name, const std::any& object) const;
  /// `typestr`: as recorded. An empty `abstract` asks for nothing in particular.
  Found for_load(const std::string& name, const std::string& typestr, const std::any& abstract) const;

 private:
  CheckpointableHandlerRegistry& add_any(std::string typestr, AddCheckpointableHandlerOptions options,
                                         std::shared_ptr<const AnyCheckpointableHandler> handler);
  Found found(std::optional<std::size_t> entry, const std::string& name) const;

  std::vector<checkpoint::HandlerEntry> entries_;
  std::vector<std::shared_ptr<const AnyCheckpointableHandler>> handlers_;
};

}  // namespace perdure
