#include "watch.hpp"

#include <nanobind/stl/string.h>

#include <cmath>

#include "arrays.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/solve/observers.hpp"

namespace fisherman::python {
namespace {

nb::dict as_dict(const Record& r) {
  nb::dict out;
  out["iteration"] = r.iteration;
  out["seconds"] = r.seconds;
  out["objective"] = r.objective;
  out["predicted"] = r.predicted;
  out["step"] = r.step;
  out["kl"] = r.kl;
  out["gradient_norm"] = r.gradient_norm;
  out["step_norm"] = r.step_norm;
  out["rejected"] = r.rejected;
  out["clips"] = r.clips;
  return out;
}

template <class T>
nb::object column(const std::vector<Record>& records, T Record::*field) {
  std::vector<T> values;
  for (const Record& r : records) values.push_back(r.*field);
  return array(std::move(values));
}

}  // namespace

Watch::Watch(nb::object callback, std::optional<Reached> resume, std::string checkpoint,
             double checkpoint_every)
    : callback_(std::move(callback)),
      resume_(std::move(resume)),
      checkpoint_(std::move(checkpoint)),
      checkpoint_every_(checkpoint_every) {
  require(std::isfinite(checkpoint_every) && checkpoint_every >= 0.0, "checkpoint_every is ",
          checkpoint_every, ", but must be finite and not negative");
}

void Watch::only_new_runs(const char* why) const {
  require(!resume_ && checkpoint_.empty(), "resume and checkpoint do not go with ", why);
}

void Watch::begin() {
  records_.clear();
  reached_.reset();
  heeded_ = 0.0;
}

Ended Watch::drive(ErasedRun& run) {
  if (resume_) restore(run.state, resume_->bytes());
  // As a criterion and not as an observer, so that the run ends with the iteration that was seen. It is
  // asked once before the first.
  const Stop seen([this, begun = std::make_shared<bool>(false)](const Record& r) {
    if (!std::exchange(*begun, true) || see(r)) return std::optional<Status>();
    return std::optional(Status::interrupted);
  });
  std::vector<Observer<ErasedState>> observers;
  if (!checkpoint_.empty()) observers.emplace_back(Checkpoint(checkpoint_, checkpoint_every_));
  Ended end = fisherman::drive(run, seen, observers);
  reached_.emplace(run.state);
  return end;
}

bool Watch::see(const Record& record) {
  records_.push_back(record);
  if (!callback_.is_none()) {
    nb::gil_scoped_acquire lock;
    try {
      if (nb::cast<bool>(nb::bool_(callback_(as_dict(record))))) interrupted_ = true;
    } catch (nb::python_error& e) {
      if (!e.matches(PyExc_KeyboardInterrupt)) throw;
      interrupted_ = true;
    }
  }
  constexpr double often = 0.05;  // a person would not notice
  if (record.seconds - heeded_ >= often) {
    heeded_ = record.seconds;
    heed_signals();
  }
  return !interrupted_;
}

void Watch::heed_signals() {
  nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() == 0) return;
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) == 0) throw nb::python_error();
  PyErr_Clear();
  interrupted_ = true;
}

nb::dict Watch::trace() const {
  nb::dict out;
  out["iteration"] = column(records_, &Record::iteration);
  out["seconds"] = column(records_, &Record::seconds);
  out["objective"] = column(records_, &Record::objective);
  out["predicted"] = column(records_, &Record::predicted);
  out["step"] = column(records_, &Record::step);
  out["kl"] = column(records_, &Record::kl);
  out["gradient_norm"] = column(records_, &Record::gradient_norm);
  out["step_norm"] = column(records_, &Record::step_norm);
  out["rejected"] = column(records_, &Record::rejected);
  out["clips"] = column(records_, &Record::clips);
  return out;
}

nb::object Watch::reached() const { return reached_ ? nb::cast(*reached_) : nb::none(); }

nb::dict described(const Ended& end, std::int64_t asked_iterations, const Watch& watch) {
  nb::dict out;
  out["status"] = end.status;
  out["sentence"] = end.sentence;
  out["objective"] = end.objective;
  out["iterations"] = end.iterations;
  out["seconds"] = end.seconds;
  out["rejected"] = end.rejected;
  out["clips"] = end.clips;
  out["as_asked"] = end.as_asked(asked_iterations);
  out["trace"] = watch.trace();
  out["state"] = watch.reached();
  return out;
}

void bind_watch(nb::module_& m) {
  nb::class_<Reached>(m, "Reached",
                      "Where a run was, to go on from with resume=; it can be pickled.")
      .def("__getstate__",
           [](const Reached& r) {
             const std::string bytes = r.bytes();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__",
           [](Reached& r, const nb::bytes& bytes) {
             new (&r) Reached(std::string(bytes.c_str(), bytes.size()));
           })
      .def_static(
          "from_checkpoint", [](const std::string& path) { return Reached(read_checkpoint(path)); },
          nb::arg("path"), "The state in a file that checkpoint= or the command line left.");
}

}  // namespace fisherman::python
