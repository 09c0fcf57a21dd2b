#pragma once
// The tree of one item directory: its leaves from the item's documents, its arrays from the item's store.
#include <memory>

#include "perdure/checkpoint/files/seen_directory.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/read/item_contents.h"
#include "perdure/checkpoint/read/read_plan.h"

namespace perdure::checkpoint {

/// Requests without those that another one serves: leaves that are one object are read once and share their memory.
struct DistinctRequests {
  std::vector<const ArrayRequest*> requests;
  std::vector<std::size_t> served_by;  // for each request given, index into `requests`; empty: each by itself

  static DistinctRequests all(const std::vector<ArrayRequest>& requests);
  std::vector<LoadedArray> share(std::vector<LoadedArray> loaded) const;
};

/// An item with all that reading and checking it needs. Immutable once open() has returned.
class StoredTree : public TreeItem {
 public:
  /// Throws kCorrupt naming file or leaf.
  static std::unique_ptr<StoredTree> open(const ListedDirectory& directory, const Environment& environment);

  const tree::Structure& structure() const override { return contents_.document.structure; }
  const std::vector<StoredLeaf>& leaves() const override { return leaves_; }
  bool none_may_be_empty() const override { return !contents_.is_ours; }
  std::vector<LoadedArray> read(const std::vector<ArrayRequest>& requests, const ReadOptions& options) const override;

  const ItemContents& contents() const { return contents_; }
  const storage::KvStore& store() const { return *store_; }
  /// Everything of the array at an array leaf, planned as stored.
  ArrayToRead planned(std::uint32_t leaf_index) const;

 private:
  explicit StoredTree(SeenDirectory seen) : seen_(std::move(seen)) {}
  void find_arrays();
  void read_scalars();
  ArrayToRead planned(const ArrayRequest& request) const;
  std::uint32_t source_of(std::uint32_t leaf_index) const;
  DistinctRequests find_distinct(const std::vector<ArrayRequest>& requests) const;

  const SeenDirectory seen_;
  FileSystem* file_system_ = nullptr;
  Executor* executor_ = nullptr;
  ProgressSink* progress_ = nullptr;
  ItemContents contents_;
  std::unique_ptr<storage::KvStore> store_;
  std::vector<StoredLeaf> leaves_;
  std::vector<std::optional<storage::zarr::Array>> arrays_;  // by leaf index; none for scalars and leaves tied to another one
  bool has_ties_ = false;
  bool is_database_ = false;  // no two of them have data files of one name, but arrays in plain directories have
};

}  // namespace perdure::checkpoint
