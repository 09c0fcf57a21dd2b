#include "perdure/checkpoint/verify.h"

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/directory_items.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/seen_directory.h"
#include "perdure/checkpoint/orbax/checkpoint_metadata.h"
#include "perdure/checkpoint/read/item_store.h"
#include "perdure/checkpoint/verify/arrays.h"
#include "perdure/checkpoint/verify/files.h"
#include "perdure/checkpoint/verify/foreign_view.h"

namespace perdure {

using namespace checkpoint;

namespace {

/// The directory with its list, or without when that is damaged.
ListedDirectory open_directory(FileSystem& fs, const std::string& root, const std::string& path, bool follow_links,
                               FaultLog& log) {
  ListedDirectory directory = ListedDirectory::without_list(fs, path, follow_links);
  const Fault place{.file = relative_to(root, join_path(path, kFileListFile))};
  log.guard(place, [&] { directory = ListedDirectory(fs, path, follow_links); });
  return directory;
}

/// The checkpoint, then its items.
std::vector<ListedDirectory> open_directories(FileSystem& fs, const std::string& path, bool follow_links, FaultLog& log) {
  const DirectoryItems items = find_items(fs, path);
  std::vector<ListedDirectory> directories = {open_directory(fs, path, path, follow_links, log)};
  if (items.is_item) return directories;
  bool any_list = false;
  for (const std::string& item : items.names) {
    log.guard({.file = item}, [&] {
      directories.push_back(open_directory(fs, path, item_path(fs, path, items, item, follow_links), follow_links, log));
      any_list |= directories.back().has_list();
    });
  }
  if (any_list && !directories.front().has_list()) {
    log.add({.file = std::string(kFileListFile), .what = "missing or damaged, though items of the checkpoint are listed"});
  }
  return directories;
}

void verify_checkpoint_metadata(const ListedDirectory& directory, FaultLog& log) {
  const Fault place{.file = std::string(kCheckpointMetadataFile)};
  log.guard(place, [&] {
    if (const std::optional<std::string> text = directory.find(kCheckpointMetadataFile)) parse_checkpoint_metadata(*text);
  });
}

void verify_item(const ListedDirectory& directory, const OpenOptions& options, const VerifyContext& context) {
  const Fault place{.file = relative_to(context.root, directory.path())};
  std::unique_ptr<StoredTree> tree;
  context.log.guard(place, [&] { tree = StoredTree::open(directory, options.environment); });
  context.log.guard(place, [&] {
    if (!tree) return verify_arrays_alone(*open_item_store(directory), context);
    verify_arrays(*tree, context);
    if (tree->contents().is_ours) verify_foreign_view(*tree, directory, context);
  });
}

VerifyReport verify_directory(const std::string& path, const OpenOptions& options) {
  FileSystem& fs = file_system_of(options.environment);
  Executor& executor = executor_of(options.environment);
  FaultLog log;
  const std::vector<ListedDirectory> directories = open_directories(fs, path, options.follow_links, log);
  verify_files(directories, executor, log);
  verify_checkpoint_metadata(directories.front(), log);
  const VerifyContext context{path, executor, log};
  for (const ListedDirectory& directory : directories) {
    if (&directory == &directories.front() && directories.size() > 1)
      continue;  // the checkpoint itself, which has a file list too
    if (holds_tree(fs, directory.path())) verify_item(directory, options, context);
  }
  return log.take();
}

}  // namespace

VerifyReport verify(const std::string& path, const OpenOptions& options) {
  FileSystem& fs = file_system_of(options.environment);
  return read_steadily([&] { return SeenDirectory(fs, path); },
                       [&](const SeenDirectory& seen) {
                         VerifyReport report = verify_directory(seen.path(), options);
                         if (!report.ok()) seen.check_not_replaced();
                         return report;
                       });
}

}  // namespace perdure
