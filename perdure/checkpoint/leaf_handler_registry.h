#pragma once
// Which leaf handler takes which object, and which is called what in checkpoints.
//
//   perdure::default_leaf_handlers().add<VocabularyHandler>("example.Vocabulary");
//   perdure::save("run", perdure::Value::dict({{"words", perdure::Value::object(words)}}));
//   const Vocabulary& again = perdure::load("run")["words"].as_object<Vocabulary>();
//
// A field of that type in a described struct is saved and filled in the same way.
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "perdure/base/describe.h"
#include "perdure/checkpoint/leaf_handler.h"

namespace perdure {

/// A handler of any type.
class AnyLeafHandler {
 public:
  virtual ~AnyLeafHandler() = default;
  virtual const std::type_info& type() const = 0;
  /// `object` is of that type, here and below.
  virtual bool takes(const void* object) const = 0;
  virtual void serialize(const void* object, LeafOutput& out) const = 0;
  virtual std::shared_ptr<const void> deserialize(const LeafInput& in) const = 0;
};

template <class Handler>
class TypedLeafHandler final : public AnyLeafHandler {
 public:
  using Object = typename Handler::Object;
  static_assert(Described<Object>,
                "describe<T>() is missing for the type of a leaf handler: opaque<T>(\"module.Class\") will do");
  static_assert(std::copyable<Object>, "the type of a leaf handler cannot be copied");
  explicit TypedLeafHandler(Handler handler) : handler_(std::move(handler)) {}

  const std::type_info& type() const override { return typeid(Object); }
  bool takes(const void* object) const override { return base().takes(*static_cast<const Object*>(object)); }
  void serialize(const void* object, LeafOutput& out) const override {
    base().serialize(*static_cast<const Object*>(object), out);
  }
  std::shared_ptr<const void> deserialize(const LeafInput& in) const override {
    return std::make_shared<const Object>(base().deserialize(in));
  }

 private:
  const LeafHandler<Object>& base() const { return handler_; }  // its members may be private there
  Handler handler_;
};

struct AddLeafHandlerOptions {
  bool overrides = false;  // takes the place of the first handler of its type, and of one that has the typestr
};

/// For one thread while handlers are added; then any thread may call any const member. Copies share the handlers.
class LeafHandlerRegistry {
 public:
  /// Earlier ones are asked first. `typestr`: what checkpoints call it; never change it. A handler that was overridden is still found by a
  /// typestr of its own. Throws kAlreadyExists for a typestr that is there, unless it overrides.
  template <class Handler>
  LeafHandlerRegistry& add(std::string typestr, AddLeafHandlerOptions options = {}, Handler handler = Handler()) {
    return add_any(std::move(typestr), options, std::make_shared<TypedLeafHandler<Handler>>(std::move(handler)));
  }

  struct Row {
    std::string typestr;
    std::shared_ptr<const AnyLeafHandler> handler;
    bool is_asked = true;  // false: only to load what it has saved
  };
  /// The handler that saves an object; nullptr: none.
  const Row* find(const std::type_info& type, const void* object) const;
  /// The handler that checkpoints call by this name; nullptr: none.
  const Row* find(std::string_view typestr) const;
  bool empty() const { return rows_.empty(); }

 private:
  LeafHandlerRegistry& add_any(std::string typestr, AddLeafHandlerOptions options, std::shared_ptr<const AnyLeafHandler> handler);

  std::vector<Row> rows_;
};

/// The one that is used where options name none. Process-wide: add to it before the first save or load begins.
LeafHandlerRegistry& default_leaf_handlers();

}  // namespace perdure
