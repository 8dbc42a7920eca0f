#include "fisherman/fit/driver.hpp"

#include <optional>
#include <utility>

namespace fisherman {

FitSummary drive(ErasedRun& run, const Stop& interrupted,
                 const std::vector<Observer<ErasedState>>& observers) {
  const Stop stop = interrupted || run.stop;
  const Outcome outcome = run.descent
                              ? descend(run.state, run.model, *run.descent, stop, observers)
                              : fisherman::run(run.state, run.model, run.options, stop, observers);
  std::string sentence(describe(outcome.status));
  if (!outcome.trouble.empty()) sentence += " (" + outcome.trouble + ")";
  double objective = Record::unknown;
  try {
    objective = run.model.objective(run.state.estimate()).value_or(objective);
  } catch (const NotFinite&) {  // a run that has diverged may have come to where there is none
  }
  return {.status = outcome.status,
          .sentence = std::move(sentence),
          .objective = objective,
          .iterations = run.state.iteration,
          .seconds = run.state.seconds,
          .rejected = run.state.rejected,
          .clips = run.state.clips};
}

FitSummary PlainDriver::drive(ErasedRun& run) {
  return fisherman::drive(run, Stop([](const Record&) { return std::optional<Status>(); }), {});
}

}  // namespace fisherman
