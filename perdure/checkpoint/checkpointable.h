#pragma once
// Handlers of checkpointables: code that saves and loads one kind of object as one item of a checkpoint.
//
//   class VocabularyHandler : public perdure::CheckpointableHandler<Vocabulary> {
//     std::unique_ptr<perdure::ItemWriter> save(const Vocabulary& words, const perdure::SaveOptions&) const override {
//       return perdure::make_files_writer({{"words.txt", words.joined()}});
//     }
//     Vocabulary load(const perdure::StoredItem& item, const Vocabulary*) const override {
//       return Vocabulary(item.read_file("words.txt"));
//     }
//   };
//
// The built-in ones (built_in_handlers.h) are made the same way. To use one: checkpointable_handler_registry.h, checkpointables.h.
#include <memory>
#include <optional>
#include <string>

#include "perdure/checkpoint/item_writer.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"

namespace perdure {

/// One item of a committed checkpoint, to be read. Borrows the checkpoint. Any thread may call any member.
class StoredItem {
 public:
  StoredItem(const Checkpoint& checkpoint, std::string name, const LoadOptions& options)
      : checkpoint_(checkpoint), name_(std::move(name)), options_(options) {}

  const Checkpoint& checkpoint() const { return checkpoint_; }
  const std::string& name() const { return name_; }
  /// Those of the call, with this item's name in them.
  LoadOptions options() const;
  /// nullopt if there is no such file. Throws kCorrupt if it is not what was written.
  std::optional<std::string> find_file(const std::string& file) const { return checkpoint_.find_file(name_, file); }
  /// find_file, or kNotFound.
  std::string read_file(const std::string& file) const;

 private:
  const Checkpoint& checkpoint_;
  std::string name_;
  const LoadOptions& options_;
};

/// Saves and loads objects of type T; what a load may be asked for is an Abstract. Any thread may call any member.
template <class T, class Abstract = T>
class CheckpointableHandler {
 public:
  using Object = T;
  using AbstractObject = Abstract;

  virtual ~CheckpointableHandler() = default;
  /// The first half of a save: looks at the object while its owner waits. The writer does the rest, later and on any thread; what
  /// it borrows from the object must be memory that it copies in its stage().
  virtual std::unique_ptr<ItemWriter> save(const T& object, const SaveOptions& options) const = 0;
  /// `abstract`: what the caller asks for; nullptr: as saved.
  virtual T load(const StoredItem& item, const Abstract* abstract) const = 0;
  /// Whether save() takes it. Types are checked before.
  virtual bool is_handleable(const T&) const { return true; }
  /// Whether load() takes it; nullopt: if the checkpoint was saved by this handler.
  virtual std::optional<bool> is_abstract_handleable(const Abstract&) const { return true; }
};

}  // namespace perdure
