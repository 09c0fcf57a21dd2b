#include "perdure/recipe/engine.h"

#include <algorithm>

#include "perdure/recipe/canonical.h"

namespace perdure::recipe {
namespace {

void check(const Spec& spec, Host& host, const JsonPath& where);

/// Checks what decoding meets, inner specs too.
class Checker final : public DecodeObserver {
 public:
  explicit Checker(Host& host) : host_(host) {}
  void meet(const Value& named, const JsonPath& where) override {
    if (const SpecValue* spec = named.get_if<SpecValue>()) {
      check(**spec, host_, where);
    } else {
      host_.check(named, where);
    }
  }

 private:
  Host& host_;
};

ArgumentForm form_of(const Target& target, std::string_view name) {
  return target.signature == nullptr ? ArgumentForm{} : target.signature->form(name);
}

void check(const Spec& spec, Host& host, const JsonPath& where) {
  const JsonPath path_where = where.key("cls_path");
  const Target target = host.find(spec.cls_path(), path_where);
  if (target.signature != nullptr) check_callable_by_name(*target.signature, spec.cls_path(), path_where);
  Checker checker(host);
  for (const auto& [name, written] : spec.fields()) {
    decode(spec.owner(), *written, form_of(target, name), where.key(name), &checker);
  }
}

Spec written_spec(const std::string& cls_path, const std::string& timestamp, const std::vector<NamedValue>& arguments,
                  const Target& target, Host& host) {
  std::vector<Spec::Field> fields;
  for (const auto& [name, value] : arguments) {
    const JsonPath where = JsonPath().key(name);
    fields.emplace_back(name, canonical_json(encode(value, form_of(target, name), where), where, 2));
  }
  Spec spec(cls_path, timestamp, std::move(fields));
  check(spec, host, JsonPath());
  return spec;
}

/// Specs in an argument, and in its list or tuple, are built; all else is only decoded.
Object built(const Value& value, Host& host, const JsonPath& where) {
  if (const SpecValue* spec = value.get_if<SpecValue>()) return build(**spec, host);
  const ListValue* list = value.get_if<ListValue>();
  const TupleValue* tuple = value.get_if<TupleValue>();
  const std::vector<Value>* items = list != nullptr ? &list->items : tuple != nullptr ? &tuple->items : nullptr;
  const auto is_spec = [](const Value& item) { return item.is<SpecValue>(); };
  if (items == nullptr || std::none_of(items->begin(), items->end(), is_spec)) return host.object(value, where);
  std::vector<Object> objects;
  for (const Value& item : *items) {
    const SpecValue* spec = item.get_if<SpecValue>();
    objects.push_back(spec != nullptr ? build(**spec, host) : host.object(item, where));
  }
  return host.sequence(tuple != nullptr, std::move(objects));
}

void put_first(json::Object& object, std::initializer_list<std::string_view> keys) {
  auto& members = object.members();
  auto place = members.begin();
  for (const std::string_view key : keys) {
    const auto found = std::find_if(place, members.end(), [key](const auto& member) { return member.first == key; });
    if (found != members.end()) std::rotate(place++, found, found + 1);
  }
}

bool is_injected(const Injected& injected, std::string_view name) {
  return std::any_of(injected.named.begin(), injected.named.end(),
                     [name](const auto& argument) { return argument.first == name; });
}

void check_call(const Spec& spec, const Signature& signature, const Injected& injected) {
  std::vector<std::string> names = spec.names();
  for (const auto& [name, object] : injected.named) {
    if (spec.find(name) == nullptr) names.push_back(name);
  }
  const std::string fault = call_fault(signature, injected.positional.size(), names);
  if (!fault.empty())
    fail_type(JsonPath(), "cannot build " + spec.cls_path() + ", a recipe of " + spec.timestamp() + ": " + fault);
}

}  // namespace

Spec read(std::string_view text, Host& host) { return read(canonical_json(text), host); }

Spec read(json::Value written, Host& host) {
  if (is_written_spec(written)) put_first(written.as_object(), {"cls_path", "timestamp"});
  Spec spec(std::make_shared<const json::Value>(std::move(written)));
  check(spec, host, JsonPath());
  return spec;
}

Spec make(const std::string& cls_path, const std::string& timestamp, const std::vector<NamedValue>& arguments, Host& host) {
  const JsonPath where = JsonPath().key("cls_path");
  const Target target = host.load(cls_path, where);
  check_callable_by_name(*target.signature, cls_path, where);
  for (const auto& [name, value] : arguments) {
    if (target.signature->find(name) == nullptr) fail_type(JsonPath().key(name), cls_path + " has no argument " + quoted(name));
  }
  return written_spec(cls_path, timestamp, arguments, target, host);
}

Spec make_unbound(const std::string& cls_path, const std::string& timestamp, const std::vector<NamedValue>& arguments,
                  Host& host) {
  return written_spec(cls_path, timestamp, arguments, host.find(cls_path, JsonPath().key("cls_path")), host);
}

Value field_value(const Spec& spec, std::string_view name, Host& host) {
  const json::Value* written = spec.find(name);
  if (written == nullptr) throw Error(ErrorKind::kNotFound, "no argument " + quoted(name));
  return decode(spec.owner(), *written, form_of(host.find(spec.cls_path(), JsonPath()), name), JsonPath().key(name));
}

Object build(const Spec& spec, Host& host, Injected injected) {
  const JsonPath path_where = JsonPath().key("cls_path");
  Target target = host.load(spec.cls_path(), path_where);
  check_callable_by_name(*target.signature, spec.cls_path(), path_where);
  check_call(spec, *target.signature, injected);
  Host::Call call{spec, target, std::move(injected.positional), {}};
  Checker checker(host);
  for (const auto& [name, written] : spec.fields()) {
    if (is_injected(injected, name)) continue;
    const JsonPath where = JsonPath().key(name);
    const Value value = decode(spec.owner(), *written, target.signature->form(name), where, &checker);
    call.named.emplace_back(name, built(value, host, where));
  }
  for (auto& argument : injected.named) call.named.push_back(std::move(argument));
  return host.call(std::move(call));
}

}  // namespace perdure::recipe
