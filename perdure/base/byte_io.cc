#include "perdure/base/byte_io.h"

#include <concepts>

#include "perdure/base/error.h"

namespace perdure {
namespace {

constexpr int kVarintBytesMax = (64 + 6) / 7;

// Byte by byte and not by a cast, so that the machine's byte order does not matter; compilers make one load of it.
template <std::unsigned_integral T>
T load_le(ByteView bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<T>(bytes[i]) << (8 * i));
  return value;
}

template <std::unsigned_integral T>
void append_le(std::string& out, T value) {
  char bytes[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  out.append(bytes, sizeof(T));
}

constexpr std::uint32_t swapped(std::uint32_t v) { return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24; }

}  // namespace

void ByteReader::u8(std::uint8_t& value) { value = static_cast<std::uint8_t>(bytes(1)[0]); }

void ByteReader::u32be(std::uint32_t& value) { value = swapped(load_le<std::uint32_t>(bytes(4))); }

void ByteReader::u32le(std::uint32_t& value) { value = load_le<std::uint32_t>(bytes(4)); }

void ByteReader::i32le(std::int32_t& value) { value = static_cast<std::int32_t>(load_le<std::uint32_t>(bytes(4))); }

void ByteReader::u64le(std::uint64_t& value) { value = load_le<std::uint64_t>(bytes(8)); }

void ByteReader::varint(std::uint64_t& value) {
  const std::uint64_t start = position_;
  std::uint64_t result = 0;
  for (int i = 0; i < kVarintBytesMax; ++i) {
    std::uint8_t byte = 0;
    u8(byte);
    if (i == kVarintBytesMax - 1 && byte > 1) break;
    result |= std::uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) {
      value = result;
      return;
    }
  }
  throw Error(ErrorKind::kCorrupt, "varint at byte " + std::to_string(start) + " has more than 64 bits");
}

ByteView ByteReader::bytes(std::uint64_t size) {
  if (size > remaining()) fail_short(size);
  const ByteView result = bytes_.subspan(position_, size);
  position_ += size;
  return result;
}

void ByteReader::expect_end() const {
  if (remaining() == 0) return;
  throw Error(ErrorKind::kCorrupt,
              std::to_string(remaining()) + " unexpected bytes at the end, from byte " + std::to_string(position_));
}

void ByteReader::fail_short(std::uint64_t wanted) const {
  throw Error(ErrorKind::kCorrupt, "expected " + std::to_string(wanted) + " bytes at byte " + std::to_string(position_) +
                                       ", found " + std::to_string(remaining()));
}

void ByteWriter::u8(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }

void ByteWriter::u32be(std::uint32_t value) { append_le(out_, swapped(value)); }

void ByteWriter::u32le(std::uint32_t value) { append_le(out_, value); }

void ByteWriter::i32le(std::int32_t value) { append_le(out_, static_cast<std::uint32_t>(value)); }

void ByteWriter::u64le(std::uint64_t value) { append_le(out_, value); }

void ByteWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) u8(static_cast<std::uint8_t>(value | 0x80));
  u8(static_cast<std::uint8_t>(value));
}

}  // namespace perdure
