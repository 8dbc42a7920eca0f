#include "fisherman/fit/reduced_rank_fit.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace fisherman {

std::shared_ptr<const ClassData> class_rows(const Matrix& x, const std::vector<int>& y,
                                            const std::vector<Index>& rows, Index classes,
                                            const FeatureMap& map, bool single) {
  std::vector<int> chosen;
  for (const Index i : rows) chosen.push_back(y[std::size_t(i)]);
  if (single) return std::make_shared<const ClassData>(map.design<float>(x, rows), chosen, classes);
  return std::make_shared<const ClassData>(map.design<double>(x, rows), chosen, classes);
}

std::vector<Index> all_rows(Index count) {
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), Index(0));
  return rows;
}

FitRows split_rows(const Matrix& x, const std::vector<int>& y, Index classes, const FeatureMap& map,
                   bool single, const ReducedRankSettings& s) {
  require(s.holdout < 1.0, "--holdout is 1, but something must be left to fit");
  std::vector<Index> rows = all_rows(x.rows()), held;
  if (s.holdout > 0.0) {
    const Draws draws(std::uint64_t(s.seed), std::uint64_t(3) << 61);  // no iteration's
    const Matrix keys = draws.uniforms(0, x.rows(), 1);
    const auto test_begin = std::stable_partition(rows.begin(), rows.end(),
                                                  [&](Index i) { return keys(i) >= s.holdout; });
    held.assign(test_begin, rows.end());
    rows.erase(test_begin, rows.end());
    require(!rows.empty() && !held.empty(), "--holdout ", s.holdout, " of ", x.rows(),
            " rows leaves nothing to fit or nothing to test on");
  }
  FitRows both{class_rows(x, y, rows, classes, map, single), nullptr};
  if (!held.empty()) both.test = class_rows(x, y, held, classes, map, single);
  return both;
}

namespace {

ReducedRankLeg evaluated(const FitRows& rows, Index rank, Index start, FitSummary end,
                         const ReducedRank& point, double gain) {
  std::optional<Evaluation> test;
  if (rows.test) test = evaluate(*rows.test, point);
  return {rank,
          start,
          std::move(end),
          point,
          gain,
          evaluate(*rows.train, point),
          std::move(test),
          separable(*rows.train, point)};
}

ReducedRankLeg descend(const FitRows& rows, const ReducedRankSettings& s, Index rank, Index start,
                       const WatchDescent& watch) {
  const auto began = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  bool interrupted = false;
  const auto best = factor_lbfgs(
      *rows.train, first_point(*rows.train, s, rank, start),
      {.iterations = s.iterations > 0 ? s.iterations : most_descent, .tolerance = 1e-8},
      [&](Index k, double value) {
        interrupted = !watch({.iteration = k, .seconds = passed(), .objective = value});
        return !interrupted;
      });
  const Status status = best.converged ? Status::converged
                        : interrupted  ? Status::interrupted
                                       : Status::iterations_done;
  return evaluated(rows, rank, start,
                   {.status = std::string(name(status)),
                    .sentence = std::string(describe(status)),
                    .objective = best.objective,
                    .iterations = best.iterations,
                    .seconds = passed()},
                   best.point, Record::unknown);
}

}  // namespace

ReducedRankLeg fit_leg(const FitRows& rows, const ReducedRankSettings& s, Index rank, Index start,
                       const MemoryPlan& plan, const Drive& drive, const WatchDescent& watch) {
  if (s.method == ReducedRankMethod::lbfgs) return descend(rows, s, rank, start, watch);
  ErasedRun run = make_run(rows.train, s, rank, start, plan);
  FitSummary end = drive(run);
  const double gain = gain_left(run, rows.train);
  if (end.status == name(Status::iterations_done) && gain < s.tolerance) {
    // By the run's own estimate of the Fisher matrix, which is rough where few scores have been.
    end.status = name(Status::settled);
    end.sentence = describe(Status::settled);
  }
  return evaluated(rows, rank, start, std::move(end), reduced_rank_point(run.state.estimate()),
                   gain);
}

ReducedRankFit fit_path(const std::vector<Index>& ranks, Index starts, const OneLeg& one) {
  ReducedRankFit fit;
  double best_value = 0.0;
  bool first = true;
  for (const Index rank : ranks) {
    std::optional<std::size_t> of_starts;
    for (Index start = 0; start < starts; ++start) {
      auto leg = one(rank, start);
      if (!leg) break;
      fit.legs.push_back(std::move(*leg));
      const std::size_t at = fit.legs.size() - 1;
      if (!of_starts || fit.legs[at].end.objective < fit.legs[*of_starts].end.objective)
        of_starts = at;
    }
    if (!of_starts) break;
    const ReducedRankLeg& leg = fit.legs[*of_starts];
    const double value = leg.test ? leg.test->loss : -double(rank);
    if (first || value < best_value) fit.best = *of_starts, best_value = value;
    first = false;
  }
  return fit;
}

Errors standard_errors(const FitRows& rows, const ReducedRank& point,
                       const ReducedRankSettings& s) {
  // The work is one product of order d for each row and class.
  const double d = double(point.dimension());
  const double work = double(rows.train->rows()) * double(rows.train->classes()) * d * d;
  if (!is_on(s.standard_errors, work <= 2e11)) return {};
  return {true, Uncertainty::of(rows.train, point)};
}

}  // namespace fisherman
