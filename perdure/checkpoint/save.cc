#include "perdure/checkpoint/save.h"

#include "perdure/checkpoint/write/save_job.h"

namespace perdure {

SaveStatistics save_checkpointables(const std::string& path, std::vector<NamedTree> items, const SaveOptions& options) {
  checkpoint::SaveJob job(path, options);
  checkpoint::add_trees(job, std::move(items));
  job.begin();
  return job.finish();
}

SaveStatistics save(const std::string& path, tree::FlatTree tree, const SaveOptions& options) {
  std::vector<NamedTree> items;
  items.push_back({options.checkpointable_name, std::move(tree), {}});
  return save_checkpointables(path, std::move(items), options);
}

SaveStatistics save(const std::string& path, const Value& state, const SaveOptions& options) {
  return save(path, tree::flatten(state), options);
}

}  // namespace perdure
