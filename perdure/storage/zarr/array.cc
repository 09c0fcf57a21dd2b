#include "perdure/storage/zarr/array.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/storage/zarr/chunk_grid.h"
#include "perdure/storage/zarr/chunk_reader.h"
#include "perdure/storage/zarr/metadata_cache.h"

namespace perdure::storage::zarr {
namespace {

constexpr std::uint64_t kMetadataBytesMax = 64 << 20;

std::shared_ptr<const ArrayMetadata> parse_key(const std::string& key, int zarr_format, const Blob& text,
                                               const Blob& attributes = {}) {
  return with_note([&] { return "key '" + key + "'"; },
                   [&] { return metadata_cache().parse(zarr_format, text.text(), attributes.text()); });
}

std::optional<Blob> find_text(const KvStore& store, const std::string& key) {
  const std::optional<ValueLocation> location = store.find_location(key);
  if (!location) return std::nullopt;
  return with_note([&] { return "key '" + key + "'"; },
                   [&] {
                     if (location->file.empty() || location->size_bytes <= kMetadataBytesMax) return store.read(*location);
                     throw Error(ErrorKind::kCorrupt, "metadata of " + std::to_string(location->size_bytes) + " bytes");
                   });
}

/// .zattrs can matter only where a private dtype may stand behind uint8.
std::shared_ptr<const ArrayMetadata> parse_zarr2_key(const KvStore& store, const std::string& name, const Blob& text) {
  const std::string key = key_below(name, kZarr2File);
  auto metadata = parse_key(key, 2, text);
  if (metadata->dtype != DType::kUint8) return metadata;
  const std::optional<Blob> attributes = find_text(store, key_below(name, kZarr2AttributesFile));
  return attributes ? parse_key(key, 2, text, *attributes) : metadata;
}

bool is_group(std::string_view text) {
  if (text.find("\"group\"") == std::string_view::npos) return false;
  try {
    const json::Value document = json::parse(text);
    const json::Value* node_type = document.is_object() ? document.as_object().find("node_type") : nullptr;
    return node_type != nullptr && *node_type == json::Value("group");
  } catch (const Error&) {
    return false;  // not readable: listed, so that opening it says why
  }
}

/// The name of the array whose metadata stands at `key`, if that is one.
std::optional<std::string> array_name(const std::string& key) {
  for (const std::string_view file : {kZarr2File, kZarr3File}) {
    if (key == file) return "";
    if (key.ends_with(file) && key[key.size() - file.size() - 1] == '/') return key.substr(0, key.size() - file.size() - 1);
  }
  return std::nullopt;
}

}  // namespace

std::string key_prefix(const std::string& name) { return key_below(name, {}); }

std::string key_below(const std::string& name, std::string_view tail) {
  std::string key;
  key.reserve(name.size() + 1 + tail.size());
  key += name;
  if (!name.empty() && name.back() != '/') key += '/';
  key += tail;
  return key;
}

Array Array::open(const KvStore& store, const std::string& name) {
  const std::string zarr3_key = key_below(name, kZarr3File);
  if (const std::optional<Blob> text = find_text(store, zarr3_key)) return Array(store, name, parse_key(zarr3_key, 3, *text));
  if (const std::optional<Blob> text = find_text(store, key_below(name, kZarr2File))) {
    return Array(store, name, parse_zarr2_key(store, name, *text));
  }
  throw Error(ErrorKind::kNotFound, "no array '" + name + "'");
}

Array::Array(const KvStore& store, std::string name, std::shared_ptr<const ArrayMetadata> metadata)
    : store_(&store), name_(std::move(name)), metadata_(std::move(metadata)) {}

std::string Array::chunk_key(const Shape& chunk_index) const { return key_below(name_, metadata_->chunk_key(chunk_index)); }

std::vector<ChunkRead> Array::plan(const Box& box) const { return plan_chunks(metadata_->shape, metadata_->chunk_shape, box); }

void Array::read_chunk(const ChunkRead& read, const ArraySpan& target, const ReadOptions& options) const {
  const std::string key = chunk_key(read.chunk_index);
  if (target.dtype != metadata_->dtype || !read.in_target.fits(target.shape) || !read.in_chunk.fits(metadata_->chunk_shape) ||
      read.in_chunk.extent != read.in_target.extent) {
    throw Error(ErrorKind::kInvalid, "chunk " + key + " cannot be read into an array of " +
                                         std::string(perdure::name(target.dtype)) + " and shape " + target.shape.str());
  }
  if (read.in_target.empty()) return;
  const ChunkContext context{metadata_->dtype, metadata_->fill_value, options};
  const ArraySpan part = target.sub(read.in_target);
  std::optional<ValueLocation> location;
  const auto note = [&] {
    if (!location || location->file.empty()) return "chunk " + key;
    return "chunk " + key + " in '" + location->file + "' at byte " + std::to_string(location->offset);
  };
  with_note(note, [&] {
    location = store_->find_location(key);
    if (!location) return read_missing_chunk(part, context);
    read_chunk_box(ByteSource(*store_, *location), metadata_->codecs, metadata_->chunk_shape, read.in_chunk, part, context);
  });
}

void Array::read(const Box& box, const ArraySpan& target, const ReadOptions& options) const {
  if (target.shape != box.extent) {
    throw Error(ErrorKind::kInvalid, "box " + box.str() + " cannot be read into an array of shape " + target.shape.str());
  }
  for (const ChunkRead& chunk : plan(box)) read_chunk(chunk, target, options);
}

std::vector<std::string> list_arrays(const KvStore& store) {
  std::vector<std::string> names;
  for (const std::string& key : store.list()) {
    const std::optional<std::string> name = array_name(key);
    if (!name) continue;
    if (key.ends_with(kZarr3File) && is_group(find_text(store, key)->text())) continue;
    names.push_back(*name);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace perdure::storage::zarr
