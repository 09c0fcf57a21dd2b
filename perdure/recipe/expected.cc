#include "perdure/recipe/expected.h"

namespace perdure::recipe {
namespace {

std::string joined(const std::vector<Expected>& items, std::string_view separator) {
  std::string text;
  for (const Expected& item : items) text.append(text.empty() ? "" : separator).append(item.str());
  return text;
}

std::string str_without_none(const Expected& expected) {
  using Kind = Expected::Kind;
  switch (expected.kind) {
    case Kind::kAny: return "any value";
    case Kind::kNone: return "None";
    case Kind::kBool: return "bool";
    case Kind::kInt: return "int";
    case Kind::kFloat: return "float";
    case Kind::kComplex: return "complex";
    case Kind::kText: return "str";
    case Kind::kBytes: return "bytes";
    case Kind::kList: return "list[" + joined(expected.items, ", ") + "]";
    case Kind::kTuple: return "tuple[" + joined(expected.items, ", ") + (expected.repeats ? ", ...]" : "]");
    case Kind::kDict: return "dict[" + joined(expected.items, ", ") + "]";
    case Kind::kDtype: return "torch.dtype";
    case Kind::kDevice: return "torch.device";
    case Kind::kTensor: return "torch.Tensor";
    case Kind::kClass: return "class";
    case Kind::kEnum:
    case Kind::kRegistered: return expected.name;
    case Kind::kNamedLikeDtype:
    case Kind::kNamedLikeDevice: return "any value";
    case Kind::kOneOf: return joined(expected.items, " or ");
  }
  return "";
}

}  // namespace

std::string Expected::str() const { return str_without_none(*this) + (accepts_none ? " or None" : ""); }

const Expected& any_value() {
  static const Expected any;
  return any;
}

}  // namespace perdure::recipe
