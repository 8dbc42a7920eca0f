#include "fisherman/fit/reduced_rank_path.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fisherman/core/row_parts.hpp"

namespace fisherman {

std::shared_ptr<const ClassData> class_rows(const Table& table, const std::vector<int>& y,
                                            const std::vector<Index>& rows, Index classes,
                                            const FeatureMap& map, bool single) {
  Eigen::MatrixXi chosen(1, Index(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) chosen(Index(i)) = y[std::size_t(rows[i])];
  if (!table.rows_here().is_whole()) chosen = dealt(std::move(chosen));
  return std::make_shared<const ClassData>(
      map.design(table, rows, single),
      std::vector<int>(chosen.data(), chosen.data() + chosen.size()), classes);
}

std::vector<Index> all_rows(Index count) {
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), Index(0));
  return rows;
}

FitRows split_rows(const Table& table, const std::vector<int>& y, Index classes,
                   const FeatureMap& map, bool single, const ReducedRankSettings& s) {
  require(s.holdout < 1.0, "--holdout is 1, but something must be left to fit");
  std::vector<Index> rows = all_rows(table.rows()), held;
  if (s.holdout > 0.0) {
    const Draws draws(std::uint64_t(s.seed), std::uint64_t(3) << 61);  // no iteration's
    const Matrix keys = draws.uniforms(0, table.all_rows(), 1);
    const Index first = table.rows_here().first;
    const auto test_begin = std::stable_partition(
        rows.begin(), rows.end(), [&](Index i) { return keys(first + i) >= s.holdout; });
    held.assign(test_begin, rows.end());
    rows.erase(test_begin, rows.end());
    require(largest_of_ranks(Index(rows.size())) > 0 && largest_of_ranks(Index(held.size())) > 0,
            "--holdout ", s.holdout, " of ", table.all_rows(),
            " rows leaves nothing to fit or nothing to test on");
  }
  FitRows both{class_rows(table, y, rows, classes, map, single), nullptr};
  if (s.holdout > 0.0) both.test = class_rows(table, y, held, classes, map, single);
  return both;
}

RankFit fit_rank(const FitRows& rows, const ReducedRankSettings& s, Index rank, Index start,
                 const MemoryPlan& plan, Driver& driver) {
  ErasedRun run = make_run(rows.train, s, rank, start, plan);
  FitSummary end = driver.drive(run);
  const double gain = gain_left(run, rows.train, s);
  if (!s.descends() && end.status == Status::iterations_done &&
      gain < s.tolerance_for(rows.train->rows())) {
    // By the run's own estimate of the Fisher matrix, which is rough where few scores have been.
    end.status = Status::settled;
    end.sentence = describe(Status::settled);
  }
  const ReducedRank point = reduced_rank_point(run.state.estimate());
  std::optional<Evaluation> test;
  if (rows.test) test = evaluate(*rows.test, point);
  const bool searched = start == 0 && s.initial_choice() == ReducedRankStart::search;
  const Index tried = searched ? tried_starts(*rows.train, rank) : 1;
  return {rank,           start, tried, std::move(end), point, gain, evaluate(*rows.train, point),
          std::move(test)};
}

std::string part_name(Index rank, Index start) { return sentence("rank-", rank, "-start-", start); }

Fields part_result(const RankFit& fit) {
  Fields out = fields_of(fit.end);
  out.set("rank", fit.rank);
  out.set("start", fit.start);
  out.set("starts_tried", fit.tried);
  out.set("loss", fit.train.loss);
  out.set("gain", fit.gain);
  out.set("accuracy", fit.train.accuracy);
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

Errors standard_errors(const FitRows& rows, const RankFit& fit, const ReducedRankSettings& s) {
  // The work is one product of order d for each row and class.
  const double d = double(fit.point.dimension());
  const double work = double(rows.train->rows()) * double(rows.train->classes()) * d * d;
  if (!is_on(s.standard_errors, work <= 2e11)) return {};
  if (fit.end.status != Status::converged)
    return {true, "there are no standard errors, because the fit has not converged", {}};
  Errors out{true, {}, Uncertainty::of(rows.train, fit.point, s.ridge)};
  if (!out.uncertainty)
    out.why_not = "the Fisher information is singular at the fit, so there are no standard errors";
  return out;
}

}  // namespace fisherman
