#include "perdure/checkpoint/read/item_contents.h"

#include <cassert>
#include <unordered_map>

#include "perdure/base/error.h"
#include "perdure/base/origin.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/orbax/orbax_tree.h"
#include "perdure/checkpoint/orbax/strings.h"
#include "perdure/checkpoint/orbax/tree_metadata.h"
#include "perdure/checkpoint/orbax/value_type.h"

namespace perdure::checkpoint {
namespace {

using TextByName = std::unordered_map<std::string, std::string>;

/// Parses a file; errors name it.
template <class Parse>
auto parse_file(const ListedDirectory& directory, std::string_view name, Parse&& parse) {
  const std::string content = directory.read(name);
  return with_note([&] { return "file " + join_path(directory.path(), name); }, [&] { return parse(content); });
}

ItemContents read_own_contents(const ListedDirectory& directory) {
  ItemContents contents;
  contents.is_ours = true;
  directory.contains(kTreeMetadataFile);  // throws if it is listed and gone: other readers need it
  contents.document = parse_file(directory, kItemDocumentFile, parse_item_document);
  return contents;
}

void add_key_impls(const std::string& text, TextByName& impls) {
  const json::Value document = json::parse(text);
  for (const json::Value& item : document.as_object().at("array_metadatas").as_array()) {
    const json::Object& metadata = item.as_object().at("array_metadata").as_object();
    const json::Value* extension = metadata.find("ext_metadata");
    const json::Value* impl =
        extension != nullptr && extension->is_object() ? extension->as_object().find("random_key_impl") : nullptr;
    if (impl != nullptr) impls[metadata.at("param_name").as_string()] = impl->as_string();
  }
}

/// Implementations of typed random keys by array name, from array_metadatas/process_N.
TextByName read_key_impls(const ListedDirectory& directory) {
  TextByName impls;
  const std::string path = join_path(directory.path(), kArrayMetadatasDirectory);
  const std::optional<FileInfo> info = directory.file_system().find_info(path, directory.follow_links());
  if (!info || info->type != FileType::kDirectory) return impls;
  for (const DirectoryEntry& entry : directory.file_system().list(path)) {
    if (!entry.name.starts_with("process_")) continue;
    parse_file(directory, join_path(kArrayMetadatasDirectory, entry.name),
               [&](const std::string& text) { add_key_impls(text, impls); });
  }
  return impls;
}

/// Turns entries into leaves; the files beside _METADATA are read when a leaf needs them.
class ForeignLeaves {
 public:
  explicit ForeignLeaves(const ListedDirectory& directory) : directory_(directory) {}

  void append(const TreeMetadataEntry& entry, ItemContents& contents) {
    const std::string name = entry.name();
    std::vector<DocumentLeaf>& leaves = contents.document.leaves;
    const ValueType* type = find_value_type(entry.value_type);
    if (type == nullptr) {  // of a handler that its reader may have
      leaves.emplace_back(Scalar(Handled{entry.value_type}));
      return;
    }
    switch (type->value_class) {
      case ValueClass::kNone: leaves.emplace_back(Scalar(None{})); break;
      case ValueClass::kText: leaves.emplace_back(Scalar(Text{string(name)})); break;
      case ValueClass::kNumber: contents.scalar_arrays.push_back(static_cast<std::uint32_t>(leaves.size())); [[fallthrough]];
      case ValueClass::kArray:
        leaves.emplace_back(StoredArrayRef{.name = name, .origin = origin(*type, name), .tied_to = {}, .chunk_crc32c = {}});
        break;
      case ValueClass::kEmptyContainer: assert(false && "a node, no leaf: append_entry"); break;
    }
  }

 private:
  const std::string& string(const std::string& name) {
    if (!strings_) strings_ = parse_file(directory_, kStringsFile, parse_strings);
    const auto found = strings_->find(name);
    if (found != strings_->end()) return found->second;
    throw Error(ErrorKind::kCorrupt, "leaf '" + name + "' is missing in '" + join_path(directory_.path(), kStringsFile) + "'");
  }

  std::string origin(const ValueType& type, const std::string& name) {
    if (!is_jax_origin(type.origin)) return std::string(type.origin);
    if (!key_impls_) key_impls_ = read_key_impls(directory_);
    const auto found = key_impls_->find(name);
    return found == key_impls_->end() ? std::string(type.origin) : random_key_origin(found->second);
  }

  const ListedDirectory& directory_;
  std::optional<TextByName> strings_;
  std::optional<TextByName> key_impls_;
};

ItemContents read_foreign_contents(const ListedDirectory& directory) {
  const TreeMetadata metadata = parse_file(directory, kTreeMetadataFile, parse_tree_metadata);
  if (metadata.is_ours) throw Error(ErrorKind::kCorrupt, "missing file '" + join_path(directory.path(), kFileListFile) + "'");
  OrbaxTree tree = with_note([&] { return "file " + join_path(directory.path(), kTreeMetadataFile); },
                             [&] { return build_orbax_tree(metadata); });
  ItemContents contents;
  contents.document.structure = std::move(tree.structure);
  contents.use_ocdbt = metadata.use_ocdbt;
  ForeignLeaves leaves(directory);
  for (const std::uint32_t entry : tree.entry_of_leaf) leaves.append(metadata.entries[entry], contents);
  return contents;
}

}  // namespace

ItemContents read_item_contents(const ListedDirectory& directory) {
  return directory.has_list() ? read_own_contents(directory) : read_foreign_contents(directory);
}

}  // namespace perdure::checkpoint
