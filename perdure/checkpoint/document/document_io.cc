#include "perdure/checkpoint/document/document_io.h"

#include <bit>

#include "perdure/base/error.h"

namespace perdure::checkpoint {

void fail_document(const std::string& what) { throw Error(ErrorKind::kCorrupt, "item document: " + what); }

void DocumentWriter::f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }

void DocumentWriter::text(std::string_view text) {
  varint(text.size());
  out_.text(text);
}

void DocumentWriter::add_origin(const std::string& origin) {
  const auto [entry, is_new] = origins_.try_emplace(origin, origins_.size());
  if (is_new) origin_order_.push_back(&entry->first);
}

void DocumentWriter::origin_table() {
  varint(origin_order_.size());
  for (const std::string* origin : origin_order_) text(*origin);
}

std::uint8_t DocumentReader::u8() {
  std::uint8_t value = 0;
  in_.u8(value);
  return value;
}

std::uint32_t DocumentReader::u32() {
  std::uint32_t value = 0;
  in_.u32le(value);
  return value;
}

std::uint64_t DocumentReader::u64() {
  std::uint64_t value = 0;
  in_.u64le(value);
  return value;
}

std::uint64_t DocumentReader::varint() {
  std::uint64_t value = 0;
  in_.varint(value);
  return value;
}

double DocumentReader::f64() { return std::bit_cast<double>(u64()); }

std::uint64_t DocumentReader::count() {
  const std::uint64_t value = varint();
  if (value > in_.remaining() || value > UINT32_MAX)
    fail_document("a count of " + std::to_string(value) + " is more than the file holds");
  return value;
}

std::uint32_t DocumentReader::index(std::uint64_t end, const char* of_what) {
  const std::uint64_t value = varint();
  if (value >= end) fail_document(std::string(of_what) + " " + std::to_string(value) + " of " + std::to_string(end));
  return static_cast<std::uint32_t>(value);
}

void DocumentReader::origin_table() {
  origins_.resize(count());
  for (std::string& origin : origins_) origin = text();
}

}  // namespace perdure::checkpoint
