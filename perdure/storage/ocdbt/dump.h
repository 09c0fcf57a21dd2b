#pragma once
// Structures of a database as JSON, and back: for people who look into one, and for tests that build a broken one.
//
// Bytes of keys, paths and values stand as characters U+0000 to U+00FF. from_json functions check nothing but the kinds of the
// JSON values (kCorrupt), so that what they give may be wrong in any way.
#include "perdure/base/json.h"
#include "perdure/storage/ocdbt/btree_node.h"
#include "perdure/storage/ocdbt/manifest.h"
#include "perdure/storage/ocdbt/version_tree.h"

namespace perdure::storage::ocdbt {

json::Value to_json(const Manifest& manifest);
json::Value to_json(const VersionNode& node);
json::Value to_json(const BtreeNode& node);

Manifest manifest_from_json(const json::Value& value);
VersionNode version_node_from_json(const json::Value& value);
BtreeNode btree_node_from_json(const json::Value& value);

}  // namespace perdure::storage::ocdbt
