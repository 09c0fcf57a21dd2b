#include "perdure/storage/kvstore.h"

#include "perdure/base/error.h"
#include "perdure/storage/kvstore/key_text.h"

namespace perdure::storage {

Blob KvStore::read(const ValueLocation& location) const {
  if (location.file.empty()) return location.inline_value;
  const auto bytes = std::make_shared_for_overwrite<std::byte[]>(location.size_bytes);
  read_range(location, 0, ByteSpan(bytes.get(), location.size_bytes));
  return Blob(ByteView(bytes.get(), location.size_bytes), bytes);
}

std::optional<Blob> KvStore::find(std::string_view key) const {
  const auto location = find_location(key);
  if (!location) return std::nullopt;
  return with_note([&] { return "key " + key_text(key); }, [&] { return read(*location); });
}

Blob KvStore::read(std::string_view key) const {
  auto value = find(key);
  if (!value) throw Error(ErrorKind::kNotFound, "no key " + key_text(key));
  return *std::move(value);
}

}  // namespace perdure::storage
