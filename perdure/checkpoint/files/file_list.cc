#include "perdure/checkpoint/files/file_list.h"

#include <algorithm>
#include <charconv>

#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/base/file_system.h"
#include "perdure/base/hex.h"

namespace perdure::checkpoint {
namespace {

constexpr std::string_view kHeader = "perdure files 1\n";
constexpr std::string_view kFooter = "crc32c ";
constexpr std::size_t kFooterSize = 7 + 8 + 1;  // "crc32c ", hex digits, newline

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::kCorrupt, "file list: " + what); }

template <class Number>
Number number(std::string_view text, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) fail("expected a number, found '" + std::string(text) + "'");
  return value;
}

std::string escaped(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (c == '\\' || c == '\n') out += '\\';
    out += c == '\n' ? 'n' : c;
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size() || (text[i] != '\\' && text[i] != 'n')) fail("unknown escape in '" + std::string(text) + "'");
    out += text[i] == 'n' ? '\n' : '\\';
  }
  return out;
}

ListedFile parse_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == line.npos ? line.npos : line.find(' ', first + 1);
  if (first != 8 || second == line.npos) fail("expected 'CRC SIZE NAME', found '" + std::string(line) + "'");
  ListedFile file{.name = unescaped(line.substr(second + 1)),
                  .size_bytes = number<std::uint64_t>(line.substr(first + 1, second - first - 1), 10),
                  .crc32c = number<std::uint32_t>(line.substr(0, first), 16)};
  if (find_path_fault(file.name)) fail("'" + file.name + "' is not a name inside the directory");
  return file;
}

/// The lines between header and footer, after the CRC has been checked.
std::string_view checked_body(std::string_view text) {
  if (!text.starts_with(kHeader) || text.size() < kHeader.size() + kFooterSize) fail("expected 'perdure files 1'");
  const std::string_view footer = text.substr(text.size() - kFooterSize);
  if (!footer.starts_with(kFooter) || footer.back() != '\n') fail("cut off");
  const std::string_view digits = footer.substr(kFooter.size(), 8);
  const auto stored = number<std::uint32_t>(digits, 16);
  const std::uint32_t computed = crc32c(as_bytes(text.substr(0, text.size() - kFooterSize)));
  check_crc32c(stored, computed);
  if (hex(stored).substr(2) != digits) fail("expected eight lower-case digits, found '" + std::string(digits) + "'");
  return text.substr(kHeader.size(), text.size() - kHeader.size() - kFooterSize);
}

}  // namespace

std::string encode_file_list(std::vector<ListedFile> files) {
  std::ranges::sort(files, {}, &ListedFile::name);
  std::string text(kHeader);
  for (const ListedFile& file : files) {
    append_hex(text, file.crc32c, 8);
    text += ' ' + std::to_string(file.size_bytes) + ' ' + escaped(file.name) + '\n';
  }
  const std::uint32_t crc = crc32c(as_bytes(text));
  append_hex(text += kFooter, crc, 8);
  return text += '\n';
}

std::vector<ListedFile> parse_file_list(std::string_view text) {
  std::string_view body = checked_body(text);
  std::vector<ListedFile> files;
  while (!body.empty()) {
    const std::size_t end = body.find('\n');
    if (end == body.npos) fail("cut off");
    files.push_back(parse_line(body.substr(0, end)));
    body.remove_prefix(end + 1);
    if (files.size() > 1 && files[files.size() - 2].name >= files.back().name)
      fail("names out of order at '" + files.back().name + "'");
  }
  return files;
}

}  // namespace perdure::checkpoint
