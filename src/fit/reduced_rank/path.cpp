#include "fisherman/fit/reduced_rank_path.hpp"

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

RankFit evaluated(const FitRows& rows, Index rank, Index start, FitSummary end,
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

RankFit descend(const FitRows& rows, const ReducedRankSettings& s, Index rank, Index start,
                Driver& driver) {
  const auto began = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  bool interrupted = false;
  const auto best = factor_lbfgs(
      *rows.train, first_point(*rows.train, s, rank, start),
      {.iterations = s.iterations > 0 ? s.iterations : most_descent, .tolerance = 1e-8},
      [&](Index k, double value) {
        interrupted = !driver.see({.iteration = k, .seconds = passed(), .objective = value});
        return !interrupted;
      });
  const Status status = best.converged ? Status::converged
                        : interrupted  ? Status::interrupted
                                       : Status::iterations_done;
  return evaluated(rows, rank, start,
                   {.status = status,
                    .sentence = std::string(describe(status)),
                    .objective = best.objective,
                    .iterations = best.iterations,
                    .seconds = passed()},
                   best.point, Record::unknown);
}

}  // namespace

RankFit fit_rank(const FitRows& rows, const ReducedRankSettings& s, Index rank, Index start,
                 const MemoryPlan& plan, Driver& driver) {
  if (s.method == ReducedRankMethod::lbfgs) return descend(rows, s, rank, start, driver);
  ErasedRun run = make_run(rows.train, s, rank, start, plan);
  FitSummary end = driver.drive(run);
  const double gain = gain_left(run, rows.train);
  if (end.status == Status::iterations_done && gain < s.tolerance) {
    // By the run's own estimate of the Fisher matrix, which is rough where few scores have been.
    end.status = Status::settled;
    end.sentence = describe(Status::settled);
  }
  return evaluated(rows, rank, start, std::move(end), reduced_rank_point(run.state.estimate()),
                   gain);
}

std::string part_name(Index rank, Index start) { return sentence("rank-", rank, "-start-", start); }

Fields part_result(const RankFit& fit) {
  Fields out = fields_of(fit.end);
  out.set("rank", fit.rank);
  out.set("start", fit.start);
  out.set("gain", fit.gain);
  out.set("accuracy", fit.train.accuracy);
  out.set("separable", fit.separable);
  if (fit.test) {
    out.set("test_loss", fit.test->loss);
    out.set("test_accuracy", fit.test->accuracy);
  }
  out.set("singular_values", components(fit.point).s);
  return out;
}

RankPath fit_ranks(const FitRows& rows, const ReducedRankSettings& s,
                   const std::vector<Index>& ranks, const MemoryPlan& plan, Driver& driver) {
  const bool several = ranks.size() > 1 || s.starts > 1;
  RankPath path;
  double best_value = 0.0;
  bool first = true;
  for (const Index rank : ranks) {
    std::optional<std::size_t> of_starts;
    for (Index start = 0; start < s.starts && !driver.interrupted(); ++start) {
      if (several) driver.begin_part(part_name(rank, start));
      path.fits.push_back(fit_rank(rows, s, rank, start, plan, driver));
      if (several) driver.end_part(part_result(path.fits.back()));
      const std::size_t at = path.fits.size() - 1;
      if (!of_starts || path.fits[at].end.objective < path.fits[*of_starts].end.objective)
        of_starts = at;
    }
    if (!of_starts) break;
    const RankFit& fit = path.fits[*of_starts];
    const double value = fit.test ? fit.test->loss : -double(rank);
    if (first || value < best_value) path.best = *of_starts, best_value = value;
    first = false;
  }
  return path;
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
