#include "watch.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <type_traits>

#include "arrays.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/solve/observers.hpp"

namespace fisherman::python {
namespace {

nb::dict as_dict(const Record& r) {
  nb::dict out;
  r.for_each_column([&](const char* name, auto value) { out[name] = value; });
  return out;
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

void Watch::require_fresh(const std::string& why) const {
  require(!resume_ && checkpoint_.empty(), why, ": resume and checkpoint do not go with that");
}

void Watch::begin_part(const std::string& name) {
  require(!resume_ && checkpoint_.empty(),
          "resume and checkpoint do not go with a fit of several ranks or starts: only one run can "
          "go on");
  now_ = &courses_[name];
}

FitSummary Watch::drive(ErasedRun& run) {
  if (resume_) restore(run.state, resume_->bytes());
  // As a criterion and not as an observer, so that the run ends with the iteration that was seen. It is
  // asked once before the first.
  const Stop seen([this, begun = std::make_shared<bool>(false)](const Record& r) {
    if (!std::exchange(*begun, true) || see(r)) return std::optional<Status>();
    return std::optional(Status::interrupted);
  });
  std::vector<Observer<ErasedState>> observers;
  if (!checkpoint_.empty()) observers.emplace_back(Checkpoint(checkpoint_, checkpoint_every_));
  FitSummary end = fisherman::drive(run, seen, observers);
  now_->reached.emplace(run.state);
  return end;
}

bool Watch::see(const Record& record) {
  now_->records.push_back(record);
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
  if (record.seconds - now_->heeded >= often) {
    now_->heeded = record.seconds;
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

nb::dict Watch::trace(const std::string& part) const {
  std::map<std::string, std::vector<std::int64_t>> counts;
  std::map<std::string, std::vector<double>> numbers;
  for (const Record& r : courses_.at(part).records)
    r.for_each_column([&](const char* name, auto value) {
      if constexpr (std::is_integral_v<decltype(value)>)
        counts[name].push_back(value);
      else
        numbers[name].push_back(value);
    });
  nb::dict out;
  Record().for_each_column([&](const char* name, auto value) {
    if constexpr (std::is_integral_v<decltype(value)>)
      out[name] = array(std::move(counts[name]));
    else
      out[name] = array(std::move(numbers[name]));
  });
  return out;
}

nb::object Watch::reached(const std::string& part) const {
  const std::optional<Reached>& state = courses_.at(part).reached;
  return state ? nb::cast(*state) : nb::none();
}

nb::dict described(const FitSummary& end, bool as_asked, const Watch& watch,
                   const std::string& part) {
  nb::dict out;
  out["status"] = std::string(name(end.status));
  out["sentence"] = end.sentence;
  out["objective"] = end.objective;
  out["iterations"] = end.iterations;
  out["seconds"] = end.seconds;
  out["rejected"] = end.rejected;
  out["clips"] = end.clips;
  out["as_asked"] = as_asked;
  out["trace"] = watch.trace(part);
  out["state"] = watch.reached(part);
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
