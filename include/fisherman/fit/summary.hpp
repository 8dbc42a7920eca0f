// How a fit ended.
#pragma once

#include <cstdint>
#include <string>

#include "fisherman/fit/fields.hpp"
#include "fisherman/solve/record.hpp"

namespace fisherman {

/// How a solver ended, whichever it was.
struct FitSummary {
  Status status = Status::converged;
  std::string sentence = std::string(describe(Status::converged));
  double objective = 0.0;
  std::int64_t iterations = 0;
  double seconds = 0.0;
  std::int64_t rejected = 0, clips = 0;

  /// Converged, settled, or did just the iterations that were asked for, if a number was.
  bool as_asked(std::int64_t asked_iterations) const;
};

/// What result.json begins with, and back. Throws Misuse for a status that does not exist.
Fields fields_of(const FitSummary& summary);
FitSummary summary_of(const Fields& result);

}  // namespace fisherman
