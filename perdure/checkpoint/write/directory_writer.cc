#include "perdure/checkpoint/write/directory_writer.h"

#include <set>

#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/listed_directory.h"

namespace perdure::checkpoint {
namespace {

/// A file that somebody else wrote.
ListedFile read_to_list(FileSystem& fs, const std::string& directory, const std::string& name) {
  const std::string path = join_path(directory, name);
  const auto found = fs.find_info(path, false);
  if (!found || found->type != FileType::kFile) {
    throw Error(ErrorKind::kInvalid, "'" + path + "' is no plain file; a checkpoint holds nothing else");
  }
  const std::unique_ptr<File> file = fs.open(path, false);
  const std::uint64_t size = file->size_bytes();
  return {name, size, crc32c_of(*file, size)};
}

}  // namespace

std::string DirectoryWriter::make_path(std::string_view name) {
  std::string path = join_path(directory_, name);
  if (name.find('/') != name.npos) make_directories(context_.file_system, parent_path(path));
  return path;
}

void DirectoryWriter::write(std::string_view name, std::string_view content) {
  write_new_file(context_.file_system, make_path(name), as_bytes(content));
  ++context_.statistics.file_count;
}

void DirectoryWriter::put(std::string_view name, std::string_view content) {
  write(name, content);
  note({std::string(name), content.size(), crc32c(as_bytes(content))});
}

std::unique_ptr<storage::DataFileWriter> DirectoryWriter::create_data_file(std::string_view name,
                                                                           std::uint64_t size_likely_bytes) {
  return storage::create_data_file(
      context_.file_system, make_path(name),
      {.size_hint_bytes = size_likely_bytes, .direct = context_.direct_io, .io_uring = context_.direct_io});
}

ListedFile DirectoryWriter::finish_data_file(std::string_view name, storage::DataFileWriter& file) {
  const std::uint64_t size = file.position();
  note({std::string(name), size, file.finish()});
  ++context_.statistics.file_count;
  context_.statistics.write_path = file.statistics().path;
  context_.statistics.written_bytes += file.statistics().written_bytes;
  return files_.back();
}

void DirectoryWriter::note_others() {
  std::set<std::string> known;
  for (const ListedFile& file : files_) known.insert(file.name);
  for (const std::string& name : list_tree(context_.file_system, directory_)) {
    if (!known.contains(name)) note(read_to_list(context_.file_system, directory_, name));
  }
}

void DirectoryWriter::write_list() {
  const std::string list = encode_file_list(std::move(files_));
  write(kFileListFile, list);
  files_ = {{std::string(kFileListFile), list.size(), crc32c(as_bytes(list))}};
  has_list_ = true;
}

std::vector<ListedFile> DirectoryWriter::list() {
  if (!has_list_) note_others();
  return files_;
}

}  // namespace perdure::checkpoint
