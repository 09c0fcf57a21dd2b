// The steps of a save, and saves in the background.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "perdure/base/background.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/save_async.h"
#include "perdure/checkpoint/write/save_job.h"
#include "perdure/checkpoint/write/unasked_failures.h"
#include "python/src/array_leaf.h"
#include "python/src/bindings.h"
#include "python/src/convert.h"
#include "python/src/foreign_writer.h"
#include "python/src/held_writer.h"
#include "python/src/python_leaf.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using checkpoint::SaveJob;

std::unique_ptr<SaveJob> make_job(const nb::bytes& path, bool overwrite, const std::string& custom_metadata, bool direct_io,
                                  std::optional<std::uint64_t> stage_bytes_max) {
  SaveOptions options;
  options.overwrite = overwrite;
  options.custom_metadata = json::parse(custom_metadata);
  options.direct_io = direct_io;
  if (stage_bytes_max) options.stage_bytes_max = *stage_bytes_max;
  return std::make_unique<SaveJob>(std::string(text_of(path)), std::move(options));
}

nb::dict statistics_object(const SaveStatistics& statistics) {
  nb::dict result;
  result["write_path"] = statistics.write_path;
  result["written_bytes"] = statistics.written_bytes;
  result["copied_bytes"] = statistics.copied_bytes;
  result["file_count"] = statistics.file_count;
  result["shared_bytes"] = statistics.shared_bytes;
  nb::list lossy;
  for (const std::string& name : statistics.lossy_leaves) lossy.append(key_object(std::string_view(name)));
  result["lossy_leaves"] = lossy;
  return result;
}

std::vector<ItemWriter*> writers_of(const nb::list& held) {
  std::vector<ItemWriter*> writers;
  for (nb::handle writer : held) writers.push_back(&nb::cast<HeldWriter&>(writer).get());
  return writers;
}

/// A job that Python drives until it is finished, abandoned or started.
struct HeldJob {
  std::unique_ptr<SaveJob> job;

  SaveJob& get() {
    if (!job) throw Error(ErrorKind::kCancelled, "this save has ended");
    return *job;
  }

  bool stage(const nb::list& others) {
    return without_gil([this, writers = writers_of(others)] { return get().stage(writers); });
  }

  void keep(const nb::list& others) {
    without_gil([this, writers = writers_of(others)] { get().keep(writers); });
  }

  nb::dict finish() {
    std::unique_ptr<SaveJob> running = std::move(job);
    return statistics_object(without_gil([&] {
      const SaveStatistics statistics = running->finish();
      running.reset();
      return statistics;
    }));
  }

  void abandon() {
    without_gil([&] { job.reset(); });
  }
};

std::shared_ptr<ForeignPart> add_foreign(HeldJob& held, const std::string& name, std::string typestr) {
  auto part = std::make_shared<ForeignPart>();
  held.get().add(name, std::move(typestr), std::make_unique<ForeignWriter>(part));
  return part;
}

/// With `waits` the save is over when it returns; its outcome is still in the result.
SaveFuture start(HeldJob& held, bool waits) {
  std::unique_ptr<SaveJob> job = std::move(held.job);
  return without_gil([&] {
    SaveFuture future = SaveFuture::start(std::move(job));
    while (waits && !future.wait_for(std::chrono::hours(1))) {
    }
    return future;
  });
}

bool wait_for(const SaveFuture& future, double seconds) {
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
  return without_gil([&] { return future.wait_for(time); });
}

void on_complete(const SaveFuture& future, const nb::object& callback) {
  const std::shared_ptr<const void> held = owner_of(callback);  // may be dropped, and is called, on another thread
  future.on_complete([held] {
    const GilAcquire gil;
    const nb::handle function(static_cast<PyObject*>(const_cast<void*>(held.get())));
    try {
      function(nb::none());
    } catch (nb::python_error& error) {
      error.discard_as_unraisable(function);
    }
  });
}

/// Whether one has failed about which nobody had asked.
bool finish_background_saves() {
  return without_gil([] {
    wait_for_background_tasks();
    return checkpoint::report_unasked_failures();
  });
}

void bind_job(nb::module_& m) {
  nb::class_<ForeignPart>(m, "ForeignPart")
      .def("start", &ForeignPart::start)
      .def(
          "make_directory", [](ForeignPart& self, const nb::bytes& path) { self.make_directory(std::string(text_of(path))); },
          nb::arg("path"))
      .def("finish", &ForeignPart::finish, nb::arg("failure").none());
  nb::class_<HeldJob>(m, "SaveJob")
      .def(
          "__init__",
          [](HeldJob* self, const nb::bytes& path, bool overwrite, const std::string& custom_metadata, bool direct_io,
             std::optional<std::uint64_t> stage_bytes_max) {
            new (self) HeldJob{make_job(path, overwrite, custom_metadata, direct_io, stage_bytes_max)};
          },
          nb::arg("path"), nb::kw_only(), nb::arg("overwrite"), nb::arg("custom_metadata"), nb::arg("direct_io"),
          nb::arg("stage_bytes_max").none())
      .def(
          "add",
          [](HeldJob& self, const std::string& name, std::string typestr, HeldWriter& writer) {
            self.get().add(name, std::move(typestr), writer.take_alone());
          },
          nb::arg("name"), nb::arg("typestr"), nb::arg("writer"))
      .def("add_foreign", &add_foreign, nb::arg("name"), nb::arg("typestr"))
      .def(
          "add_metrics", [](HeldJob& self, std::string text) { self.get().add_metrics(std::move(text)); }, nb::arg("json"))
      .def("begin", [](HeldJob& self) { without_gil([&] { self.get().begin(); }); })
      .def(
          "item_path", [](HeldJob& self, const std::string& name) { return bytes_object(self.get().item_path(name)); },
          nb::arg("name"))
      .def("stage", &HeldJob::stage, nb::arg("others"))
      .def("keep", &HeldJob::keep, nb::arg("others"))
      .def("finish", &HeldJob::finish)
      .def("start", &start, nb::arg("waits"))
      .def("abandon", &HeldJob::abandon);
}

}  // namespace

void bind_save(nb::module_& m) {
  bind_job(m);
  nb::class_<SaveFuture>(m, "SaveFuture")
      .def("wait_for", &wait_for, nb::arg("seconds"))
      .def("result", [](const SaveFuture& self) { return statistics_object(without_gil([&] { return self.result(); })); })
      .def("cancel", &SaveFuture::cancel)
      .def("on_complete", &on_complete, nb::arg("callback"));
  m.def("finish_background_saves", &finish_background_saves);
}

}  // namespace perdure::python
