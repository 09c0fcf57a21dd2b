#pragma once
// One tree of a checkpoint as Python objects, with or without a template.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perdure/checkpoint/load.h"

namespace perdure::python {

/// Returns (tree, key paths whose values a cast has changed). `placeholder`: the object that, in a template, leaves its leaf alone.
nanobind::tuple load_tree(const Checkpoint& checkpoint, const std::string& name, const nanobind::object& target,
                          std::optional<std::vector<std::string>> only, const nanobind::object& placeholder, bool partial_load,
                          bool keep_missing, bool pad_and_truncate, bool verify, bool mapped, bool as_numpy,
                          std::optional<std::uint64_t> bytes_max);

}  // namespace perdure::python
