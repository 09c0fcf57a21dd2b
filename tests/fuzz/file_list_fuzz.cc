// _PERDURE. The first byte of an input says what the rest is: a whole file, or lines that get a good header and CRC
// (a mutation of a file seldom survives its checksum).
#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/base/hex.h"
#include "perdure/checkpoint/files/file_list.h"
#include "tests/fuzz/fuzz.h"

using namespace perdure;
using perdure::checkpoint::ListedFile;

namespace {

constexpr char kWhole = 'F';
constexpr char kLines = 'L';
constexpr std::string_view kHeader = "perdure files 1\n";

std::string sealed(std::string_view lines) {
  std::string text = std::string(kHeader).append(lines);
  const std::string digits = hex(crc32c(as_bytes(text))).substr(2);
  return text.append("crc32c ").append(digits).append("\n");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const std::vector<ListedFile> files = checkpoint::parse_file_list(data[0] == kLines ? sealed(rest) : rest);
    fuzz::fuzz_check(checkpoint::parse_file_list(checkpoint::encode_file_list(files)) == files,
                     "a list differs after encoding it again");
    for (const ListedFile& file : files) {
      fuzz::fuzz_check(("/" + file.name + "/").find("/../") == std::string::npos && file.name.front() != '/',
                       "a name that leaves the directory");
    }
  } catch (const Error& error) {
    fuzz::fuzz_check(error.kind() == ErrorKind::kCorrupt, "an error that is not kCorrupt");
  }
  return 0;
}

std::vector<std::string> seeds() {
  const std::string text = checkpoint::encode_file_list({{"_METADATA", 9, 0xe3069283},
                                                         {"d/6d2d3a7e2f3f4c2b", 1024, 0x9a71bb4c},
                                                         {"odd \\ \n name", UINT64_MAX, 0},
                                                         {"state/_PERDURE", 77, 1}});
  const std::size_t footer_size = std::string_view("crc32c 00000000\n").size();
  return {kWhole + text, kLines + text.substr(kHeader.size(), text.size() - kHeader.size() - footer_size),
          kWhole + checkpoint::encode_file_list({})};
}
