#pragma once
// Names of files and directories in a checkpoint (docs/design/layout.md), and what a directory is by its names.
#include <array>
#include <string>
#include <string_view>

#include "perdure/base/file_system.h"
#include "perdure/storage/ocdbt/manifest.h"

namespace perdure::checkpoint {

// Orbax's files.
inline constexpr std::string_view kCheckpointMetadataFile = "_CHECKPOINT_METADATA";
inline constexpr std::string_view kIndicatorFile = "orbax.checkpoint";  // "this is a v1 checkpoint"; empty
inline constexpr std::string_view kCommitSuccessFile = "commit_success.txt";
inline constexpr std::string_view kTreeMetadataFile = "_METADATA";
inline constexpr std::string_view kStringsFile = "_strings.json";
inline constexpr std::string_view kShardingFile = "_sharding";
inline constexpr std::string_view kArrayMetadatasDirectory = "array_metadatas";
inline constexpr std::string_view kArrayMetadatasFile = "array_metadatas/process_0";
inline constexpr std::string_view kManifestFile = storage::ocdbt::kManifestFile;
inline constexpr std::string_view kDataDirectory = "d";
inline constexpr std::string_view kDescriptorItem = "descriptor";
inline constexpr std::string_view kMetricsItem = "metrics";  // metrics/metrics: JSON
inline constexpr std::string_view kTemporarySuffix = ".orbax-checkpoint-tmp";
// Ours: files, which Orbax ignores (a directory it would take for an item).
inline constexpr std::string_view kFileListFile = "_PERDURE";                  // in the checkpoint and in each item: file_list.h
inline constexpr std::string_view kItemDocumentFile = "_PERDURE_TREE";         // in each item: item_document.h
inline constexpr std::string_view kLockSuffix = ".orbax-checkpoint-tmp.lock";  // beside NAME while somebody saves: save_lock.h
inline constexpr std::string_view kOldSuffix = ".perdure-old";  // NAME while an overwrite without exchange is under way

// Marks: what a directory is, by one of these entries in it. A reader finds also what has lost a file.
inline constexpr std::array kItemMarks = {kTreeMetadataFile, kItemDocumentFile};
inline constexpr std::array kTreeMarks = {kTreeMetadataFile, kItemDocumentFile, kFileListFile};  // of an item that holds a tree
inline constexpr std::array kCheckpointMarks = {kIndicatorFile, kCheckpointMetadataFile, kCommitSuccessFile, kFileListFile};
// Who overwrites must be sure: directory_kind().
inline constexpr std::array kSureItemMarks = {kTreeMetadataFile};
inline constexpr std::array kSureCheckpointMarks = {kIndicatorFile, kCheckpointMetadataFile};

/// The name of a directory that a save has not finished, or of its lock; Orbax's too.
bool is_temporary_name(std::string_view name);

/// NAME + suffix, beside `path` (trailing slashes of it do not count).
std::string temporary_path(const std::string& path);
std::string lock_path(const std::string& path);
std::string old_path(const std::string& path);

enum class DirectoryKind {
  kNothing,     // no such path
  kCheckpoint,  // a committed checkpoint of v1 form: items are its sub-directories
  kItem,        // an item directory, or a flat v0 checkpoint, which is one item
  kUnfinished,  // a temporary directory of a save
  kOther,       // anything else, links too: never overwritten, never deleted
};
DirectoryKind directory_kind(FileSystem& fs, const std::string& path);

}  // namespace perdure::checkpoint
