#include "perdure/checkpoint/files/replace_file.h"

namespace perdure::checkpoint {

void replace_file(FileSystem& fs, const std::string& path, ByteView content) {
  const std::string fresh = path + ".perdure-new";
  if (fs.find_info(fresh, false)) fs.remove_file(fresh);  // of a process that died
  const std::unique_ptr<File> file = fs.create(fresh);
  file->write_at(0, content);
  file->sync();  // content before name: a rename may reach the disk first
  fs.rename(fresh, path);
  fs.sync_directory(parent_path(path));
}

}  // namespace perdure::checkpoint
