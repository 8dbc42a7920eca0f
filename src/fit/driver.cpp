#include "fisherman/fit/driver.hpp"

#include <optional>
#include <utility>

namespace fisherman {
namespace {

/// The stochastic iterations before a descent, which then starts from their average. Nothing if they are done.
std::optional<Outcome> stochastic_phase(ErasedRun& run, const Stop& interrupted,
                                        const std::vector<Observer<ErasedState>>& observers) {
  ErasedState& s = run.state;
  if (run.stochastic == 0 || s.descending != 0) return std::nullopt;
  Outcome end = fisherman::run(s, run.model, run.options,
                               interrupted || after_iterations(run.stochastic), observers);
  if (end.status != Status::iterations_done) return end;
  if (const auto status = run.stop(end.last)) return Outcome{*status, end.last, {}};
  s.frame = s.estimate();
  s.average.forget();
  return std::nullopt;
}

}  // namespace

FitSummary drive(ErasedRun& run, const Stop& interrupted,
                 const std::vector<Observer<ErasedState>>& observers) {
  const Stop stop = interrupted || run.stop;
  const Outcome outcome = [&] {
    if (run.newton) return newton(run.state, run.model, *run.newton, stop, observers);
    if (!run.descent) return fisherman::run(run.state, run.model, run.options, stop, observers);
    if (const auto early = stochastic_phase(run, interrupted, observers)) return *early;
    return descend(run.state, run.model, *run.descent, stop, observers);
  }();
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
