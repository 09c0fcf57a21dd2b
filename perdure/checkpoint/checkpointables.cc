#include "perdure/checkpoint/checkpointables.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/seen_directory.h"
#include "perdure/checkpoint/write/save_job.h"

namespace perdure {
namespace {

std::unique_ptr<checkpoint::SaveJob> plan(const std::string& path, const Checkpointables& objects, const SaveOptions& options,
                                          const CheckpointableHandlerRegistry& registry) {
  if (objects.items().empty()) throw Error(ErrorKind::kInvalid, "there is nothing to save");
  auto job = std::make_unique<checkpoint::SaveJob>(path, options);
  for (const auto& [name, object] : objects.items()) {
    with_note([&name = name] { return "checkpointable " + name; },
              [&, &name = name, &object = object] {
                const CheckpointableHandlerRegistry::Found found = registry.for_save(name, object);
                job->add(name, found.typestr, found.handler.save(object, options));
              });
  }
  return job;
}

Checkpointables all_items(const Checkpoint& checkpoint) {
  Checkpointables all;
  for (const std::string& name : checkpoint.item_names()) all.add(name);
  return all;
}

struct Wanted {
  const std::string& name;
  const std::any& abstract;
  CheckpointableHandlerRegistry::Found found;
};

}  // namespace

const std::any& Checkpointables::find(const std::string& name) const {
  const auto found = std::ranges::find(items_, name, [](const auto& item) { return item.first; });
  if (found == items_.end()) throw Error(ErrorKind::kNotFound, "there is no checkpointable '" + name + "'");
  return found->second;
}

void Checkpointables::throw_wrong_type(const std::string& name) {
  throw Error(ErrorKind::kInputType, "checkpointable '" + name + "' is of another type");
}

SaveStatistics save_checkpointables(const std::string& path, const Checkpointables& objects, const SaveOptions& options,
                                    const CheckpointableHandlerRegistry& registry) {
  const std::unique_ptr<checkpoint::SaveJob> job = plan(path, objects, options, registry);
  job->begin();
  return job->finish();
}

SaveFuture save_checkpointables_async(const std::string& path, const Checkpointables& objects, const SaveOptions& options,
                                      const CheckpointableHandlerRegistry& registry) {
  return SaveFuture::stage_and_start(plan(path, objects, options, registry));
}

Checkpointables load_checkpointables(const std::string& path, const Checkpointables& abstract, const LoadOptions& options,
                                     const CheckpointableHandlerRegistry& registry) {
  const auto open = [&] { return Checkpoint::open(path, options.open); };
  return checkpoint::read_steadily(open, [&](const Checkpoint& checkpoint) {
    const Checkpointables asked = abstract.items().empty() ? all_items(checkpoint) : abstract;
    std::vector<Wanted> wanted;
    for (const auto& [name, object] : asked.items()) {
      wanted.push_back({name, object, registry.for_load(name, checkpoint.typestr(name), object)});
    }
    Checkpointables loaded;
    for (const Wanted& one : wanted) {
      with_note(
          [&] { return "checkpointable " + one.name; },
          [&] { loaded.add_any(one.name, one.found.handler.load(StoredItem(checkpoint, one.name, options), one.abstract)); });
    }
    checkpoint.check_not_replaced();
    return loaded;
  });
}

}  // namespace perdure
