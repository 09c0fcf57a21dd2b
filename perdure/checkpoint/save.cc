#include "perdure/checkpoint/save.h"

#include "perdure/base/error.h"
#include "perdure/checkpoint/checkpoint_metadata.h"
#include "perdure/checkpoint/commit.h"
#include "perdure/checkpoint/item_name.h"
#include "perdure/checkpoint/layout.h"
#include "perdure/checkpoint/save_plan.h"
#include "perdure/checkpoint/tree_writer.h"

namespace perdure {
namespace {

using namespace checkpoint;  // NOLINT: this file is its front

constexpr std::string_view kTreeHandler = "orbax.checkpoint.experimental.v1._src.handlers.pytree_handler.PyTreeHandler";

std::vector<SavePlan> plan_items(const std::vector<NamedTree>& items, const SaveOptions& options) {
  if (!options.custom_metadata.is_object()) {
    throw Error(ErrorKind::kInvalid,
                "custom_metadata must be an object, not " + std::string(options.custom_metadata.kind_name()));
  }
  std::vector<SavePlan> plans;
  for (const NamedTree& item : items) {
    with_note([&] { return "checkpointable " + item.name; }, [&] { plans.push_back(plan_save(item, options.arrays)); });
    for (const NamedTree* earlier = items.data(); earlier != &item; ++earlier) {
      if (earlier->name == item.name) throw Error(ErrorKind::kInvalid, "two checkpointables are named '" + item.name + "'");
    }
  }
  return plans;
}

WriteContext make_context(const SaveOptions& options, const std::vector<SavePlan>& plans) {
  const Environment& environment = options.environment;
  WriteContext context{.file_system = file_system_of(environment),
                       .clock = clock_of(environment),
                       .random = random_of(environment),
                       .progress = environment.progress,
                       .direct_io = options.direct_io,
                       .total_bytes = 0,
                       .done_bytes = 0,
                       .statistics = {}};
  for (const SavePlan& plan : plans) context.total_bytes += plan.array_bytes;
  return context;
}

CheckpointMetadata make_metadata(const std::vector<NamedTree>& items, const SaveOptions& options, std::uint64_t init_time_ns) {
  CheckpointMetadata metadata;
  for (const NamedTree& item : items) metadata.item_handlers.emplace_back(item.name, kTreeHandler);
  metadata.custom_metadata = options.custom_metadata;
  metadata.init_timestamp_ns = init_time_ns;
  return metadata;
}

}  // namespace

SaveStatistics save_checkpointables(const std::string& path, const std::vector<NamedTree>& items, const SaveOptions& options) {
  std::vector<SavePlan> plans = plan_items(items, options);
  WriteContext context = make_context(options, plans);
  CheckpointMetadata metadata = make_metadata(items, options, context.clock.now_ns());
  Transaction transaction(path, options.overwrite, options.environment);

  DirectoryWriter directory(context, transaction.directory());
  for (std::size_t i = 0; i < items.size(); ++i) {
    directory.note(write_tree(plans[i], directory.path_of(items[i].name), context));
    plans[i] = {};  // what it holds is not needed for the next
  }
  metadata.commit_timestamp_ns = context.clock.now_ns();
  directory.put(kCheckpointMetadataFile, encode_checkpoint_metadata(metadata));
  directory.put(kIndicatorFile, {});
  directory.finish();
  transaction.commit();
  return context.statistics;
}

SaveStatistics save(const std::string& path, tree::FlatTree tree, const SaveOptions& options) {
  std::vector<NamedTree> items;
  items.push_back({options.checkpointable_name, std::move(tree), {}});
  return save_checkpointables(path, items, options);
}

SaveStatistics save(const std::string& path, const Value& state, const SaveOptions& options) {
  return save(path, tree::flatten(state), options);
}

}  // namespace perdure
