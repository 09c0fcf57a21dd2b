#pragma once
// Loading: open a checkpoint, see what it holds, read the leaves that are wanted.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "perdure/base/array_view.h"
#include "perdure/base/environment.h"
#include "perdure/base/json.h"
#include "perdure/base/leaf.h"
#include "perdure/tree/match.h"
#include "perdure/tree/structure.h"
#include "perdure/tree/value.h"

namespace perdure {

class LeafHandlerRegistry;

/// An array as it lies in a checkpoint; nothing of it has been read but its metadata.
struct StoredArray {
  std::string name;  // storage name: "params.layers.0.w"
  DType dtype = DType::kUint8;
  Shape shape;
  Shape chunk_shape;
  std::string origin;  // ArrayLeaf::origin; for foreign checkpoints "jax", "numpy" or "scalar", from the recorded value type
  std::optional<std::uint32_t> tied_to = {};  // the leaf index that this leaf is the same object as
};
using StoredLeaf = std::variant<Scalar, StoredArray>;

struct OpenOptions {
  bool follow_links = false;  // links inside the checkpoint
  Environment environment = {};
};

struct ReadOptions {
  bool verify = true;                           // checksums of all that is read
  bool map = false;                             // private mappings of the file instead of copies, where a chunk layout allows it
  std::uint64_t bytes_max = ~std::uint64_t{0};  // refuse (kInvalid) to load more than this
  /// Of arrays that are read at the same time; a larger array is refused (kInvalid).
  std::uint64_t bytes_at_once_max = ~std::uint64_t{0};
};

/// What to read of one array leaf.
struct ArrayRequest {
  std::uint32_t leaf_index = 0;
  std::optional<DType> dtype = {};       // cast to this; default as stored
  std::optional<Box> box = {};           // default: all of it
  std::optional<ArraySpan> target = {};  // where to put it (shape of the box, dtype of the request); default: fresh memory
};

struct LoadedArray {
  ArrayView view;                     // C order when memory is fresh
  std::shared_ptr<const void> owner;  // of fresh or mapped memory; empty with a target
  bool writable = true;
  bool cast_changed_values = false;  // a cast of kind that altered a number (see base/cast.h)
};

/// One tree of a checkpoint. Immutable; any thread may call any member.
class TreeItem {
 public:
  virtual ~TreeItem() = default;
  virtual const tree::Structure& structure() const = 0;
  virtual const std::vector<StoredLeaf>& leaves() const = 0;
  /// Whether None stands for empty containers too: Orbax writes named tuples without fields so.
  virtual bool none_may_be_empty() const { return false; }
  /// Reads arrays in parallel, in any order. Results are in the order of the requests. Errors carry the leaf's key path as a note.
  virtual std::vector<LoadedArray> read(const std::vector<ArrayRequest>& requests, const ReadOptions& options = {}) const = 0;
};

/// A committed checkpoint: v1 form, flat v0 form, a manager's step, or a single item directory.
/// Throws kNotFound naming the path; kCorrupt for one that is damaged or unfinished. Where an overwrite was cut short, open() takes the
/// save lock and renames NAME.perdure-old back to NAME, or reads it there if it may not. Members that read throw kCheckpoint once another
/// save has overwritten the checkpoint; the functions below then begin again.
class Checkpoint {
 public:
  static Checkpoint open(const std::string& path, const OpenOptions& options = {});
  Checkpoint(Checkpoint&&) noexcept;
  ~Checkpoint();

  const std::string& path() const;
  /// True once it has been overwritten or deleted. What was mapped or read stays as it is.
  bool was_replaced() const;
  /// Throws kCheckpoint if so. For whoever reads below its paths by other means, once he has.
  void check_not_replaced() const;
  /// Names of the items, sorted; {""} for an item directory or flat checkpoint.
  const std::vector<std::string>& item_names() const;
  const json::Value& custom_metadata() const;
  std::optional<std::uint64_t> init_timestamp_ns() const;
  std::optional<std::uint64_t> commit_timestamp_ns() const;
  /// `name`: an item; "AUTO": `state`, else the first tree by name. Throws kNotFound naming what was asked and what exists.
  std::unique_ptr<TreeItem> tree(std::string_view name = "AUTO") const;

  /// The directory of that item. Errors as of tree().
  std::string tree_path(std::string_view name = "AUTO") const;

  // ---- items of any kind; all throw kNotFound, naming what was asked and what exists, for an item that is not there
  /// Which handler saved the item, as recorded: its typestr. For a tree of which nothing is recorded, that of trees; else empty.
  std::string typestr(const std::string& item) const;
  /// Its directory. Throws kCorrupt for a link, unless links are followed.
  std::string item_path(const std::string& item) const;
  /// A file of it: nullopt if there is none. Throws kCorrupt if it is not what was written.
  std::optional<std::string> find_file(const std::string& item, const std::string& file) const;
  /// Reads every file that the checkpoint lists for the item. Throws kCorrupt if one is not what was written.
  void check_files(const std::string& item) const;
  /// The JSON text of the metrics that were saved along.
  std::optional<std::string> metrics() const;

 private:
  struct Impl;
  explicit Checkpoint(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// What a load made of a template, by dotted key paths.
struct LoadReport {
  std::vector<std::string> lossy;   // the cast to the template's dtype or kind changed the values
  std::vector<std::string> kept;    // leaves of the template that were not stored (Missing::kKeep): as they were
  std::vector<std::string> unused;  // stored leaves that the template does not have (Unused::kIgnore): not read
};

struct LoadOptions {
  std::string checkpointable_name = "AUTO";
  /// Key paths ("params.w", with all below it) or patterns ("params.*.bias"); empty: everything.
  std::vector<std::string> only = {};
  OpenOptions open = {};
  ReadOptions read = {};
  const LeafHandlerRegistry* leaf_handlers = nullptr;  // of leaves of own types; borrowed; nullptr: default_leaf_handlers()
  // With a template:
  tree::MatchOptions match = {};     // leaves that only one side has: an error unless allowed here
  bool pad_and_truncate = false;     // an array of another shape: what fits, zeros elsewhere
  bool raise_on_lossy_cast = false;  // kMismatch where the cast to the template's dtype changes values; else a line in the log
  bool in_place = false;  // into a C++ object: arrays are read into the memory that they have; a load that fails spoils them
  LoadReport* report = nullptr;  // filled in when the load has succeeded
};

/// The whole tree (or `only` a part) with arrays in memory of their own.
Value load(const std::string& path, const LoadOptions& options = {});
/// The same in the containers of a template. Each array leaf of it says shape and dtype, with data or without (Value::abstract), each
/// plain value its kind: shapes must be equal, values are cast. Throws kMismatch naming every missing and every unused key path, or
/// the leaf that does not fit.
[[nodiscard]] Value load(const std::string& path, const Value& target, const LoadOptions& options = {});
/// The same as structure and leaves.
tree::FlatTree load_tree(const std::string& path, const LoadOptions& options = {});

/// What a tree looks like: structure, shapes and dtypes, and the plain values themselves.
struct Metadata {
  tree::Structure structure;
  std::vector<StoredLeaf> leaves;
  json::Value custom_metadata;
  std::optional<std::uint64_t> init_timestamp_ns;
  std::optional<std::uint64_t> commit_timestamp_ns;
};
/// Reads no array but those without axes that stand for the numbers of a checkpoint that perdure did not write. Errors as of Checkpoint.
Metadata metadata(const std::string& path, std::string_view checkpointable_name = "AUTO", const OpenOptions& options = {});
/// As a template: what is stored, with arrays that have no data.
Value abstract_tree(const Metadata& metadata);

}  // namespace perdure
