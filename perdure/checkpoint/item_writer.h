#pragma once
// The two halves of saving one checkpointable: a handler's save() looks at the object while its owner waits, and gives an
// ItemWriter, which writes what it was then, later and on any thread.
//
// To save a kind of object in its own form, derive from ItemWriter (or from CheckpointableHandler, which makes one):
//
//   class ConfigWriter : public perdure::ItemWriter {
//     void write(perdure::ItemDirectory& directory) override { directory.put("config.toml", text_); }
//   };
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure {

namespace checkpoint {
class DirectoryWriter;
class Stage;
struct WriteContext;
}  // namespace checkpoint

/// The new, empty directory of one checkpointable, not yet visible to readers. For one thread.
class ItemDirectory {
 public:
  ItemDirectory(std::string path, checkpoint::WriteContext& context);
  ~ItemDirectory();
  ItemDirectory(const ItemDirectory&) = delete;
  ItemDirectory& operator=(const ItemDirectory&) = delete;

  const std::string& path() const;
  /// Writes a new file. `name` may have directories, which are made. Files may also be written below path() by other means:
  /// they are read once more, to be listed with their CRC.
  void put(std::string_view name, std::string_view content);

  /// For the writers of the engine.
  checkpoint::DirectoryWriter& files() { return *files_; }

 private:
  std::unique_ptr<checkpoint::DirectoryWriter> files_;
};

class ItemWriter {
 public:
  virtual ~ItemWriter() = default;
  /// Bytes of arrays that write() will go through, for progress.
  virtual std::uint64_t array_bytes() const { return 0; }
  /// Bytes that stage() would copy: memory that the owner of the object may change.
  virtual std::uint64_t mutable_bytes() const { return 0; }
  /// Copies that memory, so that its owner may change it from then on. Called at most once, before write().
  virtual void stage(checkpoint::Stage&) {}
  /// The memory has been copied.
  virtual void end_stage() {}
  /// Instead of both: the owner waits until write() is done, and changes nothing.
  virtual void keep() {}
  /// Called once. Blocks. What it throws fails the save.
  virtual void write(ItemDirectory& directory) = 0;
  /// The save has failed: returns when nobody writes into the directory any more.
  virtual void settle() noexcept {}
};

/// Writes files whose content is known.
std::unique_ptr<ItemWriter> make_files_writer(std::vector<std::pair<std::string, std::string>> files);

/// Writes each part into a directory of its own below the item's.
std::unique_ptr<ItemWriter> make_parts_writer(std::vector<std::pair<std::string, std::unique_ptr<ItemWriter>>> parts);

}  // namespace perdure
