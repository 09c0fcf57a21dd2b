#include "perdure/base/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "perdure/base/error.h"

namespace perdure {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
constexpr std::size_t kTextBytesMax = 4096;

std::uint64_t machine_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) : kNoLimit;
}

/// The beginning of a file of the kernel, which does not know its size; "" if it cannot be read.
std::string kernel_text(FileSystem& fs, const std::string& path) {
  std::string text(kTextBytesMax, '\0');
  try {
    fs.open(path)->read_at(0, std::as_writable_bytes(std::span(text)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kCorrupt) return {};  // kCorrupt: all of it is in `text`
  }
  return text.substr(0, text.find('\0'));
}

/// A number; anything else, as "max", is no limit.
std::uint64_t limit_in(FileSystem& fs, const std::string& path) {
  const std::string text = kernel_text(fs, path);
  std::uint64_t limit = kNoLimit;
  std::from_chars(text.data(), text.data() + text.size(), limit);
  return limit;
}

/// The least of a group and all groups around it. In a container the group may be the root of what can be seen.
std::uint64_t least_limit(FileSystem& fs, const std::string& root, std::string group, std::string_view file) {
  if (group.find("..") != group.npos) group = "/";
  std::uint64_t least = limit_in(fs, join_path(root, file));
  for (; group.size() > 1; group = parent_path(group)) least = std::min(least, limit_in(fs, root + join_path(group, file)));
  return least;
}

}  // namespace

std::uint64_t memory_bytes_max(FileSystem& fs) {
  std::uint64_t least = machine_bytes();
  const std::string groups = kernel_text(fs, "/proc/self/cgroup");  // lines of "NUMBER:CONTROLLERS:/GROUP"
  for (std::size_t begin = 0; begin < groups.size();) {
    const std::size_t end = std::min(groups.find('\n', begin), groups.size());
    const std::string line = groups.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, least_limit(fs, "/sys/fs/cgroup", group, "memory.max"));
    if (controllers.find(",memory,") != line.npos)
      least = std::min(least, least_limit(fs, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

}  // namespace perdure
