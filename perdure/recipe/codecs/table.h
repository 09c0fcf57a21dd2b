#pragma once
// All kinds of values and of expectations, each defined in a file of this folder.
#include <string_view>

#include "perdure/recipe/codecs/codec.h"

namespace perdure::recipe {

// any.cc
extern const ValueCodec kNoneCodec, kSpecCodec;
extern const ExpectedForm kAnyForm, kNoneForm, kOneOfForm;
// arrays.cc
extern const ValueCodec kArrayCodec, kTensorCodec;
extern const ExpectedForm kTensorForm;
// classes.cc
extern const ValueCodec kClassCodec, kEnumCodec, kRecordCodec, kRegisteredCodec;
extern const ExpectedForm kClassForm, kEnumForm, kRegisteredForm;
// containers.cc
extern const ValueCodec kListCodec, kTupleCodec, kDictCodec;
extern const ExpectedForm kListForm, kTupleForm, kDictForm;
// dtypes.cc
extern const ValueCodec kDtypeCodec, kDeviceCodec;
extern const ExpectedForm kDtypeForm, kDeviceForm, kNamedLikeDtypeForm, kNamedLikeDeviceForm;
// numbers.cc
extern const ValueCodec kBoolCodec, kIntCodec, kBigIntCodec, kFloatCodec, kComplexCodec;
extern const ExpectedForm kBoolForm, kIntForm, kFloatForm, kComplexForm;
// texts.cc
extern const ValueCodec kTextCodec, kBytesCodec, kPathCodec;
extern const ExpectedForm kTextForm, kBytesForm;

const ValueCodec& codec_of(const Value& value);
/// nullptr for an unknown tag.
const ValueCodec* find_codec(std::string_view tag);
const ExpectedForm& form_of(const Expected& expected);

}  // namespace perdure::recipe
