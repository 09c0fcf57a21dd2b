#pragma once
// What the parsers of .zarray and zarr.json share: members by name, shapes, checks of the whole, private dtypes.
#include <cstddef>
#include <string>
#include <string_view>

#include "perdure/base/error.h"
#include "perdure/base/json.h"
#include "perdure/storage/zarr/metadata.h"

namespace perdure::storage::zarr {

constexpr std::size_t kRankMax = 64;
constexpr std::size_t kJsonDepthMax = 100;

/// What `body` makes of a member; its errors name the member. Throws kCorrupt if there is none.
template <class Body>
auto parse_member(const json::Object& object, std::string_view key, Body&& body) {
  return with_note([&] { return "member '" + std::string(key) + "'"; }, [&] { return body(object.at(key)); });
}

/// A list of at most kRankMax extents, each below 2^63.
Shape parse_shape(const json::Value& value);

/// Ranks are equal, chunks have elements and a size that fits 64 bits.
void check_chunk_shape(const Shape& shape, const Shape& chunk_shape, DType dtype);

/// Throws kCorrupt unless `member` is the integer `format`.
void check_zarr_format(const json::Value& member, int format);

/// `stored`, or the dtype that {"perdure": {"dtype": ...}} in the user attributes names for it (see DTypeInfo::has_zarr_name).
DType private_dtype(const json::Value& attributes, DType stored);

}  // namespace perdure::storage::zarr
