#include "perdure/checkpoint/write/tree_writer.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "perdure/base/checksum.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/listed_directory.h"
#include "perdure/checkpoint/orbax/strings.h"
#include "perdure/checkpoint/write/array_writer.h"
#include "perdure/checkpoint/write/orbax_side_files.h"
#include "perdure/checkpoint/write/written_leaves.h"

namespace perdure::checkpoint {

void DirectoryWriter::put(std::string_view name, std::string_view content) {
  write_new_file(context_.file_system, path_of(name), as_bytes(content));
  note({std::string(name), content.size(), crc32c(as_bytes(content))});
  ++context_.statistics.file_count;
}

void DirectoryWriter::note_others() {
  std::set<std::string> known;
  for (const ListedFile& file : files_) known.insert(file.name);
  for (const std::string& name : list_tree(context_.file_system, directory_)) {
    if (!known.contains(name)) note(read_to_list(context_.file_system, directory_, name));
  }
}

ListedFile DirectoryWriter::finish() {
  const std::string list = encode_file_list(std::move(files_));
  write_new_file(context_.file_system, path_of(kFileListFile), as_bytes(list));
  ++context_.statistics.file_count;
  return {join_path(file_name(directory_), kFileListFile), list.size(), crc32c(as_bytes(list))};
}

ListedFile write_tree(SavePlan& plan, const std::string& directory, WriteContext& context, Transfers* transfers) {
  DirectoryWriter writer(context, directory);
  WrittenLeaves others = take_written_leaves(directory);
  std::ranges::move(others.strings, std::back_inserter(plan.strings));
  if (plan.metadata.use_ocdbt.value_or(true)) {
    write_arrays_to_ocdbt(plan, std::move(others), writer, context, transfers);
  } else {
    write_arrays_to_directories(plan, writer, context, transfers);
  }
  context.statistics.shared_bytes += plan.shared_bytes;

  for (const auto& [name, content] : plan.files) {
    make_directories(context.file_system, parent_path(writer.path_of(name)));
    writer.put(name, content);
  }
  plan.metadata.private_files = {std::string(kFileListFile), std::string(kItemDocumentFile)};
  writer.put(kTreeMetadataFile, encode_tree_metadata(plan.metadata));
  writer.put(kItemDocumentFile, encode_item_document(*plan.structure, plan.leaves));
  if (!plan.strings.empty()) writer.put(kStringsFile, encode_strings(plan.strings));
  if (std::ranges::any_of(plan.arrays, &PlannedArray::is_jax)) {
    writer.put(kShardingFile, encode_shardings(plan.arrays));
    context.file_system.make_directory(writer.path_of(kArrayMetadatasDirectory));
    writer.put(kArrayMetadatasFile, encode_array_metadatas(plan));
  }
  if (is_held(directory)) writer.note_others();
  return writer.finish();
}

}  // namespace perdure::checkpoint
