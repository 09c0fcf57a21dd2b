#include "perdure/checkpoint/files/file_list.h"

#include <gtest/gtest.h>

#include "perdure/base/checksum.h"
#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

const std::vector<ListedFile> kFiles = {{"_METADATA", 0, 0}, {"d/0f", 1ull << 40, 0xe3069283}, {"odd \\ \n name", 7, 5}};

/// `lines` with a right header and CRC.
std::string sealed(const std::string& lines) {
  const std::string body = "perdure files 1\n" + lines;
  char crc[9];
  std::snprintf(crc, sizeof crc, "%08x", crc32c(as_bytes(body)));
  return body + "crc32c " + crc + "\n";
}

TEST(FileList, ComesBackAsItWas) { EXPECT_EQ(parse_file_list(encode_file_list(kFiles)), kFiles); }

TEST(FileList, IsSortedByName) { EXPECT_EQ(encode_file_list({kFiles[2], kFiles[0], kFiles[1]}), encode_file_list(kFiles)); }

TEST(FileList, IsTextThatPeopleCanRead) { EXPECT_EQ(encode_file_list({{"d/0f", 12, 0xab}}), sealed("000000ab 12 d/0f\n")); }

TEST(FileList, RejectsEveryFlippedBit) {
  const std::string text = encode_file_list(kFiles);
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string spoiled = text;
    spoiled[bit / 8] = static_cast<char>(spoiled[bit / 8] ^ 1 << bit % 8);
    EXPECT_THROW(parse_file_list(spoiled), Error) << bit;
  }
}

TEST(FileList, RejectsEveryTruncation) {
  const std::string text = encode_file_list(kFiles);
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_THROW(parse_file_list(text.substr(0, size)), Error) << size;
}

TEST(FileList, RejectsNamesThatLeaveTheDirectory) {
  for (const char* name : {"", "/etc/passwd", "../x", "d/../x", "d//x", ".", "d/."}) {
    EXPECT_THROW(parse_file_list(sealed("00000000 1 " + std::string(name) + "\n")), Error) << name;
  }
}

TEST(FileList, RejectsNamesThatAreTwiceOrOutOfOrder) {
  EXPECT_THROW(parse_file_list(sealed("00000000 1 b\n00000000 1 a\n")), Error);
  EXPECT_THROW(parse_file_list(sealed("00000000 1 a\n00000000 1 a\n")), Error);
}

TEST(FileList, RejectsSizesThatAreNoNumber) {
  for (const char* size : {"", "-1", "1x", "18446744073709551616"}) {
    EXPECT_THROW(parse_file_list(sealed("00000000 " + std::string(size) + " a\n")), Error) << size;
  }
}

}  // namespace
}  // namespace perdure::checkpoint
