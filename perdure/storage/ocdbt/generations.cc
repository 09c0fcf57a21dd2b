#include "perdure/storage/ocdbt/generations.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/storage/ocdbt/envelope.h"

namespace perdure::storage::ocdbt {
namespace {

constexpr std::string_view kNumberedPrefix = "manifest.";
constexpr std::size_t kNumberDigits = 16;

std::optional<Manifest> find_manifest_file(FileSet& files, std::string_view name) {
  const std::string path = files.path(name);
  const auto size = files.find_size(path);
  if (!size) return std::nullopt;
  return with_note([&] { return "file " + path; },
                   [&] {
                     check_envelope_size(*size);
                     return decode_manifest(files.read(path, 0, *size));
                   });
}

bool is_numbered(std::string_view name) {
  if (!name.starts_with(kNumberedPrefix)) return false;
  name.remove_prefix(kNumberedPrefix.size());
  return name.size() == kNumberDigits && name.find_first_not_of("0123456789abcdef") == name.npos;
}

Manifest latest_numbered_manifest(FileSet& files, Manifest first) {
  std::string latest;
  for (const DirectoryEntry& entry : files.file_system().list(files.root())) {
    if (is_numbered(entry.name)) latest = std::max(latest, entry.name);
  }
  if (latest.empty()) return first;
  auto numbered = find_manifest_file(files, latest);
  if (!numbered) throw Error(ErrorKind::kCorrupt, latest + " is missing");
  if (numbered->config.manifest_kind != kSingleManifest) throw Error(ErrorKind::kCorrupt, latest + " has no generations");
  if (numbered->config.uuid != first.config.uuid) throw Error(ErrorKind::kCorrupt, latest + " belongs to another database");
  return *std::move(numbered);
}

/// The generations of one manifest or version node, and what their files are relative to.
struct Generations {
  std::vector<Generation> rows;
  DataFileTable files;
  std::string transitive;
};

std::optional<NodeLocation> root_of(const FileSet& files, const Generations& in, const Generation& generation) {
  if (!generation.has_root()) return std::nullopt;
  return locate(files, in.files, in.transitive, generation.root, generation.root_height);
}

VersionNode load_version_node(FileSet& files, const NodeLocation& at, std::uint8_t arity_log2) {
  return read_node(files, at, [&](const Blob& envelope) {
    VersionNode node = decode_version_node(envelope);
    if (node.height == at.height && node.arity_log2 == arity_log2) return node;
    throw Error(ErrorKind::kCorrupt, "version node of height " + std::to_string(node.height) + " and arity_log2 " +
                                         std::to_string(node.arity_log2) + ", expected " + std::to_string(at.height) + " and " +
                                         std::to_string(arity_log2));
  });
}

/// The first reference whose generations can include `number`: they end there or later.
const VersionNodeReference* find_reference(const std::vector<VersionNodeReference>& references, std::uint64_t number) {
  const auto found =
      std::find_if(references.begin(), references.end(), [&](const auto& row) { return row.last_generation >= number; });
  return found == references.end() ? nullptr : &*found;
}

/// The leaf of the version tree that would hold `number`. Each step goes down one height, so it ends.
std::optional<Generations> find_leaf(FileSet& files, const Manifest& manifest, std::uint64_t number) {
  const VersionNodeReference* reference = find_reference(manifest.version_nodes, number);
  if (!reference) return std::nullopt;
  NodeLocation at = locate(files, manifest.files, "", reference->node, reference->height);
  while (true) {
    VersionNode node = load_version_node(files, at, manifest.config.version_tree_arity_log2);
    if (node.height == 0) return Generations{std::move(node.generations), std::move(node.files), at.transitive};
    reference = find_reference(node.children, number);
    if (!reference) return std::nullopt;
    at = locate(files, node.files, at.transitive, reference->node, static_cast<std::uint8_t>(node.height - 1));
  }
}

}  // namespace

std::optional<Manifest> find_manifest(FileSet& files) {
  auto manifest = find_manifest_file(files, kManifestFile);
  if (!manifest || manifest->config.manifest_kind == kSingleManifest) return manifest;
  return latest_numbered_manifest(files, *std::move(manifest));
}

std::optional<NodeLocation> find_root(FileSet& files, const Manifest& manifest, std::optional<std::uint64_t> number) {
  const Generations recent{manifest.generations, manifest.files, ""};
  if (!number) return recent.rows.empty() ? std::nullopt : root_of(files, recent, recent.rows.back());
  const bool is_recent = !recent.rows.empty() && *number >= recent.rows.front().number;
  const auto generations = is_recent ? recent : find_leaf(files, manifest, *number);
  if (generations) {
    for (const Generation& generation : generations->rows) {
      if (generation.number == *number) return root_of(files, *generations, generation);
    }
  }
  throw Error(ErrorKind::kNotFound, "no generation " + std::to_string(*number));
}

}  // namespace perdure::storage::ocdbt
