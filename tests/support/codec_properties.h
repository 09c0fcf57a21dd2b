#pragma once
// What every codec must do, as assertions that the test of each codec calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/storage/codec.h"

namespace perdure::storage {

/// Bytes that compress well but not to nothing.
inline Blob sample_bytes(std::size_t size) {
  std::string text(size, '\0');
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < size; ++i) {
    if (i % 7 == 0) state = state * 1664525 + 1013904223;
    text[i] = static_cast<char>(state >> 28);
  }
  return Blob::from(std::move(text));
}

inline Blob joined(const Blob& a, std::string_view b) { return Blob::from(std::string(a.text()) + std::string(b)); }

inline std::string decoded_into(const Codec& codec, const Blob& encoded, std::size_t size) {
  std::string target(size, '?');
  codec.decode_into(encoded, {reinterpret_cast<std::byte*>(target.data()), size});
  return target;
}

/// The message of the kCorrupt error that decoding must throw; "" with a test failure otherwise.
inline std::string decode_failure(const Codec& codec, const Blob& encoded, std::size_t decoded_size_max) {
  if (decoded_size_max <= 1 << 20) {
    EXPECT_THROW(decoded_into(codec, encoded, decoded_size_max), Error);
  }
  try {
    codec.decode(encoded, decoded_size_max);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    return error.message();
  }
  ADD_FAILURE() << "decoded without an error";
  return "";
}

inline void expect_round_trips(const Codec& codec) {
  for (const std::size_t size : {0u, 1u, 7u, 100u, 70'000u, 3'000'000u}) {
    SCOPED_TRACE(size);
    const Blob decoded = sample_bytes(size);
    const Blob encoded = codec.encode(decoded);
    EXPECT_LE(encoded.size(), codec.encoded_size_max(size));
    EXPECT_EQ(codec.decode(encoded, size).text(), decoded.text());
    EXPECT_EQ(codec.decode(encoded, size + 1000).text(), decoded.text());
    EXPECT_EQ(decoded_into(codec, encoded, size), decoded.text());
    EXPECT_THROW(decoded_into(codec, encoded, size + 1), Error);
  }
}

inline void expect_rejects_every_truncation(const Codec& codec) {
  const Blob encoded = codec.encode(sample_bytes(100));
  for (std::size_t size = 0; size < encoded.size(); ++size) {
    SCOPED_TRACE(size);
    decode_failure(codec, encoded.slice(0, size), 100);
  }
}

/// A flipped bit gives an error or other bytes, never more than the limit.
inline void expect_survives_every_flipped_bit(const Codec& codec) {
  const Blob encoded = codec.encode(sample_bytes(300));
  for (std::size_t bit = 0; bit < encoded.size() * 8; ++bit) {
    std::string flipped(encoded.text());
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    try {
      EXPECT_LE(codec.decode(Blob::from(std::move(flipped)), 300).size(), 300u) << bit;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCorrupt) << bit;
    }
  }
}

inline void expect_rejects_trailing_bytes(const Codec& codec) {
  const Blob encoded = codec.encode(sample_bytes(100));
  for (const std::string_view tail : {std::string_view("x"), std::string_view("\0\0\0\0", 4), encoded.text()}) {
    decode_failure(codec, joined(encoded, tail), 1000);
  }
}

/// 64 MiB of zeros in a few bytes, where only 1000 are expected.
inline void expect_rejects_a_size_bomb(const Codec& codec) {
  const Blob bomb = codec.encode(Blob::from(std::string(64 << 20, '\0')));
  EXPECT_THAT(decode_failure(codec, bomb, 1000), testing::HasSubstr("expected at most 1000 decoded bytes, found "));
  EXPECT_EQ(codec.decode(bomb, 64 << 20).size(), std::size_t{64} << 20);
  decode_failure(codec, bomb, (64 << 20) - 1);
}

}  // namespace perdure::storage
