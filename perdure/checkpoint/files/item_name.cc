#include "perdure/checkpoint/files/item_name.h"

#include <algorithm>
#include <span>

#include "perdure/base/error.h"
#include "perdure/base/utf8.h"
#include "perdure/checkpoint/files/layout.h"

namespace perdure::checkpoint {
namespace {

constexpr std::size_t kNameBytesMax = 255;  // of every common file system

constexpr std::string_view kCheckpointNames[] = {  // what stands beside the items, and words with a meaning of their own
    "AUTO",         kMetricsItem,       kDescriptorItem,  kCheckpointMetadataFile, "_CHECKPOINT_DELETION",
    kIndicatorFile, kCommitSuccessFile, kTreeMetadataFile};

constexpr std::string_view kItemNames[] = {  // what stands beside the arrays of an item
    kTreeMetadataFile, kStringsFile, kShardingFile, kArrayMetadatasDirectory, kManifestFile, kDataDirectory, kCommitSuccessFile};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_reserved(std::string_view name, std::span<const std::string_view> taken) {
  return is_one_of(taken, name) || name.starts_with(kFileListFile) || is_temporary_name(name) || name.ends_with(kOldSuffix);
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::kInvalid, "'" + name + "' cannot be the name of a directory in a checkpoint: " + why);
}

void check_directory_name(const std::string& name, std::span<const std::string_view> taken) {
  if (name.empty()) refuse(name, "it is empty");
  if (name == "." || name == ".." || name.find('/') != name.npos || name.find('\0') != name.npos) {
    refuse(name, "it is not one component of a path");
  }
  if (!is_utf8(name)) refuse(name, "it is not UTF-8");
  if (name.size() > kNameBytesMax) refuse(name, "it is longer than 255 bytes");
  if (is_reserved(name, taken)) refuse(name, "it is reserved");
}

}  // namespace

void check_item_name(const std::string& name) { check_directory_name(name, kCheckpointNames); }
void check_array_directory_name(const std::string& name) { check_directory_name(name, kItemNames); }

void check_handler_file_name(const std::string& name) {
  const auto refuse_file = [&](std::string_view why) {
    throw Error(ErrorKind::kInvalid, "'" + name + "' cannot be a file of a leaf handler: it " + std::string(why));
  };
  if (const auto fault = find_path_fault(name)) refuse_file(*fault);
  const std::string_view first = std::string_view(name).substr(0, name.find('/'));
  if (is_reserved(first, kItemNames) || is_one_of(kCheckpointMarks, first)) refuse_file("is called as files of the format are");
}

}  // namespace perdure::checkpoint
