#pragma once
// Saving: plan, write, commit.
//
// plan is pure and refuses what cannot be saved before anything is written; write fills a temporary directory beside the
// destination; commit makes everything durable and then visible by one rename or exchange (commit.h).
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perdure/base/environment.h"
#include "perdure/base/json.h"
#include "perdure/checkpoint/transfer_options.h"
#include "perdure/storage/codec.h"
#include "perdure/tree/structure.h"
#include "perdure/tree/value.h"

namespace perdure {

class LeafHandlerRegistry;

/// How arrays are stored.
struct ArraySaveOptions {
  bool use_ocdbt = true;  // false: one directory for each array
  bool use_zarr3 = true;  // false: Zarr v2
  std::optional<storage::CodecChoice> compression{};  // none: arrays are stored as they are, and can be mapped
  std::uint64_t chunk_bytes_max = 64 << 20;          // split along axis 0 first
  std::optional<std::uint64_t> chunk_bytes_divided;  // as Orbax's chunk_byte_size: at most this, and chunks divide the shape
  // For chunk_bytes_divided: axes that are split first. Options for all arrays may name axes that some have not; a leaf's own may not.
  std::vector<std::uint64_t> shard_axes;
  // Arrays are cast to this before they are written. Options for all arrays leave alone what holds no numbers (random keys, types that
  // only its package has); as a leaf's own it is refused there.
  std::optional<DType> dtype;
  std::optional<Shape> write_shape{};  // boxes of this shape are written at once: no chunk is larger, or crosses their borders
};

struct SaveOptions {
  bool overwrite = false;
  std::string checkpointable_name = "state";     // save() only
  json::Value custom_metadata = json::Object{};  // must be an object
  ArraySaveOptions arrays = {};
  bool direct_io = true;
  std::uint64_t stage_bytes_max = ~std::uint64_t{0};   // async: of copies; what does not fit is written before the call returns
  const LeafHandlerRegistry* leaf_handlers = nullptr;  // of leaves of own types; borrowed; nullptr: default_leaf_handlers()
  Environment environment = {};
};

struct SaveStatistics {
  std::string write_path;           // "io_uring direct", "direct", "buffered"
  std::uint64_t written_bytes = 0;  // to data files
  std::uint64_t copied_bytes = 0;   // of array data: once what may change, nothing of what does not but the ends of large arrays
  std::uint64_t file_count = 0;
  std::uint64_t shared_bytes = 0;           // of array data that is not stored again: of tied leaves, equal chunks and slices
  std::vector<std::string> lossy_leaves{};  // whose values ArraySaveOptions::dtype cannot hold, beyond the rounding of floats
};

/// One item of a checkpoint.
struct NamedTree {
  std::string name;
  tree::FlatTree tree;
  /// Own options for single leaves: indexed by leaf; empty, or as long as the leaves are many. use_ocdbt and use_zarr3 there are ignored.
  std::vector<std::optional<ArraySaveOptions>> leaf_options;
  TransferOptions transfer{};
};

/// Saves several trees as one checkpoint directory, in one commit. Errors as of save().
SaveStatistics save_checkpointables(const std::string& path, std::vector<NamedTree> items, const SaveOptions& options = {});

/// Saves a tree as one checkpoint directory. Durable when it returns. Throws kAlreadyExists, kInputType, kInvalid (two key
/// paths with one storage name; reserved item name), kIo; then nothing is left behind and what was at `path` is untouched.
SaveStatistics save(const std::string& path, tree::FlatTree tree, const SaveOptions& options = {});
SaveStatistics save(const std::string& path, const Value& state, const SaveOptions& options = {});

}  // namespace perdure
