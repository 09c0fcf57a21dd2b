#include "perdure/checkpoint/save_async.h"

#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "perdure/base/background.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/write/save_job.h"
#include "perdure/checkpoint/write/unasked_failures.h"

namespace perdure {

struct SaveFuture::State {
  std::string path;
  std::stop_source stop;
  std::shared_ptr<BackgroundTask> task;  // set before anybody else sees the state

  std::mutex mutex;
  bool done = false;                             // guarded by mutex
  SaveStatistics statistics;                     // guarded by mutex
  std::exception_ptr failure;                    // guarded by mutex
  std::uint64_t unasked = 0;                     // guarded by mutex; number of the failure
  std::vector<std::function<void()>> callbacks;  // guarded by mutex

  void run(std::unique_ptr<checkpoint::SaveJob> job) {
    SaveStatistics written;
    std::exception_ptr thrown;
    try {
      written = job->finish(stop.get_token());
    } catch (...) {
      thrown = std::current_exception();
    }
    job.reset();
    finish(std::move(written), thrown);
  }

  void finish(SaveStatistics written, const std::exception_ptr& thrown) {
    std::vector<std::function<void()>> to_call;
    {
      const std::lock_guard lock(mutex);
      statistics = std::move(written);
      failure = thrown;
      if (failure && !stop.stop_requested()) unasked = checkpoint::add_unasked_failure(path, what_of(failure));
      done = true;
      to_call.swap(callbacks);
    }
    if (thrown) return;
    for (const auto& callback : to_call) callback();
  }

  static std::string what_of(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      return error.what();
    } catch (...) {
      return "unknown failure";
    }
  }

  SaveStatistics answer() {
    const std::lock_guard lock(mutex);
    if (!failure) return statistics;
    if (unasked != 0) checkpoint::forget_unasked_failure(std::exchange(unasked, 0));
    try {
      std::rethrow_exception(failure);
    } catch (const Error& error) {
      throw Error(error);  // a copy: whoever adds notes adds them to his own
    }
  }
};

SaveFuture::SaveFuture(std::shared_ptr<State> state) : state_(std::move(state)) {}

SaveFuture SaveFuture::start(std::unique_ptr<checkpoint::SaveJob> job) {
  checkpoint::watch_for_unasked_failures();
  auto state = std::make_shared<State>();
  state->path = job->path();
  // std::function must be copyable
  auto shared_job = std::make_shared<std::unique_ptr<checkpoint::SaveJob>>(std::move(job));
  state->task = BackgroundTask::start([state, shared_job] { state->run(std::move(*shared_job)); });
  return SaveFuture(std::move(state));
}

SaveFuture SaveFuture::stage_and_start(std::unique_ptr<checkpoint::SaveJob> job) {
  job->begin();
  const bool is_staged = job->stage();
  SaveFuture future = start(std::move(job));
  while (!is_staged && !future.wait_for(std::chrono::hours(1))) {
  }
  return future;
}

bool SaveFuture::wait_for(std::chrono::milliseconds time) const { return state_->task->wait_for(time); }

SaveStatistics SaveFuture::result() const {
  state_->task->wait();
  return state_->answer();
}

void SaveFuture::cancel() const { state_->stop.request_stop(); }

void SaveFuture::on_complete(std::function<void()> callback) const {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->done) return state_->callbacks.push_back(std::move(callback));
    if (state_->failure) return;
  }
  callback();
}

SaveFuture save_checkpointables_async(const std::string& path, std::vector<NamedTree> items, const SaveOptions& options) {
  auto job = std::make_unique<checkpoint::SaveJob>(path, options);
  checkpoint::add_trees(*job, std::move(items));
  return SaveFuture::stage_and_start(std::move(job));
}

SaveFuture save_async(const std::string& path, tree::FlatTree tree, const SaveOptions& options) {
  std::vector<NamedTree> items;
  items.push_back({options.checkpointable_name, std::move(tree), {}});
  return save_checkpointables_async(path, std::move(items), options);
}

SaveFuture save_async(const std::string& path, const Value& state, const SaveOptions& options) {
  return save_async(path, tree::flatten(state), options);
}

}  // namespace perdure
