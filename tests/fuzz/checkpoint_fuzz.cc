// Whole directories: an archive of files (memory_directory.h) is opened, listed, loaded in every way and verified. The first byte
// of an input says whether the checksums of the files are made right again, so that mutations reach what lies behind them.
#include <optional>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/orbax/tree_metadata.h"
#include "perdure/checkpoint/save.h"
#include "perdure/checkpoint/verify.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_directory.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/trees.h"
#include "tests/support/write_formats.h"

using namespace perdure;

namespace {

constexpr char kResealed = 'S';
constexpr char kAsIs = 'R';
constexpr std::uint64_t kLoadBytesMax = 64 << 10;
const std::string kRoot = "/c";

/// The elements of all arrays.
std::string elements_of(const tree::FlatTree& tree) {
  std::string elements;
  for (const Leaf& leaf : tree.leaves) {
    if (const auto* array = std::get_if<ArrayLeaf>(&leaf)) elements += as_text(array->pieces.at(0).view.bytes());
  }
  return elements;
}

/// nullopt if it does not load. Sets `is_sound` when only the limit of bytes, or a kind of value that has no handler, is in the way.
std::optional<std::string> load_elements(const std::string& item, const OpenOptions& open, ReadOptions read,
                                         bool* is_sound = nullptr) {
  read.bytes_max = kLoadBytesMax;
  try {
    const tree::FlatTree tree = load_tree(kRoot, {.checkpointable_name = item, .open = open, .read = read});
    tree::unflatten(tree);
    return elements_of(tree);
  } catch (const Error& error) {
    if (is_sound) *is_sound = error.kind() == ErrorKind::kInvalid || error.kind() == ErrorKind::kNoHandler;
    return std::nullopt;
  }
}

void try_item(const std::string& item, const OpenOptions& open, bool is_verified) {
  bool is_sound = false;
  const std::optional<std::string> elements = load_elements(item, open, {}, &is_sound);
  fuzz::fuzz_check(elements || !is_verified || is_sound, "verify finds no fault in what does not load");
  for (const ReadOptions& read :
       {ReadOptions{.verify = false}, ReadOptions{.map = true}, ReadOptions{.verify = false, .map = true}}) {
    const std::optional<std::string> others = load_elements(item, open, read);
    fuzz::fuzz_check(!elements || others == elements, "two ways to load give different elements");
  }
}

bool holds_a_tree(const Checkpoint& checkpoint, const std::string& item) {
  try {
    checkpoint.tree(item);
    return true;
  } catch (const Error& error) {
    return error.kind() != ErrorKind::kNotFound;
  }
}

void try_checkpoint(const OpenOptions& open) {
  const Checkpoint checkpoint = Checkpoint::open(kRoot, open);
  const bool is_verified = verify(kRoot, open).ok();
  for (const std::string& item : checkpoint.item_names()) {
    if (holds_a_tree(checkpoint, item)) try_item(item, open, is_verified);
  }
}

class FixedRandom : public Random {
 public:
  void fill(ByteSpan target) override {
    for (std::byte& byte : target) byte = static_cast<std::byte>(++last_);
  }

 private:
  unsigned last_ = 0;
};

class FixedClock : public Clock {
 public:
  std::uint64_t now_ns() override { return 1'700'000'000'000'000'000; }
};

/// The same bytes in every run, as seeds must be.
fuzz::Files saved(const ArraySaveOptions& arrays) {
  const test::TemporaryDirectory directory;
  FixedRandom random;
  FixedClock clock;
  tree::FlatTree tree = test::mapping({{"w", test::floats({3, 2})},
                                       {"large", test::floats({5, 8})},  // too large to stand in a node
                                       {"empty", test::floats({0})},
                                       {"n", Scalar(std::int64_t{7})},
                                       {"name", Scalar(Text{"run"})},
                                       {"none", Scalar(None{})},
                                       {"rate", Scalar(0.5)}});
  std::get<ArrayLeaf>(tree.leaves[0]).origin = "jax";
  SaveOptions options;
  options.arrays = arrays;
  options.direct_io = false;
  options.environment = {.clock = &clock, .random = &random, .executor = &inline_executor()};
  save(directory / "c", std::move(tree), options);
  return test::snapshot(directory / "c");
}

/// The item alone, as somebody else would have written it.
fuzz::Files foreign(const fuzz::Files& files) {
  fuzz::Files item;
  for (const auto& [name, content] : files) {
    if (name.starts_with("state/")) item[name.substr(6)] = content;
  }
  item.erase(std::string(checkpoint::kFileListFile));
  item.erase(std::string(checkpoint::kItemDocumentFile));
  std::string& text = item.at(std::string(checkpoint::kTreeMetadataFile));
  checkpoint::TreeMetadata metadata = checkpoint::parse_tree_metadata(text);
  metadata.is_ours = false;
  metadata.private_files.clear();
  text = encode_tree_metadata(metadata);
  return item;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  fuzz::Files files = fuzz::parse_archive({reinterpret_cast<const char*>(data) + 1, size - 1});
  if (data[0] == kResealed) fuzz::reseal(files);
  const auto file_system = fuzz::make_memory_file_system(files, kRoot);
  try {
    try_checkpoint({.environment = {.file_system = file_system.get(), .executor = &inline_executor()}});
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<ArraySaveOptions> options(2);
  options[1].use_ocdbt = false;
  options[1].chunk_bytes_max = 64;
  for (const auto& compression : storage::codec_choices(2)) {
    ArraySaveOptions& zarr2 = options.emplace_back();
    zarr2.use_ocdbt = zarr2.use_zarr3 = false;
    zarr2.compression = compression;
  }
  std::vector<std::string> made;
  for (const ArraySaveOptions& arrays : options) {
    const fuzz::Files ours = saved(arrays);
    for (const fuzz::Files& files : {ours, foreign(ours)}) made.push_back(kResealed + fuzz::encode_archive(files));
    made.push_back(kAsIs + fuzz::encode_archive(ours));
  }
  return made;
}
