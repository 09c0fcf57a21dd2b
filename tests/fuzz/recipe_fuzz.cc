// The text of a recipe, for classes of C++: what is read must have one text, and building it must end in an object or an Error.
#include <map>
#include <memory>
#include <tuple>

#include "perdure/base/error.h"
#include "perdure/recipe/canonical.h"
#include "perdure/recipe/registry.h"
#include "perdure/recipe/value_codec.h"
#include "tests/fuzz/fuzz.h"

using namespace perdure;

namespace {

struct Node {
  virtual ~Node() = default;
};
struct Leafy : Node {
  Leafy(std::int32_t, double, std::string, std::vector<bool>, std::map<std::string, double>, std::tuple<int, int>) {}
};
struct Branch : Node {
  explicit Branch(std::vector<std::shared_ptr<Node>> given, std::shared_ptr<Node> last = nullptr)
      : children(std::move(given)), extra(std::move(last)) {}
  std::vector<std::shared_ptr<Node>> children;
  std::shared_ptr<Node> extra;
};

recipe::Registry classes() {
  recipe::Registry registry;
  registry.register_class<Leafy, Node>("fuzz::Leafy", {"i", "d", "s", "b", "m", "t"});
  registry.register_class<Branch, Node>("fuzz::Branch", {"children", "extra"});
  return registry;
}

/// Under any annotation: an error, or a value that is written as one text.
void check_values(const json::Value& written) {
  using Kind = recipe::Expected::Kind;
  for (const Kind kind :
       {Kind::kAny, Kind::kTensor, Kind::kDtype, Kind::kTuple, Kind::kNamedLikeDevice, Kind::kFloat, Kind::kEnum}) {
    recipe::ArgumentForm form;
    form.expected.kind = kind;
    form.expected.repeats = true;
    form.expected.name = "a.B";
    try {
      const auto owner = std::make_shared<const json::Value>(written);
      const recipe::Value value = recipe::decode(owner, *owner, form, recipe::JsonPath());
      const json::Value once = recipe::canonical_json(recipe::encode(value, form, recipe::JsonPath()), recipe::JsonPath());
      const auto again = std::make_shared<const json::Value>(once);
      const recipe::Value same = recipe::decode(again, *again, form, recipe::JsonPath());
      fuzz::fuzz_check(recipe::encode(same, form, recipe::JsonPath()) == once, "a value changes its text");
    } catch (const Error&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const recipe::Registry registry = classes();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check_values(recipe::canonical_json(text));
    const recipe::Spec spec = registry.read(text);
    fuzz::fuzz_check(registry.read(spec.text()) == spec && registry.read(spec.text()).text() == spec.text(),
                     "a recipe changes its text");
    registry.build<Node>(spec);
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> seeds() {
  const std::string leaf =
      R"({"cls_path":"fuzz::Leafy","timestamp":"t","i":-3,"d":1.5e3,"s":"\ud800x","b":[true,false],"m":{"a":1.0},"t":{"__tuple__":[1,2]}})";
  return {
      leaf,
      R"({"cls_path":"fuzz::Branch","timestamp":"2026-01-01T00:00:00+00:00","children":[)" + leaf + "," + leaf +
          R"(],"extra":null})",
      R"({"timestamp":"t","cls_path":"fuzz::Branch","children":[]})",
      R"([{"__float__":"0x7ff8000000000123"},{"__complex__":[1.0,{"__float__":"-inf"}]},{"__bytes__":"aGk="},{"__int__":"-123"}])",
      R"({"__dict__":[[1,"a"],[{"__tuple__":[null,{"__bytes__":""}]},2],[1.5,{"__type__":"a.B"}]]})",
      R"([{"__enum__":{"class":"a.B","name":"X"}},{"__enum__":{"class":"a.B","value":3}},{"__path__":["PurePosixPath","a/b"]}])",
      R"({"__dataclass__":{"class":"a.B","fields":[["x",1],["y",{"__object__":{"class":"a.C","value":{"k":[]}}}]]}})",
      R"([{"__tensor__":{"dtype":"torch.float16","shape":[2,2],"data":[[1,2.5],[0.0,-1]]}},{"__dtype__":"numpy.int8"},{"__device__":"cuda:1"}])",
      R"({"__array__":{"dtype":"complex64","shape":[1],"data":{"__bytes__":"AAAAAAAAAAA="},"origin":"numpy"}})",
      R"({"dtype":"torch.bfloat16","shape":[0,3],"data":[]})",
      R"([{"__spec__":{"cls_path":"fuzz::Leafy","timestamp":"t"}},{"__text__":"cpu"}])"};
}
