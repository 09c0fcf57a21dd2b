#include "perdure/base/byte_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"

namespace perdure {
namespace {

using testing::HasSubstr;

std::string failure_of(auto&& read) {
  try {
    read();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    return std::string(error.message());
  }
  return "no failure";
}

std::uint64_t varint_of(std::string_view text) {
  ByteReader reader(as_bytes(text));
  std::uint64_t value = 0;
  reader.varint(value);
  reader.expect_end();
  return value;
}

TEST(ByteIo, ReadsWhatItWrote) {
  ByteWriter writer;
  writer.u8(0xfe);
  writer.u32be(0x01020304);
  writer.u32le(0x01020304);
  writer.i32le(-2);
  writer.u64le(0x0102030405060708);
  writer.varint(300);
  writer.text("abc");
  EXPECT_EQ(writer.str(), "\xfe\1\2\3\4\4\3\2\1\xfe\xff\xff\xff\x8\7\6\5\4\3\2\1\xac\2abc");

  ByteReader reader(as_bytes(writer.str()));
  std::uint8_t u8 = 0;
  std::uint32_t be = 0, le = 0;
  std::int32_t i32 = 0;
  std::uint64_t u64 = 0, varint = 0;
  reader.u8(u8);
  reader.u32be(be);
  reader.u32le(le);
  reader.i32le(i32);
  reader.u64le(u64);
  reader.varint(varint);
  EXPECT_EQ(u8, 0xfe);
  EXPECT_EQ(be, 0x01020304u);
  EXPECT_EQ(le, 0x01020304u);
  EXPECT_EQ(i32, -2);
  EXPECT_EQ(u64, 0x0102030405060708u);
  EXPECT_EQ(varint, 300u);
  EXPECT_EQ(reader.text(3), "abc");
  EXPECT_EQ(reader.position(), writer.size());
  reader.expect_end();
}

TEST(ByteIo, VarintsOfEveryLengthComeBack) {
  for (int bits = 0; bits <= 64; ++bits) {
    const std::uint64_t value = bits == 64 ? ~0ull : (1ull << bits) - 1;
    ByteWriter writer;
    writer.varint(value);
    EXPECT_EQ(writer.size(), bits == 0 ? 1u : (bits + 6u) / 7u);
    EXPECT_EQ(varint_of(writer.str()), value);
  }
}

TEST(ByteIo, AcceptsOverlongVarints) {
  EXPECT_EQ(varint_of(std::string_view("\x80\0", 2)), 0u);
  EXPECT_EQ(varint_of(std::string_view("\x81\x80\x80\x80\x80\x80\x80\x80\x80\0", 10)), 1u);
}

TEST(ByteIo, RejectsVarintsOverSixtyFourBits) {
  const std::string nine(9, '\xff');
  EXPECT_EQ(varint_of(nine + "\1"), ~0ull);
  EXPECT_THAT(failure_of([&] { varint_of(nine + "\2"); }), HasSubstr("varint at byte 0"));
  EXPECT_THAT(failure_of([&] { varint_of(nine + "\x81"); }), HasSubstr("varint at byte 0"));
  EXPECT_THAT(failure_of([] { varint_of(std::string(9, '\x80') + std::string("\x80\0", 2)); }), HasSubstr("64 bits"));
}

TEST(ByteIo, NamesTheOffsetWhereBytesEndTooEarly) {
  ByteReader reader(as_bytes("abcde"));
  std::uint32_t value = 0;
  reader.u32le(value);
  EXPECT_EQ(failure_of([&] { reader.u32le(value); }), "expected 4 bytes at byte 4, found 1");
  EXPECT_EQ(failure_of([&] { reader.bytes(~0ull); }), "expected 18446744073709551615 bytes at byte 4, found 1");
  EXPECT_THAT(failure_of([] { varint_of("\x80"); }), HasSubstr("at byte 1, found 0"));
}

TEST(ByteIo, RejectsBytesBehindTheEnd) {
  ByteReader reader(as_bytes("abc"));
  reader.bytes(1);
  EXPECT_EQ(failure_of([&] { reader.expect_end(); }), "2 unexpected bytes at the end, from byte 1");
}

}  // namespace
}  // namespace perdure
