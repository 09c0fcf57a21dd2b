#include "perdure/checkpoint/item_writer.h"

#include <algorithm>
#include <set>

#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/listed_directory.h"
#include "perdure/checkpoint/write/tree_writer.h"

namespace perdure {

using namespace checkpoint;  // NOLINT: this file is its front

ListedFile checkpoint::read_to_list(FileSystem& fs, const std::string& directory, const std::string& name) {
  const std::string path = join_path(directory, name);
  const auto found = fs.find_info(path, false);
  if (!found || found->type != FileType::kFile) {
    throw Error(ErrorKind::kInvalid, "'" + path + "' is no plain file; a checkpoint holds nothing else");
  }
  const std::unique_ptr<File> file = fs.open(path, false);
  const std::uint64_t size = file->size_bytes();
  return {name, size, crc32c_of(*file, size)};
}

namespace {

void check_name(std::string_view name) {
  if (const auto fault = find_path_fault(name)) {
    throw Error(ErrorKind::kInvalid,
                "'" + std::string(name) + "' cannot be a file of a checkpointable: it " + std::string(*fault));
  }
}

class FilesWriter final : public ItemWriter {
 public:
  explicit FilesWriter(std::vector<std::pair<std::string, std::string>> files) : files_(std::move(files)) {
    for (const auto& [name, content] : files_) check_name(name);
  }
  void write(ItemDirectory& directory) override {
    for (const auto& [name, content] : files_) directory.put(name, content);
  }

 private:
  std::vector<std::pair<std::string, std::string>> files_;
};

class PartsWriter final : public ItemWriter {
 public:
  explicit PartsWriter(std::vector<std::pair<std::string, std::unique_ptr<ItemWriter>>> parts) : parts_(std::move(parts)) {
    for (const auto& [name, part] : parts_) check_name(name);
  }
  std::uint64_t array_bytes() const override { return sum(&ItemWriter::array_bytes); }
  std::uint64_t mutable_bytes() const override { return sum(&ItemWriter::mutable_bytes); }
  void stage(Stage& stage) override {
    for (const auto& [name, part] : parts_) part->stage(stage);
  }
  void staged() override {
    for (const auto& [name, part] : parts_) part->staged();
  }
  void keep() override {
    for (const auto& [name, part] : parts_) part->keep();
  }
  void write(ItemDirectory& directory) override {
    FileSystem& fs = directory.context().file_system;
    for (const auto& [name, part] : parts_) {
      ItemDirectory below(join_path(directory.path(), name), directory.context());
      make_directories(fs, below.path());
      part->write(below);
    }
  }

 private:
  std::uint64_t sum(std::uint64_t (ItemWriter::*count)() const) const {
    std::uint64_t total = 0;
    for (const auto& [name, part] : parts_) total += (part.get()->*count)();
    return total;
  }
  std::vector<std::pair<std::string, std::unique_ptr<ItemWriter>>> parts_;
};

}  // namespace

ItemDirectory::ItemDirectory(std::string path, WriteContext& context) : path_(std::move(path)), context_(context) {}
ItemDirectory::~ItemDirectory() = default;

void ItemDirectory::put(std::string_view name, std::string_view content) {
  check_name(name);
  const std::string path = join_path(path_, name);
  make_directories(context_.file_system, parent_path(path));
  write_new_file(context_.file_system, path, as_bytes(content));
  note({std::string(name), content.size(), crc32c(as_bytes(content))});
  ++context_.statistics.file_count;
}

void ItemDirectory::note(ListedFile file) { written_.push_back(std::move(file)); }

std::vector<ListedFile> ItemDirectory::list() {
  std::vector<ListedFile> files;
  const auto own_list = std::ranges::find(written_, kFileListFile, &ListedFile::name);
  if (own_list != written_.end()) return {*own_list};
  std::set<std::string> known;
  for (const ListedFile& file : written_) known.insert(file.name);
  for (const std::string& name : list_tree(context_.file_system, path_)) {
    if (!known.contains(name)) written_.push_back(read_to_list(context_.file_system, path_, name));
  }
  return written_;
}

std::unique_ptr<ItemWriter> make_files_writer(std::vector<std::pair<std::string, std::string>> files) {
  return std::make_unique<FilesWriter>(std::move(files));
}

std::unique_ptr<ItemWriter> make_parts_writer(std::vector<std::pair<std::string, std::unique_ptr<ItemWriter>>> parts) {
  return std::make_unique<PartsWriter>(std::move(parts));
}

}  // namespace perdure
