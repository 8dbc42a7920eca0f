#include "fisherman/fit/summary.hpp"

#include <utility>

namespace fisherman {

bool FitSummary::as_asked(std::int64_t asked) const {
  return status == name(Status::converged) || status == name(Status::settled) ||
         (status == name(Status::iterations_done) && asked > 0);
}

FitSummary drive(ErasedRun& run, const Stop& interrupted,
                 const std::vector<Observer<ErasedState>>& observers) {
  const Outcome outcome =
      fisherman::run(run.state, run.model, run.options, interrupted || run.stop, observers);
  std::string sentence(describe(outcome.status));
  if (!outcome.trouble.empty()) sentence += " (" + outcome.trouble + ")";
  double objective = Record::unknown;
  try {
    objective = run.model.objective(run.state.estimate()).value_or(objective);
  } catch (const NotFinite&) {  // a run that has diverged may have come to where there is none
  }
  return {.status = std::string(name(outcome.status)),
          .sentence = std::move(sentence),
          .objective = objective,
          .iterations = run.state.iteration,
          .seconds = run.state.seconds,
          .rejected = run.state.rejected,
          .clips = run.state.clips};
}

}  // namespace fisherman
