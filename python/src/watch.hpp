// How Python drives a run: the interpreter is free while the core computes, Ctrl-C ends the run where it
// is, a callback sees every iteration.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fisherman/fit/summary.hpp"

namespace fisherman::python {

namespace nb = nanobind;

/// Where a run was, to go on from. It becomes bytes only when somebody wants them.
class Reached {
 public:
  explicit Reached(ErasedState state) : state_(std::move(state)) {}
  explicit Reached(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string bytes() const { return state_ ? saved(*state_) : bytes_; }

 private:
  std::optional<ErasedState> state_;
  std::string bytes_;
};

/// What a caller wants done while a fit goes on; made with the interpreter's lock, used without it.
class Watch {
 public:
  /// `callback` is None, or called with a dict for each iteration: the run ends if it returns true.
  Watch(nb::object callback, std::optional<Reached> resume, std::string checkpoint,
        double checkpoint_every);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Forgets the solver before, if there are several.
  void begin();
  /// Takes a run to its end, or to Ctrl-C; for use as a Drive.
  FitSummary drive(ErasedRun& run);
  /// One iteration of any solver; whether to go on.
  bool see(const Record& record);
  bool interrupted() const { return interrupted_; }
  /// A function that raised KeyboardInterrupt in the middle of an iteration: true the first time. The
  /// caller should then do its work again, so that the iteration is whole, and the run ends after it.
  bool interrupt_once() { return !interrupted_.exchange(true); }
  void only_new_runs(const char* why) const;

  /// With the interpreter's lock: the columns of the trace, and where the last run was (or None).
  nb::dict trace() const;
  nb::object reached() const;

 private:
  void heed_signals();
  nb::object callback_;
  std::optional<Reached> resume_, reached_;
  std::string checkpoint_;
  double checkpoint_every_;
  std::vector<Record> records_;
  double heeded_ = 0.0;  // seconds of the run
  std::atomic<bool> interrupted_ = false;
};

void bind_watch(nb::module_& m);

/// What every fit tells: status, sentence, objective and so on, the trace, and the state reached.
nb::dict described(const FitSummary& end, std::int64_t asked_iterations, const Watch& watch);

}  // namespace fisherman::python
