#include "perdure/checkpoint/write/save_job.h"

#include <unistd.h>

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/base/quoted_list.h"
#include "perdure/checkpoint/files/destination.h"
#include "perdure/checkpoint/files/item_name.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/orbax/checkpoint_metadata.h"
#include "perdure/checkpoint/orbax/handler_names.h"
#include "perdure/checkpoint/write/stage.h"
#include "perdure/checkpoint/write/tree_item_writer.h"

namespace perdure::checkpoint {
namespace {

void tell_lossy(const std::vector<std::string>& leaves, LogSink* log) {
  if (leaves.empty() || log == nullptr) return;
  log->warn("the cast to the stored dtype changes the values of: " + quoted_list(leaves));
}

}  // namespace

SaveJob::SaveJob(const std::string& path, SaveOptions options)
    : path_(file_system_of(options.environment).absolute(path)),
      options_(std::move(options)),
      init_time_ns_(clock_of(options_.environment).now_ns()),
      process_(::getpid()) {
  if (!options_.custom_metadata.is_object()) {
    throw Error(ErrorKind::kInvalid,
                "custom_metadata must be an object, not " + std::string(options_.custom_metadata.kind_name()));
  }
  with_note([] { return "custom_metadata"; }, [&] { json::dump(options_.custom_metadata); });
}

SaveJob::~SaveJob() { abandon(); }

void SaveJob::add(const std::string& name, std::string typestr, std::unique_ptr<ItemWriter> writer) {
  check_item_name(name);
  if (std::ranges::find(items_, name, &Item::name) != items_.end()) {
    throw Error(ErrorKind::kInvalid, "two checkpointables are named '" + name + "'");
  }
  items_.push_back({name, std::move(typestr), std::move(writer)});
}

void SaveJob::add_metrics(std::string json_text) {
  items_.push_back({std::string(kMetricsItem), handler_names("MetricsHandler").typestr,
                    make_files_writer({{handler_names("MetricsHandler").files[0], std::move(json_text)}})});
}

void SaveJob::begin() { transaction_.emplace(path_, options_.overwrite, options_.environment); }

std::string SaveJob::item_path(const std::string& name) const { return join_path(transaction_->directory(), name); }

void SaveJob::make_item_directory(const std::string& name) {
  FileSystem& fs = file_system_of(options_.environment);
  const std::string& root = transaction_->directory();
  const std::lock_guard lock(directories_mutex_);
  if (!exists(fs, root)) throw Error(ErrorKind::kIo, "somebody has removed '" + root + "' during the save");  // with items in it
  make_directories(fs, item_path(name));
}

std::vector<ItemWriter*> SaveJob::writers(std::span<ItemWriter* const> others) const {
  std::vector<ItemWriter*> all(others.begin(), others.end());
  for (const Item& item : items_) all.push_back(item.writer.get());
  return all;
}

bool SaveJob::stage(std::span<ItemWriter* const> others) { return stage_writers(writers(others), options_); }

void SaveJob::keep(std::span<ItemWriter* const> others) {
  for (ItemWriter* writer : writers(others)) writer->keep();
}

void SaveJob::write_item(Item& item, DirectoryWriter& root) {
  WriteContext& context = root.context();
  if (context.stop.stop_requested()) throw Error(ErrorKind::kCancelled, "the save to '" + path_ + "' was cancelled");
  make_item_directory(item.name);
  ItemDirectory directory(item_path(item.name), context);
  with_note([&] { return "checkpointable " + item.name; }, [&] { item.writer->write(directory); });
  for (ListedFile& file : directory.files().list()) {
    file.name = join_path(item.name, file.name);
    root.note(std::move(file));
  }
}

SaveStatistics SaveJob::finish(std::stop_token stop) {
  WriteContext context = make_context(options_.environment, options_.direct_io, std::move(stop));
  CheckpointMetadata metadata;
  metadata.custom_metadata = options_.custom_metadata;
  metadata.init_timestamp_ns = init_time_ns_;
  for (const Item& item : items_) {
    metadata.item_handlers.emplace_back(item.name, item.typestr);
    context.total_bytes += item.writer->array_bytes();
  }
  DirectoryWriter root(context, transaction_->directory());
  for (Item& item : items_) {
    write_item(item, root);
    item.writer.reset();  // what it holds is not needed for the next
  }
  metadata.commit_timestamp_ns = context.clock.now_ns();
  root.put(kCheckpointMetadataFile, encode_checkpoint_metadata(metadata));
  root.put(kIndicatorFile, {});
  root.write_list();
  if (context.stop.stop_requested()) throw Error(ErrorKind::kCancelled, "the save to '" + path_ + "' was cancelled");
  transaction_->commit();
  transaction_.reset();
  tell_lossy(context.statistics.lossy_leaves, options_.environment.log);
  return context.statistics;
}

bool stage_writers(std::span<ItemWriter* const> writers, const SaveOptions& options) {
  std::uint64_t bytes = 0;
  for (const ItemWriter* writer : writers) bytes = checked_add(bytes, writer->mutable_bytes());
  std::optional<Stage> stage = stage_arena().try_stage(bytes, options.stage_bytes_max);
  if (!stage) return false;
  for (ItemWriter* writer : writers) writer->stage(*stage);
  stage->copy(executor_of(options.environment));
  for (ItemWriter* writer : writers) writer->end_stage();
  return true;
}

void add_trees(SaveJob& job, std::vector<NamedTree> items) {
  for (NamedTree& item : items) {
    const std::string name = item.name;
    with_note([&] { return "checkpointable " + name; },
              [&] {
                auto writer = std::make_unique<TreeItemWriter>(std::move(item), job.options());
                job.add(name, handler_names("TreeHandler").typestr, std::move(writer));
              });
  }
}

/// Nobody may write into a directory that is being removed. A forked child leaves its parent's alone, and waits for nobody.
void SaveJob::abandon() noexcept {
  if (process_ != ::getpid()) return transaction_.reset();
  for (Item& item : items_) {
    if (item.writer) item.writer->settle();
  }
  transaction_.reset();
}

}  // namespace perdure::checkpoint
