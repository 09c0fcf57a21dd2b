#pragma once
// One save in its steps, so that its caller may do something between them, or go on while the last one runs elsewhere.
//
//   SaveJob job(path, options);
//   job.add("state", typestr, writer);       // plans are made already: what cannot be saved was refused
//   job.begin();                             // lock and temporary directory: a busy or existing destination is refused
//   job.stage();                             // only if somebody may change the objects before finish() returns
//   job.finish();                            // write, commit
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "perdure/checkpoint/files/commit.h"
#include "perdure/checkpoint/item_writer.h"
#include "perdure/checkpoint/save.h"
#include "perdure/checkpoint/write/directory_writer.h"

namespace perdure::checkpoint {

/// For one thread at a time; make_item_directory may be called by any while the job lives. Unless it was finished, nothing of
/// it is left behind when it goes.
class SaveJob {
 public:
  /// Throws kInvalid for options that make no sense.
  SaveJob(const std::string& path, SaveOptions options);
  ~SaveJob();
  SaveJob(const SaveJob&) = delete;
  SaveJob& operator=(const SaveJob&) = delete;

  const std::string& path() const { return path_; }
  const SaveOptions& options() const { return options_; }

  /// `typestr`: recorded, to find the handler again. Throws kInvalid for a name that cannot be a directory, or is taken.
  void add(const std::string& name, std::string typestr, std::unique_ptr<ItemWriter> writer);
  /// The same for metrics, which have a name of their own: a JSON text.
  void add_metrics(std::string json_text);
  /// Throws as Transaction does.
  void begin();
  /// Where the item will be written; exists after make_item_directory or in finish().
  std::string item_path(const std::string& name) const;
  void make_item_directory(const std::string& name);
  /// Copies what may change, also for `others`, which somebody else writes along. False if that is more than
  /// options().stage_bytes_max: then nothing was copied.
  bool stage(std::span<ItemWriter* const> others = {});
  /// Instead, where the caller waits for finish() in another thread.
  void keep(std::span<ItemWriter* const> others = {});
  /// Writes and commits. Throws kCancelled when asked to stop before the commit; what a writer throws; kIo.
  SaveStatistics finish(std::stop_token stop = {});

 private:
  struct Item {
    std::string name;
    std::string typestr;
    std::unique_ptr<ItemWriter> writer;
  };
  std::vector<ItemWriter*> writers(std::span<ItemWriter* const> others) const;
  void write_item(Item& item, DirectoryWriter& root);
  void abandon() noexcept;

  std::string path_;
  SaveOptions options_;
  std::uint64_t init_time_ns_;
  const pid_t process_;
  std::vector<Item> items_;
  std::mutex directories_mutex_;
  std::optional<Transaction> transaction_;
};

/// Copies what may change. False if that is more than options.stage_bytes_max: then nothing was copied.
bool stage_writers(std::span<ItemWriter* const> writers, const SaveOptions& options);

/// Adds trees, with the job's options for arrays. Throws as save_checkpointables does.
void add_trees(SaveJob& job, std::vector<NamedTree> items);

}  // namespace perdure::checkpoint
