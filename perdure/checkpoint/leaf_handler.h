#pragma once
// Handlers of leaves: code that saves and loads the values of one type as leaves of a tree, beside what perdure stores by itself.
//
//   class VocabularyHandler : public perdure::LeafHandler<Vocabulary> {
//     void serialize(const Vocabulary& words, perdure::LeafOutput& out) const override {
//       out.put_text(".words", words.joined());
//       out.put_array(".counts", perdure::Value::array({words.counts.size()}, words.counts));
//     }
//     Vocabulary deserialize(const perdure::LeafInput& in) const override {
//       return Vocabulary(in.read_text(".words"), in.read_array(".counts").span<std::uint64_t>());
//     }
//   };
//
// What a handler puts is part of the item: arrays and texts are stored as those of the tree, all in one commit. The checkpoint records
// the handler's typestr; a Python TypeHandler of the same typestr that uses the same names reads it. To use a handler:
// leaf_handler_registry.h.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perdure/base/dtype.h"
#include "perdure/tree/value.h"

namespace perdure {

namespace checkpoint {
class StoredParts;
struct HandlerOutput;
}  // namespace checkpoint

/// Takes the parts of one leaf while the caller of a save waits. A part is called by the leaf's storage name and a `suffix`, which is
/// empty or UTF-8 that begins with '.' or '/': else kInvalid. The save fails before anything is written (kInvalid) for an array or a text
/// that is called as another one or as another leaf, and for a file that is called as files of the format are; while it writes
/// (kAlreadyExists) for two files of one name. For one thread.
class LeafOutput {
 public:
  LeafOutput(std::string name, std::uint32_t leaf_index, checkpoint::HandlerOutput& output);

  /// The leaf's dotted key path, which is its storage name: "params.words"; "__root__" where that is empty.
  const std::string& name() const { return name_; }

  /// Written later, with the options, the priority and within the limits of the leaf. Value::array says who owns the memory:
  /// what has no owner must stay until the save is done; if it is an async one, until it returns. Throws kInputType for a Value without
  /// data, kInvalid for one that is no array. Without OCDBT an array is a directory of the item: a name with '/' fails the save (kInvalid).
  void put_array(std::string_view suffix, const Value& array);
  /// Throws kInvalid for what is not UTF-8, where lone surrogates may stand too.
  void put_text(std::string_view suffix, std::string utf8);
  /// A file of the item.
  void put_file(std::string_view suffix, std::string content);

 private:
  std::string part_name(std::string_view suffix) const;

  std::string name_;
  std::uint32_t leaf_index_;
  checkpoint::HandlerOutput& output_;
};

/// The parts of one stored leaf. Each member throws kNotFound naming what is not there, kCorrupt for what is not as it was written,
/// kInvalid beyond ReadOptions::bytes_max. For one thread.
class LeafInput {
 public:
  LeafInput(std::string name, checkpoint::StoredParts& parts) : name_(std::move(name)), parts_(parts) {}

  const std::string& name() const { return name_; }
  /// In memory of its own, in C order; cast to `dtype` if that is given.
  Value read_array(std::string_view suffix, std::optional<DType> dtype = std::nullopt) const;
  std::string read_text(std::string_view suffix) const;
  std::string read_file(std::string_view suffix) const;

 private:
  std::string part_name(std::string_view suffix) const { return name_ + std::string(suffix); }

  std::string name_;
  checkpoint::StoredParts& parts_;
};

/// Saves and loads leaves of type T, which is described (base/describe.h), be it as opaque, and can be copied. Any thread may call any
/// member.
template <class T>
class LeafHandler {
 public:
  using Object = T;

  virtual ~LeafHandler() = default;
  /// Whether it saves this one. If not, later handlers are asked. Also asked of the object that a load fills.
  virtual bool takes(const T&) const { return true; }
  /// Hands over what is to be written. What it throws fails the save before anything is written.
  virtual void serialize(const T& value, LeafOutput& out) const = 0;
  virtual T deserialize(const LeafInput& in) const = 0;
};

}  // namespace perdure
