#include "perdure/checkpoint/verify/files.h"

#include <algorithm>
#include <set>

#include "perdure/base/task_group.h"
#include "perdure/checkpoint/files/layout.h"

namespace perdure::checkpoint {
namespace {

bool is_below(const std::string& directory, const std::string& file) {
  return file.size() > directory.size() && file.starts_with(directory) &&
         (directory.ends_with('/') || file[directory.size()] == '/');
}

/// Files below a directory that has a list and that no list names.
void find_unlisted(const std::vector<ListedDirectory>& directories, const std::set<std::string>& listed, FaultLog& log) {
  const std::string& root = directories.front().path();
  for (const std::string& name : list_tree(directories.front().file_system(), root)) {
    const std::string file = join_path(root, name);
    const bool governed = std::any_of(directories.begin(), directories.end(), [&](const ListedDirectory& directory) {
      return directory.has_list() && is_below(directory.path(), file);
    });
    const bool is_list = std::any_of(directories.begin(), directories.end(), [&](const ListedDirectory& directory) {
      return file == join_path(directory.path(), kFileListFile);
    });
    if (governed && !is_list && !listed.contains(file)) log.add({.file = name, .what = "not listed in _PERDURE"});
  }
}

}  // namespace

std::string relative_to(const std::string& root, const std::string& file) {
  if (file == root) return "";
  return is_below(root, file) ? file.substr(root.size() + (root.ends_with('/') ? 0 : 1)) : file;
}

void verify_files(const std::vector<ListedDirectory>& directories, Executor& executor, FaultLog& log) {
  const std::string& root = directories.front().path();
  std::set<std::string> seen;
  TaskGroup group(executor);
  for (const ListedDirectory& directory : directories) {
    if (!directory.has_list()) continue;
    for (const ListedFile& listed : directory.list()) {
      seen.insert(join_path(directory.path(), listed.name));
      group.run([&](std::stop_token) {
        const Fault place{.file = relative_to(root, join_path(directory.path(), listed.name))};
        log.guard(place, [&] { log.add_checked(directory.check(listed)); });
      });
    }
  }
  group.wait();
  find_unlisted(directories, seen, log);
}

}  // namespace perdure::checkpoint
