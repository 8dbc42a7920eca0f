#include "fisherman/fit/driver.hpp"

#include <optional>
#include <utility>

#include "fisherman/core/ranks.hpp"

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

/// Ranks have clocks and signals of their own, and must stop at the same iteration.
Stop agreed(const Stop& stop) {
  if (rank_count() == 1) return stop;
  return Stop([stop](const Record& record) -> std::optional<Status> {
    const std::optional<Status> mine = stop(record);
    const std::int64_t all = largest_of_ranks(mine ? std::int64_t(*mine) : -1);
    return all < 0 ? std::nullopt : std::optional(Status(all));
  });
}

}  // namespace

FitSummary drive(ErasedRun& run, const Stop& interrupted,
                 const std::vector<Observer<ErasedState>>& observers) {
  const Stop stop = agreed(interrupted || run.stop);
  const Outcome outcome = [&] {
    if (run.newton) return newton(run.state, run.model, *run.newton, stop, observers);
    if (!run.descent) return fisherman::run(run.state, run.model, run.options, stop, observers);
    if (const auto early = stochastic_phase(run, agreed(interrupted), observers)) return *early;
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
