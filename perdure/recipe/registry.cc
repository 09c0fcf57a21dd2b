#include "perdure/recipe/registry.h"

#include <algorithm>

#include "perdure/recipe/dotted_path.h"
#include "perdure/recipe/timestamp.h"

namespace perdure::recipe {
namespace {

using Constructors = std::map<std::string, Constructor, std::less<>>;

/// Targets are what is registered; objects are ArgumentObjects.
class RegistryHost final : public Host {
 public:
  explicit RegistryHost(const Constructors& constructors) : constructors_(constructors) {}

  Target find(const std::string& path, const JsonPath& where) override {
    const auto found = constructors_.find(path);
    if (found == constructors_.end()) fail(where, "no class is registered as " + quoted(path));
    auto signature = std::make_shared<Signature>();
    const Constructor& constructor = found->second;
    for (const std::string& name : constructor.names) {
      const bool has_default = signature->parameters.size() >= constructor.required_count;
      signature->parameters.push_back({name, Parameter::Kind::kPlain, has_default, {}, std::nullopt});
    }
    return {std::move(signature), &constructor};
  }
  Target load(const std::string& path, const JsonPath& where) override { return find(path, where); }
  void check(const Value&, const JsonPath&) override {}  // no C++ type holds what names a class of Python

  Object object(const Value& value, const JsonPath& where) override { return ArgumentObject{value, where}; }
  Object sequence(bool, std::vector<Object> items) override {
    std::vector<ArgumentObject> objects;
    for (const Object& item : items) objects.push_back(std::any_cast<ArgumentObject>(item));
    return ArgumentObject{std::move(objects), JsonPath()};
  }

  Object call(Call call) override {
    const auto& constructor = *std::any_cast<const Constructor*>(call.target.callable);
    std::vector<ArgumentObject> arguments;
    for (const std::string& name : constructor.names) {
      const auto given =
          std::find_if(call.named.begin(), call.named.end(), [&](const auto& named) { return named.first == name; });
      if (given == call.named.end()) break;
      arguments.push_back({std::any_cast<ArgumentObject>(given->second).content, JsonPath().key(name)});
    }
    if (arguments.size() < call.named.size()) {
      fail_type(JsonPath(), "cannot build " + call.spec.cls_path() + ", a recipe of " + call.spec.timestamp() + ": it needs " +
                                quoted(constructor.names[arguments.size()]) + ", since a later argument is given");
    }
    return ArgumentObject{constructor.construct(arguments), JsonPath()};
  }

 private:
  const Constructors& constructors_;
};

}  // namespace

void Registry::add(std::string path, Constructor constructor) {
  check_any_path(path, JsonPath());
  if (!constructors_.emplace(path, std::move(constructor)).second) {
    throw Error(ErrorKind::kAlreadyExists, "a class is registered as '" + path + "' already");
  }
}

Spec Registry::make(const std::string& path, std::initializer_list<std::pair<std::string, Given>> arguments) const {
  std::vector<NamedValue> values;
  for (const auto& [name, given] : arguments) values.emplace_back(name, given.value);
  RegistryHost host(constructors_);
  return recipe::make(path, timestamp_now(system_clock()), values, host);
}

Spec Registry::read(std::string_view text) const {
  RegistryHost host(constructors_);
  return recipe::read(text, host);
}

BuiltObject Registry::build_object(const Spec& spec) const {
  RegistryHost host(constructors_);
  return std::any_cast<BuiltObject>(std::any_cast<ArgumentObject>(recipe::build(spec, host)).content);
}

}  // namespace perdure::recipe
