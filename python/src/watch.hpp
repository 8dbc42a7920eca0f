// How Python drives a run: the interpreter is free while the core computes, Ctrl-C ends the run where it
// is, a callback sees every iteration.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fisherman/fit/driver.hpp"

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
class Watch final : public Driver {
 public:
  /// `callback` is None, or called with a dict for each iteration: the run ends if it returns true.
  Watch(nb::object callback, std::optional<Reached> resume, std::string checkpoint,
        double checkpoint_every);

  FitSummary drive(ErasedRun& run) override;
  bool see(const Record& record);
  bool interrupted() const override { return interrupted_; }
  void begin_part(const std::string& name) override;
  void require_fresh(const std::string& why) const override;
  /// A function that raised KeyboardInterrupt in the middle of an iteration: true the first time. The
  /// caller should then do its work again, so that the iteration is whole, and the run ends after it.
  bool interrupt_once() { return !interrupted_.exchange(true); }

  /// With the interpreter's lock: the columns of the trace, and where the run was (or None). Of a part, if the fit has any.
  nb::dict trace(const std::string& part) const;
  nb::object reached(const std::string& part) const;

 private:
  void heed_signals();
  nb::object callback_;
  std::optional<Reached> resume_;
  std::string checkpoint_;
  double checkpoint_every_;
  struct Course {
    std::vector<Record> records;
    std::optional<Reached> reached;
    double heeded = 0.0;  // seconds of the run when signals were looked at
  };
  std::map<std::string, Course> courses_ = {{"", {}}};  // by part
  Course* now_ = &courses_[""];
  std::atomic<bool> interrupted_ = false;
};

void bind_watch(nb::module_& m);

/// What every fit tells: status, sentence, objective and so on, the trace, and the state reached.
nb::dict described(const FitSummary& end, bool as_asked, const Watch& watch,
                   const std::string& part = "");

}  // namespace fisherman::python
