#include "perdure/checkpoint/item_writer.h"

#include "perdure/base/error.h"
#include "perdure/base/file_system.h"
#include "perdure/checkpoint/write/directory_writer.h"

namespace perdure {

using namespace checkpoint;  // NOLINT: this file is its front

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
  void end_stage() override {
    for (const auto& [name, part] : parts_) part->end_stage();
  }
  void keep() override {
    for (const auto& [name, part] : parts_) part->keep();
  }
  void write(ItemDirectory& directory) override {
    WriteContext& context = directory.files().context();
    for (const auto& [name, part] : parts_) {
      ItemDirectory below(join_path(directory.path(), name), context);
      make_directories(context.file_system, below.path());
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

ItemDirectory::ItemDirectory(std::string path, WriteContext& context)
    : files_(std::make_unique<DirectoryWriter>(context, std::move(path))) {}
ItemDirectory::~ItemDirectory() = default;

const std::string& ItemDirectory::path() const { return files_->path(); }

void ItemDirectory::put(std::string_view name, std::string_view content) {
  check_name(name);
  files_->put(name, content);
}

std::unique_ptr<ItemWriter> make_files_writer(std::vector<std::pair<std::string, std::string>> files) {
  return std::make_unique<FilesWriter>(std::move(files));
}

std::unique_ptr<ItemWriter> make_parts_writer(std::vector<std::pair<std::string, std::unique_ptr<ItemWriter>>> parts) {
  return std::make_unique<PartsWriter>(std::move(parts));
}

}  // namespace perdure
