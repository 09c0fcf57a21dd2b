#include "perdure/checkpoint/leaves/strings_file.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/replace_file.h"
#include "perdure/checkpoint/orbax/strings.h"
#include "perdure/checkpoint/write/written_leaves.h"

namespace perdure::checkpoint {
namespace {

std::unordered_map<std::string, std::string> read_file_of(FileSystem& fs, const std::string& path) {
  const std::string text = read_file(fs, path, kStringsBytesMax);
  return with_note([&] { return "file " + path; }, [&] { return parse_strings(text); });
}

}  // namespace

void write_strings(const std::string& directory, std::vector<std::pair<std::string, std::string>> strings,
                   const Environment& environment) {
  if (is_held(directory)) {
    WrittenLeaves written;
    written.strings = std::move(strings);
    return add_written_leaves(directory, std::move(written));
  }
  static std::mutex mutex;  // two calls for one directory must both be seen
  const std::lock_guard lock(mutex);
  FileSystem& fs = file_system_of(environment);
  const std::string path = join_path(directory, kStringsFile);
  std::unordered_map<std::string, std::string> all;
  if (fs.find_info(path)) all = read_file_of(fs, path);
  for (auto& [name, text] : strings) all.insert_or_assign(std::move(name), std::move(text));
  std::vector<std::pair<std::string, std::string>> sorted(all.begin(), all.end());
  std::ranges::sort(sorted);
  make_directories(fs, directory);
  replace_file(fs, path, as_bytes(encode_strings(sorted)));
}

std::vector<std::string> read_strings(const std::string& directory, const std::vector<std::string>& names,
                                      const Environment& environment) {
  const std::string path = join_path(directory, kStringsFile);
  const auto strings = read_file_of(file_system_of(environment), path);
  std::vector<std::string> texts;
  for (const std::string& name : names) {
    const auto found = strings.find(name);
    if (found == strings.end()) throw Error(ErrorKind::kNotFound, "there is no text '" + name + "' in '" + path + "'");
    texts.push_back(found->second);
  }
  return texts;
}

}  // namespace perdure::checkpoint
