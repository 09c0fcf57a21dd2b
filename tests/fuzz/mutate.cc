#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <iterator>

namespace perdure::fuzz {
namespace {

using Random = std::mt19937_64;

// Not a std::uniform_int_distribution: its results differ between standard libraries.
std::size_t below(Random& random, std::size_t count) { return count == 0 ? 0 : static_cast<std::size_t>(random() % count); }

void flip_bit(std::string& bytes, const std::string&, Random& random) {
  if (bytes.empty()) return;
  char& byte = bytes[below(random, bytes.size())];
  byte = static_cast<char>(byte ^ (1 << below(random, 8)));
}

void set_edge_value(std::string& bytes, const std::string&, Random& random) {
  constexpr unsigned char kEdges[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  if (bytes.empty()) return;
  const std::size_t at = below(random, bytes.size());
  const std::size_t count = std::min(std::size_t{1} << below(random, 4), bytes.size() - at);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count,
              static_cast<char>(kEdges[below(random, std::size(kEdges))]));
}

void cut_end(std::string& bytes, const std::string&, Random& random) { bytes.resize(below(random, bytes.size() + 1)); }

void erase_piece(std::string& bytes, const std::string&, Random& random) {
  const std::size_t at = below(random, bytes.size() + 1);
  bytes.erase(at, below(random, 16) + 1);
}

void repeat_piece(std::string& bytes, const std::string&, Random& random) {
  const std::size_t at = below(random, bytes.size() + 1);
  const std::string piece = bytes.substr(at, below(random, 64) + 1);
  bytes.insert(below(random, bytes.size() + 1), piece);
}

void insert_random(std::string& bytes, const std::string&, Random& random) {
  std::string piece(below(random, 8) + 1, '\0');
  for (char& byte : piece) byte = static_cast<char>(random());
  bytes.insert(below(random, bytes.size() + 1), piece);
}

void splice_other(std::string& bytes, const std::string& other, Random& random) {
  const std::size_t at = below(random, std::min(bytes.size(), other.size()) + 1);
  bytes = bytes.substr(0, at) + other.substr(at);
}

using Edit = void (*)(std::string&, const std::string& other, Random&);
constexpr Edit kEdits[] = {flip_bit, set_edge_value, cut_end, erase_piece, repeat_piece, insert_random, splice_other};

}  // namespace

std::string mutate(std::string input, const std::vector<std::string>& others, Random& random) {
  const std::size_t edit_count = below(random, 4) + 1;
  for (std::size_t i = 0; i < edit_count; ++i) {
    const std::string& other = others.empty() ? input : others[below(random, others.size())];
    kEdits[below(random, std::size(kEdits))](input, other, random);
  }
  return input;
}

}  // namespace perdure::fuzz
