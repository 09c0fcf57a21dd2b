#pragma once
// Which handler saves or loads a checkpointable. The rules, for hosts of any language; what only handlers know is asked.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::checkpoint {

/// A registered handler. Later entries go before earlier ones.
struct HandlerEntry {
  std::string typestr;                               // what a checkpoint records of it
  std::optional<std::string> name = {};              // of the one checkpointable that it is for; none: generic
  std::vector<std::string> secondary_typestrs = {};  // other recorded names that mean it
};

/// Asked only where a rule depends on the answer. May throw.
class HandlerAnswers {
 public:
  virtual ~HandlerAnswers() = default;
  /// Save: can this entry save the checkpointable?
  virtual bool takes(std::size_t entry) = 0;
  /// Load: can this entry load into the template? nullopt: if the checkpoint was saved by it.
  virtual std::optional<bool> takes_abstract(std::size_t entry) = 0;
};

/// A stateful checkpointable: the last generic handler that takes it. Else the one of that name, whatever it says; else the
/// last generic one that takes it; else none.
std::optional<std::size_t> handler_to_save(std::span<const HandlerEntry> entries, std::string_view name, bool is_stateful,
                                           HandlerAnswers& answers);

struct LoadQuestion {
  std::string_view name;
  std::string_view typestr;   // as recorded; empty: nothing is
  bool has_template = false;  // without one every handler that the rules come to is taken
  bool is_stateful = false;   // the template loads itself
};

/// Stateful: the recorded handler if it takes the template. Else the one of that name, then the recorded one (by primary or
/// secondary typestr), each if there is no template or if it takes that; then the last generic one that takes the template;
/// then the one of that name all the same; else none.
std::optional<std::size_t> handler_to_load(std::span<const HandlerEntry> entries, const LoadQuestion& question,
                                           HandlerAnswers& answers);

}  // namespace perdure::checkpoint
