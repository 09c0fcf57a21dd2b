#pragma once
// A directory whose files a fuzz target chooses: read only, in memory, without a disk that mutations could fill or wear.
//
// An archive is its text form, which mutations work on: for each file "NAME\nSIZE\nBYTES". Every text is an archive: names that
// no file system has are left out, sizes that do not fit are cut.
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "perdure/base/file_system.h"

namespace perdure::fuzz {

using Files = std::map<std::string, std::string>;  // name below the root -> content

std::string encode_archive(const Files& files);
Files parse_archive(std::string_view archive);

/// Makes every checksum right again: of OCDBT manifests and nodes, of _PERDURE_TREE, and the lists in _PERDURE.
void reseal(Files& files);

/// The files below `root`. A path with ".." or outside of the root's parent is a finding: nobody may ask for it. `files` and this
/// must outlive all that is opened.
std::unique_ptr<FileSystem> make_memory_file_system(const Files& files, std::string root);

}  // namespace perdure::fuzz
