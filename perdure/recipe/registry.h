#pragma once
// Recipes of a C++ program: the classes that they may name, each with the names of its constructor's arguments.
//
//   Registry registry;
//   registry.register_class<Mlp>("demo::Mlp", {"hidden_size", "depth"});
//   Spec spec = registry.make("demo::Mlp", {{"hidden_size", 128}, {"depth", 2}});
//   std::string text = spec.text();                                        // the same JSON as Python's
//   std::shared_ptr<Mlp> mlp = registry.build<Mlp>(registry.read(text));
//
// What is not registered cannot be built: there is no other policy. Constructors may take what convert.h lists, registered classes
// (by value or std::shared_ptr) and vectors of shared pointers to them. Trailing arguments with a default may be left out.
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "perdure/recipe/constructor.h"
#include "perdure/recipe/engine.h"

namespace perdure::recipe {

/// Any C++ object that a recipe can hold, on its way into Registry::make.
struct Given {
  Value value;
  template <class T>
  Given(const T& object) : value(to_value(object)) {}
};

/// Fill it first; then any thread may call its const members.
class Registry {
 public:
  /// Lets recipes name `T` as `path`. `names`: of the constructor's arguments, in order. `Bases`: classes as which T may be handed to
  /// other constructors. T's constructor of so many arguments must be the only one. Throws kAlreadyExists if the path is taken.
  template <class T, class... Bases, std::size_t N>
  void register_class(std::string path, const char* const (&names)[N]) {
    add(std::move(path), constructor_of<T, N, Bases...>(std::vector<std::string>(names, names + N)));
  }
  template <class T, class... Bases>
  void register_class(std::string path) {
    add(std::move(path), constructor_of<T, 0, Bases...>({}));
  }

  /// A recipe made now. Throws a RecipeError for an unknown path or argument.
  Spec make(const std::string& path, std::initializer_list<std::pair<std::string, Given>> arguments) const;
  /// Throws a RecipeError with the JSON path of the fault for whatever is no recipe of registered classes.
  Spec read(std::string_view text) const;

  /// A fresh object, its inner recipes built first. T: the class of the recipe, or one of its declared bases.
  template <class T>
  std::shared_ptr<T> build(const Spec& spec) const {
    return build_object(spec).as<T>(JsonPath());
  }

 private:
  void add(std::string path, Constructor constructor);
  BuiltObject build_object(const Spec& spec) const;

  std::map<std::string, Constructor, std::less<>> constructors_;
};

}  // namespace perdure::recipe
