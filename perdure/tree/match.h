#pragma once
// Which stored leaf fills which leaf of a template. Pure: structures in, indices out.
//
// Trees are compared by the dotted key paths of their leaves, so that list, tuple, named tuple, record and mapping stand for each
// other where their keys agree, and so do position 0, key 0 and key "0". Empty containers hold no data: they match whatever
// is no leaf, and may be absent on either side. None is a leaf like any other value, unless its writer also says so of empty containers.
#include <cstdint>
#include <optional>
#include <vector>

#include "perdure/tree/structure.h"

namespace perdure::tree {

struct MatchOptions {
  enum class Missing { kError, kKeep };   // a template leaf that is not stored; kKeep: it stays as it is
  enum class Unused { kError, kIgnore };  // a stored leaf that the template does not have; kIgnore: a partial load
  Missing missing = Missing::kError;
  Unused unused = Unused::kError;
};

struct Match {
  std::vector<std::optional<std::uint32_t>> stored;  // for each leaf of the template, the leaf that fills it
  std::vector<std::uint32_t> missing;                // leaves of the template that are not stored
  std::vector<std::uint32_t> unused;                 // stored leaves that the template does not have
};

/// Throws kInvalid when two leaves of the template have one dotted name; kMismatch, naming every missing and every unused key
/// path (of long lists the first 100 and how many more). `maybe_empty`: stored leaves that an empty container matches too; none if empty.
Match match(const Structure& target, const Structure& stored, const MatchOptions& options = {},
            const std::vector<bool>& maybe_empty = {});

}  // namespace perdure::tree
