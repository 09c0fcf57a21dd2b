// Codecs: the first byte chooses one, the rest is what it decodes.
#include "perdure/base/error.h"
#include "perdure/storage/codec.h"
#include "tests/fuzz/fuzz.h"

using namespace perdure;
using perdure::storage::Codec;
using perdure::storage::codec_table;

namespace {

constexpr std::size_t kDecodedSizeMax = 64 << 10;

std::unique_ptr<Codec> choose(std::uint8_t number) { return codec_table()[number % codec_table().size()].make(json::Value(), 4); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto codec = choose(data[0]);
  const Blob encoded = Blob::from(std::string(reinterpret_cast<const char*>(data + 1), size - 1));
  try {
    const Blob decoded = codec->decode(encoded, kDecodedSizeMax);
    fuzz::fuzz_check(decoded.size() <= kDecodedSizeMax, "decoded more than the limit");
    const Blob again = codec->encode(decoded);
    fuzz::fuzz_check(again.size() <= codec->encoded_size_max(decoded.size()), "encoded to more than encoded_size_max");
    fuzz::fuzz_check(codec->decode(again, decoded.size()).text() == decoded.text(), "decoded bytes do not come back");
    std::string target(decoded.size(), '\0');
    codec->decode_into(encoded, {reinterpret_cast<std::byte*>(target.data()), target.size()});
    fuzz::fuzz_check(target == decoded.text(), "decode and decode_into differ");
  } catch (const Error& error) {
    fuzz::fuzz_check(error.kind() == ErrorKind::kCorrupt, "an error that is not kCorrupt");
  }
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<std::string> made;
  for (std::size_t number = 0; number < codec_table().size(); ++number) {
    const auto codec = choose(static_cast<std::uint8_t>(number));
    for (const std::size_t decoded_size : {0, 5, 300, 5000}) {
      std::string decoded(decoded_size, '\0');
      for (std::size_t i = 0; i < decoded_size; ++i) decoded[i] = static_cast<char>(i * i / 7);
      made.push_back(static_cast<char>(number) + std::string(codec->encode(Blob::from(decoded)).text()));
    }
  }
  return made;
}
