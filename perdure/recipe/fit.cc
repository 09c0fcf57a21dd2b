#include "perdure/recipe/fit.h"

#include <algorithm>

#include "perdure/base/origin.h"

namespace perdure::recipe {
namespace {

using Kind = Expected::Kind;

const Expected& item_of(const Expected& expected, std::size_t index) {
  return index < expected.items.size() ? expected.items[index] : any_value();
}

bool is_integer(const Value& value) { return value.is<std::int64_t>() || value.is<BigInt>(); }

/// np.float32(1) where a float is expected.
bool is_numpy_scalar(const Value& value, DTypeKind widest) {
  const ArrayValue* array = value.get_if<ArrayValue>();
  if (array == nullptr || array->origin != origins::kNumpyScalar) return false;
  const DTypeKind kind = info(array->dtype).kind;
  if (widest == DTypeKind::kBool || kind == DTypeKind::kBool) return kind == widest;
  return kind <= widest || (widest == DTypeKind::kInt && kind == DTypeKind::kUint);
}

/// The items of a list or tuple, if `expected` takes this kind of it.
const std::vector<Value>* items_of(const Value& value, const Expected& expected) {
  const ListValue* list = expected.kind == Kind::kTuple ? nullptr : value.get_if<ListValue>();
  const TupleValue* tuple = expected.kind == Kind::kList ? nullptr : value.get_if<TupleValue>();
  return list != nullptr ? &list->items : tuple != nullptr ? &tuple->items : nullptr;
}

bool has_right_length(std::size_t count, const Expected& expected) {
  return expected.kind != Kind::kTuple || expected.repeats || expected.items.size() == count;
}

bool items_fit(const Value& value, const Expected& expected) {
  const std::vector<Value>* items = items_of(value, expected);
  if (items == nullptr || !has_right_length(items->size(), expected)) return false;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const bool is_fixed = expected.kind == Kind::kTuple && !expected.repeats;
    if (!fits((*items)[i], item_of(expected, is_fixed ? i : 0))) return false;
  }
  return true;
}

bool entries_fit(const Value& value, const Expected& expected) {
  const DictValue* dict = value.get_if<DictValue>();
  return dict != nullptr && std::all_of(dict->items.begin(), dict->items.end(), [&](const auto& entry) {
           return fits(entry.key, item_of(expected, 0)) && fits(entry.value, item_of(expected, 1));
         });
}

bool fits_kind(const Value& value, const Expected& expected) {
  switch (expected.kind) {
    case Kind::kAny:
    case Kind::kNamedLikeDtype:
    case Kind::kNamedLikeDevice: return true;
    case Kind::kNone: return value.is<None>();
    case Kind::kBool: return value.is<bool>() || is_numpy_scalar(value, DTypeKind::kBool);
    case Kind::kInt: return is_integer(value) || value.is<bool>() || is_numpy_scalar(value, DTypeKind::kInt);
    case Kind::kFloat:
      return value.is<double>() || is_integer(value) || value.is<bool>() || is_numpy_scalar(value, DTypeKind::kFloat);
    case Kind::kComplex:
      return value.is<std::complex<double>>() || value.is<double>() || is_integer(value) || value.is<bool>() ||
             is_numpy_scalar(value, DTypeKind::kComplex);
    case Kind::kText: return value.is<Text>();
    case Kind::kBytes: return value.is<Blob>();
    case Kind::kList:
    case Kind::kTuple: return items_fit(value, expected);
    case Kind::kDict: return entries_fit(value, expected);
    case Kind::kDtype: return value.is<DtypeValue>() && value.get_if<DtypeValue>()->name.starts_with("torch.");
    case Kind::kDevice: return value.is<DeviceValue>();
    case Kind::kTensor: return value.is<ArrayValue>() && value.get_if<ArrayValue>()->origin.starts_with("torch");
    case Kind::kClass: return value.is<ClassValue>() || value.is<DtypeValue>();
    case Kind::kEnum: return value.is<EnumValue>();
    case Kind::kRegistered: return value.is<RegisteredValue>();
    case Kind::kOneOf:
      return std::any_of(expected.items.begin(), expected.items.end(), [&](const Expected& one) { return fits(value, one); });
  }
  return false;
}

}  // namespace

bool fits(const Value& value, const Expected& expected) {
  if (value.is<SpecValue>()) return true;  // what it will build is not known yet
  return (value.is<None>() && expected.accepts_none) || fits_kind(value, expected);
}

void check_fits(const Value& value, const Expected& expected, const JsonPath& where) {
  if (fits(value, expected)) return;
  if (const auto* items = items_of(value, expected); items != nullptr && expected.kind != Kind::kOneOf) {
    const bool is_fixed = expected.kind == Kind::kTuple && !expected.repeats;
    if (!has_right_length(items->size(), expected)) {
      fail(where, "expected " + expected.str() + ", found " + std::to_string(items->size()) + " items");
    }
    for (std::size_t i = 0; i < items->size(); ++i) check_fits((*items)[i], item_of(expected, is_fixed ? i : 0), where.index(i));
  }
  fail(where, "expected " + expected.str() + ", found " + value.kind_name());
}

}  // namespace perdure::recipe
