#pragma once
// What a save will write, decided before anything is written: names, dtypes, chunk shapes, codecs, the order in the data file,
// what is stored once for several leaves. Pure: looks at memory (to find equal chunks), never at a disk.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "perdure/checkpoint/document/item_document.h"
#include "perdure/checkpoint/orbax/tree_metadata.h"
#include "perdure/checkpoint/plan/leaf_handler_output.h"
#include "perdure/checkpoint/save.h"
#include "perdure/storage/zarr/metadata.h"

namespace perdure::checkpoint {

/// Where a value lies in the data file.
enum class Placement : std::uint8_t {
  kPage,    // on a page, so that it can be mapped; these come first
  kPacked,  // at a multiple of 64
  kInline,  // in the B+tree
};

inline constexpr std::uint64_t kPagePlacementBytesMin = 64 << 10;   // from here on, less than 1/16 is lost to alignment
inline constexpr std::uint64_t kInlineBytesMax = 128;               // what every reader of the tree decodes must be little
inline constexpr std::uint64_t kCompressedChunkBytesMax = 8 << 20;  // a chunk passes through memory of its own to be compressed

/// The elements lie in the memory of another array, without gaps, in the order of WriteFormat::axis_order.
struct SliceOf {
  std::size_t array = 0;           // index into SavePlan::arrays
  std::uint64_t offset_bytes = 0;  // into its bytes
};

/// What an array has in common with others on disk. In plain directories: nothing.
struct Sharing {
  std::optional<std::size_t> tied_to;  // an earlier array that is the same memory: it is written for both
  std::optional<SliceOf> slice_of;     // the array's values are bytes of another array's
  std::vector<std::uint64_t> cuts;     // where slices of it begin and end: offsets into its bytes, sorted
  bool is_joined = false;              // a slice lies in several of its chunks: they follow each other without a gap
};

struct PlannedArray {
  std::uint32_t leaf_index = 0;
  std::optional<std::size_t> part;  // of a leaf that a handler keeps: index into HandlerOutput::arrays
  std::string name;                 // storage name: "params.w"
  storage::zarr::WriteFormat format;
  storage::zarr::ArrayMetadata metadata;  // of that format; the pieces are cast to its dtype
  std::span<const ArrayPiece> pieces;     // borrowed from the tree, or from SavePlan::scalar_pieces
  bool is_jax = false;
  bool is_immutable = false;  // nobody changes the memory of the pieces
  TransferPriority priority = TransferPriority::kSynchronous;
  Placement placement = Placement::kPacked;  // of all its chunks
  std::string sharding;                      // ArrayLeaf::sharding
  std::uint64_t chunk_count = 0;             // all are stored; 0 for an array without elements
  std::size_t first_value = 0;               // of its chunks, in SavePlan::values; a tied array has those of the first
  bool has_chosen_chunks = false;            // by whoever saves
  Sharing sharing;

  /// Is written for `other` too: as soon as the first of them would be, and copied if anybody may change either.
  void serve_also(const PlannedArray& other) {
    priority = std::min(priority, other.priority);
    is_immutable &= other.is_immutable;
  }
  /// False for one that is stored as a part of others.
  bool is_written() const { return !sharing.tied_to && !sharing.slice_of; }
  std::uint64_t chunk_bytes() const { return metadata.chunk_bytes(); }  // decoded; checked by the plan
  /// What the plan sees of its values is what will be written.
  bool is_fixed() const { return is_immutable || priority == TransferPriority::kSynchronous; }
};

/// One chunk to be written.
struct PlannedValue {
  std::size_t array = 0;
  std::uint64_t chunk = 0;             // C order of the grid
  std::optional<std::size_t> same_as;  // an earlier value with equal bytes: written once
};

struct SavePlan {
  const tree::Structure* structure = nullptr;                // of the item
  TreeMetadata metadata;                                     // entries of _METADATA, private files not yet named
  std::vector<DocumentLeaf> leaves;                          // for the item document; chunk CRCs are filled in when written
  std::vector<std::pair<std::string, std::string>> strings;  // name, text
  std::vector<std::pair<std::string, std::string>> files;    // of handlers: name, content
  std::vector<PlannedArray> arrays;
  std::vector<PlannedValue> values;
  std::vector<std::size_t> array_order;  // arrays as they are written: by priority, then by the place of their values
  std::vector<std::size_t> order;        // values to be written, in the order of the data file
  std::uint64_t array_bytes = 0;         // of the chunks in `order`, decoded
  std::uint64_t shared_bytes = 0;        // of arrays and chunks that are stored with others

  std::deque<std::array<std::byte, 16>> scalar_bytes;  // stable addresses
  std::deque<ArrayPiece> scalar_pieces;
};

/// The item, and the arrays of `handled`, must outlive the plan and stay as they are. Throws kInputType or kInvalid with the key path
/// for what cannot be stored.
SavePlan plan_save(const NamedTree& item, const ArraySaveOptions& options, const HandlerOutput& handled = {});

}  // namespace perdure::checkpoint
