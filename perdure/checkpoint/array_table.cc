#include "perdure/checkpoint/array_table.h"

#include "perdure/base/error.h"

namespace perdure::checkpoint {

namespace zarr = storage::zarr;

std::string array_key(std::string_view array_name, std::string_view key) {
  std::string joined;
  joined.reserve(array_name.size() + 1 + key.size());
  joined.append(array_name);
  if (!array_name.empty()) joined += '/';
  return joined.append(key);
}

ArrayTable::Metadata ArrayTable::find_zarr3(const std::string& name) {
  const std::optional<Blob> text = store_.find(array_key(name, "zarr.json"));
  if (!text) return nullptr;
  Metadata& metadata = by_text_[std::string(text->text())];
  if (!metadata) metadata = std::make_shared<const zarr::ArrayMetadata>(zarr::parse_zarr3(text->text()));
  return metadata;
}

ArrayTable::Metadata ArrayTable::find_zarr2(const std::string& name) {
  const std::optional<Blob> text = store_.find(array_key(name, ".zarray"));
  if (!text) return nullptr;
  std::string key(text->text());
  std::string attributes;  // only bytes can be something else in private
  if (key.find("\"|u1\"") != key.npos) {
    if (const std::optional<Blob> found = store_.find(array_key(name, ".zattrs"))) attributes = found->text();
  }
  key.append(1, '\0').append(attributes);
  Metadata& metadata = by_text_[key];
  if (!metadata) metadata = std::make_shared<const zarr::ArrayMetadata>(zarr::parse_zarr2(text->text(), attributes));
  return metadata;
}

ArrayTable::Metadata ArrayTable::find(const std::string& name) {
  return with_note([&] { return "metadata of array '" + name + "'"; }, [&] {
    Metadata metadata = zarr2_first_ ? find_zarr2(name) : find_zarr3(name);
    if (metadata) return metadata;
    metadata = zarr2_first_ ? find_zarr3(name) : find_zarr2(name);
    if (!metadata) throw Error(ErrorKind::kCorrupt, "there is neither zarr.json nor .zarray");
    zarr2_first_ = !zarr2_first_;
    return metadata;
  });
}

}  // namespace perdure::checkpoint
