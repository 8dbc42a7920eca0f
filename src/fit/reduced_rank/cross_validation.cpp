// Which rank, and how strong a ridge: by what folds of the rows, each left out in turn, say of the others' fits.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>

#include "defaults.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/reduced_rank_path.hpp"

namespace fisherman {
namespace {

/// The fold of each row: every class is dealt out evenly, in an order drawn with the seed.
std::vector<Index> folds_of(const ClassData& data, Index folds, std::uint64_t seed) {
  std::vector<Index> rows = all_rows(data.rows()), fold(rows.size());
  const Matrix keys = Draws(seed, std::uint64_t(5) << 60).uniforms(0, data.rows(), 1);
  std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) {
    const int ka = data.outcomes()[std::size_t(a)], kb = data.outcomes()[std::size_t(b)];
    return ka != kb ? ka < kb : keys(a) < keys(b);
  });
  for (std::size_t i = 0; i < rows.size(); ++i) fold[std::size_t(rows[i])] = Index(i) % folds;
  return fold;
}

std::shared_ptr<const ClassData> chosen(const ClassData& data, const std::vector<Index>& rows) {
  return std::make_shared<const ClassData>(data.subset(rows));
}

/// Mean losses and accuracies on the rows that are left out, one a ridge, strongest first.
struct FoldResult {
  std::vector<double> loss, accuracy;
};

FoldResult fit_fold(const ClassData& all, const std::vector<Index>& fold, Index left_out,
                    const ReducedRankSettings& s, Index rank, const std::vector<double>& ridges,
                    const Stop& stop) {
  std::vector<Index> in, out;
  for (Index i = 0; i < all.rows(); ++i) (fold[std::size_t(i)] == left_out ? out : in).push_back(i);
  const auto train = chosen(all, in), test = chosen(all, out);
  const auto features = std::make_shared<const FeatureMoments>(feature_moments(train->design()));
  ReducedRankSettings here = s;
  here.iterations = 0;
  here.tolerance = reduced_rank_defaults::fold_tolerance;
  ReducedRank point = first_point(*train, here, rank, 0, features.get());
  FoldResult result;
  for (const double ridge : ridges) {  // each starts where the stronger one ended
    here.ridge = ridge;
    ErasedRun run =
        make_descent(train, here, point, features,
                     result.loss.empty() ? here.stochastic_iterations(train->rows()) : 0);
    drive(run, stop, {});
    point = reduced_rank_point(run.state.estimate());
    const Evaluation seen = evaluate(*test, point);
    result.loss.push_back(seen.loss);
    result.accuracy.push_back(seen.accuracy);
  }
  return result;
}

/// The simplest that is no worse than the best by more than a standard error: the least rank, then the strongest ridge.
void choose(CrossValidation& cv) {
  const auto best = std::min_element(cv.trials.begin(), cv.trials.end(),
                                     [](const auto& a, const auto& b) { return a.loss < b.loss; });
  cv.best = std::size_t(best - cv.trials.begin());
  cv.chosen = cv.best;
  for (std::size_t k = 0; k < cv.trials.size(); ++k) {
    const CrossValidation::Trial &one = cv.trials[k], &now = cv.trials[cv.chosen];
    if (one.loss > best->loss + best->error) continue;
    if (one.rank < now.rank || (one.rank == now.rank && one.ridge > now.ridge)) cv.chosen = k;
  }
}

}  // namespace

std::optional<CrossValidation> cross_validate(const ClassData& data, const ReducedRankSettings& s,
                                              const std::vector<Index>& ranks,
                                              std::vector<double> ridges, Driver& driver) {
  require(s.descends(), "--cv is for --method lbfgs");
  require(rank_count() == 1,
          "--cv fits its folds side by side on the threads of one process: run it without mpirun");
  require(!data.design().stored(),
          "--cv keeps the rows of its folds in memory, but these rows stay in their file");
  require(s.cv >= 2 && s.cv <= data.rows(), "--cv is ", s.cv, ", but must lie between 2 and ",
          data.rows(), ", the number of rows");
  std::sort(ridges.begin(), ridges.end(), std::greater<>());
  const std::vector<Index> fold = folds_of(data, s.cv, std::uint64_t(s.seed));
  // Only this thread may ask the driver.
  std::atomic<bool> interrupted = false;
  const Stop stop([&, here = std::this_thread::get_id()](const Record&) {
    if (std::this_thread::get_id() == here && driver.interrupted()) interrupted = true;
    return interrupted ? std::optional(Status::interrupted) : std::nullopt;
  });
  CrossValidation cv;
  cv.folds = s.cv;
  for (const Index rank : ranks) {
    std::vector<FoldResult> results(static_cast<std::size_t>(s.cv));
    parallel_for(results.size(), [&](std::size_t k) {
      if (!interrupted) results[k] = fit_fold(data, fold, Index(k), s, rank, ridges, stop);
    });
    if (interrupted || driver.interrupted()) return std::nullopt;
    const double count = double(results.size());
    for (std::size_t at = 0; at < ridges.size(); ++at) {
      CrossValidation::Trial trial{rank, ridges[at], 0.0, 0.0, 0.0};
      for (const FoldResult& one : results) {
        trial.loss += one.loss[at] / count;
        trial.accuracy += one.accuracy[at] / count;
      }
      for (const FoldResult& one : results)
        trial.error += std::pow(one.loss[at] - trial.loss, 2) / (count * (count - 1.0));
      trial.error = std::sqrt(trial.error);
      cv.trials.push_back(trial);
    }
    const auto best =
        std::min_element(cv.trials.end() - std::ptrdiff_t(ridges.size()), cv.trials.end(),
                         [](const auto& a, const auto& b) { return a.loss < b.loss; });
    driver.say(sentence("Cross-validation: rank ", rank, " has a loss of ", best->loss,
                        " on rows that were left out, with ridge ", best->ridge, "."));
  }
  choose(cv);
  return cv;
}

}  // namespace fisherman
