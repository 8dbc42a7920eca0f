// What a front end brings to a fit: the command line its folder and terminal, Python its callbacks. What is fitted, and
// what follows from it, is the same for both.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fisherman/fit/erased_run.hpp"
#include "fisherman/fit/fields.hpp"
#include "fisherman/fit/summary.hpp"

namespace fisherman {

/// Takes a run to its end, or to where somebody interrupts it; `run.state` is then there.
using Drive = std::function<FitSummary(ErasedRun& run)>;

/// The plain way: to where either criterion says stop, watched.
FitSummary drive(ErasedRun& run, const Stop& interrupted,
                 const std::vector<Observer<ErasedState>>& observers);

class Driver {
 public:
  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual ~Driver() = default;

  /// A line for a person who waits, and one that should not be missed; the fitted object has the latter, too.
  virtual void say(const std::string& /*line*/) {}
  virtual void warn(const std::string& /*line*/) {}
  /// Whether somebody wants the fit to end.
  virtual bool interrupted() const { return false; }

  /// A fit may consist of parts, such as one for each of several ranks. Each has a name, a course and a result of its own.
  virtual void begin_part(const std::string& /*name*/) {}
  virtual void end_part(const Fields& /*result*/) {}

  /// Throws Misuse if a run is to be resumed. For a fit that cannot be: `why` names it, as "--method exact is done in one
  /// go".
  virtual void require_fresh(const std::string& /*why*/) const {}
  /// Takes a run to its end, or to where somebody interrupts it.
  virtual FitSummary drive(ErasedRun& run) = 0;
};

/// For programs that just want the fit.
class PlainDriver final : public Driver {
 public:
  FitSummary drive(ErasedRun& run) override;
};

}  // namespace fisherman
