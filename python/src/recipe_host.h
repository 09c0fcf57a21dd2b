#pragma once
// Python as the language of a recipe's targets: the engine's questions, put to perdure._src.recipe.host.Host. All of it needs the GIL.
#include <nanobind/nanobind.h>

#include "perdure/recipe/host.h"

namespace perdure::python {

class RecipeHost final : public recipe::Host {
 public:
  /// `host`: a perdure._src.recipe.host.Host that lives longer.
  explicit RecipeHost(nanobind::handle host);

  recipe::Target find(const std::string& path, const recipe::JsonPath& where) override;
  recipe::Target load(const std::string& path, const recipe::JsonPath& where) override;
  void check(const recipe::Value& named, const recipe::JsonPath& where) override;
  recipe::Object object(const recipe::Value& value, const recipe::JsonPath& where) override;
  recipe::Object sequence(bool is_tuple, std::vector<recipe::Object> items) override;
  recipe::Object call(Call call) override;

 private:
  recipe::Target target(const nanobind::object& found) const;
  recipe::Parameter parameter(nanobind::handle described) const;

  nanobind::object host_;
  const recipe::Policy& policy_;
};

}  // namespace perdure::python
