#include "perdure/recipe/codecs/table.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <span>

namespace perdure::recipe {
namespace {

// As the alternatives of Value.
constexpr const ValueCodec* kCodecTable[] = {
    &kNoneCodec,  &kBoolCodec, &kIntCodec,   &kBigIntCodec, &kFloatCodec,      &kComplexCodec, &kTextCodec,
    &kBytesCodec, &kListCodec, &kTupleCodec, &kDictCodec,   &kArrayCodec,      &kDtypeCodec,   &kDeviceCodec,
    &kClassCodec, &kEnumCodec, &kPathCodec,  &kRecordCodec, &kRegisteredCodec, &kSpecCodec,
};
static_assert(std::size(kCodecTable) == std::variant_size_v<decltype(Value::data)>);

// Which write and read some values of a kind in a form of their own.
constexpr const ValueCodec* kFurtherTags[] = {&kTensorCodec};

// As the values of Expected::Kind.
constexpr const ExpectedForm* kFormTable[] = {
    &kAnyForm,
    &kNoneForm,
    &kBoolForm,
    &kIntForm,
    &kFloatForm,
    &kComplexForm,
    &kTextForm,
    &kBytesForm,
    &kListForm,
    &kTupleForm,
    &kDictForm,
    &kDtypeForm,
    &kDeviceForm,
    &kTensorForm,
    &kClassForm,
    &kEnumForm,
    &kRegisteredForm,
    &kNamedLikeDtypeForm,
    &kNamedLikeDeviceForm,
    &kOneOfForm,
};
static_assert(std::size(kFormTable) == static_cast<std::size_t>(Expected::Kind::kOneOf) + 1);

const ValueCodec* find_row(std::span<const ValueCodec* const> table, std::string_view tag) {
  const auto row = std::ranges::find(table, tag, &ValueCodec::tag);
  return row == table.end() ? nullptr : *row;
}

}  // namespace

const ValueCodec& codec_of(const Value& value) { return *kCodecTable[value.data.index()]; }

const ValueCodec* find_codec(std::string_view tag) {
  if (tag.empty()) return nullptr;
  const ValueCodec* const found = find_row(kCodecTable, tag);
  return found != nullptr ? found : find_row(kFurtherTags, tag);
}

const ExpectedForm& form_of(const Expected& expected) {
  const ExpectedForm& form = *kFormTable[static_cast<std::size_t>(expected.kind)];
  assert(form.kind == expected.kind);
  return form;
}

std::optional<Expected::Kind> find_expected_kind(std::string_view name) {
  const auto row = std::ranges::find(kFormTable, name, &ExpectedForm::name);
  return row == std::end(kFormTable) ? std::nullopt : std::optional((*row)->kind);
}

}  // namespace perdure::recipe
