// How a fit ends, and who drives the runs of it: the command line with its folder, Python with its
// callbacks. What is fitted and what follows from it is the same for both.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fisherman/fit/erased_run.hpp"

namespace fisherman {

/// How a solver ended, whichever it was.
struct FitSummary {
  std::string status = "converged", sentence;
  double objective = 0.0;
  std::int64_t iterations = 0;
  double seconds = 0.0;
  std::int64_t rejected = 0, clips = 0;

  /// Converged, settled, or did just the iterations that were asked for, if a number was.
  bool as_asked(std::int64_t asked_iterations) const;
};

/// Takes a run to its end, or to where somebody interrupts it; `run.state` is then there.
using Drive = std::function<FitSummary(ErasedRun& run)>;

/// The plain way: to where either criterion says stop, watched.
FitSummary drive(ErasedRun& run, const Stop& interrupted,
                 const std::vector<Observer<ErasedState>>& observers);

}  // namespace fisherman
