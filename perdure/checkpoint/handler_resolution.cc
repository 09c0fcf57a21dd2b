#include "perdure/checkpoint/handler_resolution.h"

#include <algorithm>

namespace perdure::checkpoint {
namespace {

using Index = std::optional<std::size_t>;

template <class Predicate>
Index last_entry(std::span<const HandlerEntry> entries, Predicate&& is_wanted) {
  for (std::size_t i = entries.size(); i-- > 0;) {
    if (is_wanted(i)) return i;
  }
  return std::nullopt;
}

Index entry_named(std::span<const HandlerEntry> entries, std::string_view name) {
  return last_entry(entries, [&](std::size_t i) { return entries[i].name == name; });
}

bool means(const HandlerEntry& entry, std::string_view typestr) {
  return !typestr.empty() &&
         (entry.typestr == typestr || std::ranges::find(entry.secondary_typestrs, typestr) != entry.secondary_typestrs.end());
}

template <class Takes>
Index last_generic(std::span<const HandlerEntry> entries, Takes&& takes) {
  return last_entry(entries, [&](std::size_t i) { return !entries[i].name && takes(i); });
}

}  // namespace

Index handler_to_save(std::span<const HandlerEntry> entries, std::string_view name, bool is_stateful, HandlerAnswers& answers) {
  const auto generic = [&] { return last_generic(entries, [&](std::size_t i) { return answers.takes(i); }); };
  if (is_stateful) {
    if (const Index found = generic()) return found;
  }
  if (const Index named = entry_named(entries, name)) return named;
  return is_stateful ? std::nullopt : generic();
}

Index handler_to_load(std::span<const HandlerEntry> entries, const LoadQuestion& question, HandlerAnswers& answers) {
  const Index named = entry_named(entries, question.name);
  const Index recorded = last_entry(entries, [&](std::size_t i) { return means(entries[i], question.typestr); });
  const auto fits = [&](Index entry) {
    if (!entry) return false;
    if (!question.has_template) return true;
    return answers.takes_abstract(*entry).value_or(means(entries[*entry], question.typestr));
  };
  if (question.is_stateful && fits(recorded)) return recorded;
  if (fits(named)) return named;
  if (fits(recorded)) return recorded;
  if (question.has_template) {
    const Index able = last_generic(entries, [&](std::size_t i) { return answers.takes_abstract(i).value_or(false); });
    if (able) return able;
  }
  return named;
}

}  // namespace perdure::checkpoint
