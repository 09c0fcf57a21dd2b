#include "perdure/checkpoint/write/item_files.h"

#include <algorithm>
#include <iterator>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/orbax/strings.h"
#include "perdure/checkpoint/write/array_writer.h"
#include "perdure/checkpoint/write/orbax_side_files.h"
#include "perdure/checkpoint/write/written_leaves.h"

namespace perdure::checkpoint {
namespace {

/// In an item whose arrays are directories nobody would complete a database, and one that is complete would hide the directories.
void check_no_database(const WrittenLeaves& others, DirectoryWriter& directory) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorKind::kInvalid, "a type handler wrote " + what + ", and the item has none");
  };
  if (!others.arrays.empty()) refuse("'" + others.arrays.begin()->first + "' into a database");
  if (!is_held(directory.path())) return;
  if (directory.context().file_system.find_info(join_path(directory.path(), kManifestFile))) {
    refuse("'" + std::string(kManifestFile) + "' of a database");
  }
}

}  // namespace

void write_item_files(SavePlan& plan, DirectoryWriter& directory, Transfers* transfers) {
  WrittenLeaves others = take_written_leaves(directory.path());
  std::ranges::move(others.strings, std::back_inserter(plan.strings));
  if (plan.metadata.use_ocdbt.value_or(true)) {
    write_arrays_to_ocdbt(plan, std::move(others), directory, transfers);
  } else {
    check_no_database(others, directory);
    write_arrays_to_directories(plan, directory, transfers);
  }
  directory.context().statistics.shared_bytes += plan.shared_bytes;

  for (const auto& [name, content] : plan.files) directory.put(name, content);
  plan.metadata.private_files = {std::string(kFileListFile), std::string(kItemDocumentFile)};
  directory.put(kTreeMetadataFile, encode_tree_metadata(plan.metadata));
  directory.put(kItemDocumentFile, encode_item_document(*plan.structure, plan.leaves));
  if (!plan.strings.empty()) directory.put(kStringsFile, encode_strings(plan.strings));
  if (std::ranges::any_of(plan.arrays, &PlannedArray::is_jax)) {
    directory.put(kShardingFile, encode_shardings(plan.arrays));
    directory.put(kArrayMetadatasFile, encode_array_metadatas(plan));
  }
  if (is_held(directory.path())) directory.note_others();
  directory.write_list();
}

}  // namespace perdure::checkpoint
