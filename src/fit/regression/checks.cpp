#include "checks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "fisherman/core/row_sum.hpp"
#include "fisherman/model/pareto.hpp"

namespace fisherman {
namespace {

// Each row costs as many likelihoods as there are draws; these bounds are some seconds.
constexpr Index loo_draws = 1000, most_loo_rows = 20000;
constexpr Index check_draws = 200, most_check_outcomes = 4000000;
constexpr std::uint64_t of_checks = std::uint64_t(1) << 61;  // an address that no run has

/// At most `most` rows, spread evenly.
std::vector<Index> some_rows(Index rows, Index most) {
  const Index count = std::min(rows, most);
  std::vector<Index> out;
  for (Index i = 0; i < count; ++i) out.push_back(i * rows / count);
  return out;
}

double quantile(std::vector<double> values, double p) {
  const double at = p * double(values.size() - 1);
  const auto low = std::size_t(at);
  std::sort(values.begin(), values.end());
  return low + 1 < values.size()
             ? values[low] + (at - double(low)) * (values[low + 1] - values[low])
             : values[low];
}

/// Linear predictors of rows (one each) at draws of θ (one a row).
Matrix linear(const RegressionTarget& target, const std::vector<Index>& rows,
              const Matrix& thetas) {
  Matrix eta =
      target.design()(rows, Eigen::all) * thetas.leftCols(target.coefficients()).transpose();
  if (target.offset().size() > 0) eta.colwise() += Vector(target.offset()(rows));
  return eta;
}

}  // namespace

Fields LeaveOneOut::fields() const {
  Fields out;
  out.set("elpd", elpd);
  out.set("standard_error", error);
  out.set("effective_parameters", effective);
  out.set("rows", rows);
  out.set("rows_in_doubt", doubtful);
  out.set("largest_khat", largest_k);
  return out;
}

LeaveOneOut leave_one_out(const RegressionTarget& target, const GaussianPoint& q,
                          std::uint64_t seed) {
  const Matrix thetas = posterior_draws(q, loo_draws, seed ^ of_checks);
  const Vector ratios = log_densities(target, thetas.transpose()) - log_density(q, thetas);
  LeaveOneOut out;
  if (!ratios.allFinite()) return out;
  const std::vector<Index> rows = some_rows(target.rows(), most_loo_rows);
  const auto m = Index(rows.size());
  const Index tail = target.coefficients() + target.effects();
  const Vector posterior = pareto_smoothed(ratios).log_weights;
  Vector fitted(m);
  out.pointwise.resize(m);
  out.k.resize(m);
  for_row_groups(m, [&](Index first, Index count) {
    const std::vector<Index> some(rows.begin() + first, rows.begin() + first + count);
    const Matrix eta = linear(target, some, thetas);
    Vector log_p(loo_draws), psi(target.extras());
    for (Index i = 0; i < count; ++i) {
      const Index row = some[std::size_t(i)];
      for (Index s = 0; s < loo_draws; ++s) {
        psi = thetas.row(s).segment(tail, target.extras());
        log_p(s) = target.outcomes().weight_of(row) * target.likelihood()
                                                          .at(target.outcomes().y(row),
                                                              target.outcomes().trials_of(row),
                                                              eta(i, s), psi.data())
                                                          .value;
      }
      const SmoothedWeights without = pareto_smoothed(ratios - log_p);
      out.pointwise(first + i) = log_sum_exp(without.log_weights + log_p);
      out.k(first + i) = without.k;
      fitted(first + i) = log_sum_exp(posterior + log_p);
    }
  });
  const double n = double(target.rows()), mean = out.pointwise.mean();
  out.rows = m;
  out.elpd = n * mean;
  out.error = std::sqrt(n * (out.pointwise.array() - mean).square().mean());
  out.effective = n * (fitted - out.pointwise).mean();
  out.largest_k = 0.0;
  for (const double k : out.k) {
    if (k > 0.7) ++out.doubtful;
    if (k > out.largest_k) out.largest_k = k;
  }
  return out;
}

std::vector<PredictiveCheck> predictive_checks(const RegressionTarget& target,
                                               const GaussianPoint& q, std::uint64_t seed) {
  using Statistic = std::pair<std::string, std::function<double(const Vector&)>>;
  std::vector<Statistic> statistics = {
      {"mean", [](const Vector& y) { return y.mean(); }},
      {"standard deviation",
       [](const Vector& y) { return std::sqrt((y.array() - y.mean()).square().mean()); }},
      {"smallest", [](const Vector& y) { return y.minCoeff(); }},
      {"largest", [](const Vector& y) { return y.maxCoeff(); }}};
  if (target.likelihood().link() == Link::log && target.likelihood().trouble(0.0, 1.0).empty())
    statistics.emplace_back(
        "share of zeros", [](const Vector& y) { return (y.array() == 0.0).cast<double>().mean(); });
  const std::vector<Index> rows =
      some_rows(target.rows(), std::max<Index>(1, most_check_outcomes / check_draws));
  const auto m = Index(rows.size());
  const Matrix thetas = posterior_draws(q, check_draws, seed ^ of_checks);
  const Matrix eta = linear(target, rows, thetas);
  const Index tail = target.coefficients() + target.effects();
  std::vector<std::vector<double>> drawn(statistics.size(),
                                         std::vector<double>(std::size_t(check_draws)));
  parallel_for(std::size_t(check_draws), [&](std::size_t s) {
    const Vector psi = thetas.row(Index(s)).segment(tail, target.extras());
    RandomSequence random(seed, of_checks + s);
    Vector y(m);
    for (Index i = 0; i < m; ++i)
      y(i) = target.likelihood().draw(target.outcomes().trials_of(rows[std::size_t(i)]),
                                      eta(i, Index(s)), psi.data(), random);
    for (std::size_t k = 0; k < statistics.size(); ++k) drawn[k][s] = statistics[k].second(y);
  });
  const Vector observed = target.outcomes().y(rows);
  std::vector<PredictiveCheck> out;
  for (std::size_t k = 0; k < statistics.size(); ++k) {
    const double seen = statistics[k].second(observed);
    const auto above =
        std::count_if(drawn[k].begin(), drawn[k].end(), [&](double one) { return one >= seen; });
    out.push_back({statistics[k].first, seen, quantile(drawn[k], 0.05), quantile(drawn[k], 0.5),
                   quantile(drawn[k], 0.95), double(above) / double(check_draws)});
  }
  return out;
}

std::vector<MarginalEffect> marginal_effects(const RegressionTarget& target, const Matrix& thetas,
                                             const Matrix& own,
                                             const std::vector<std::string>& names) {
  const std::vector<Index> rows =
      some_rows(target.rows(), std::max<Index>(1, most_check_outcomes / thetas.rows()));
  const Matrix eta = linear(target, rows, thetas);
  const Link link = target.likelihood().link();
  const Vector slope = eta.unaryExpr([&](double x) { return inverse_link_slope(link, x); })
                           .colwise()
                           .mean()
                           .transpose();
  std::vector<MarginalEffect> out;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const Vector effect = slope.cwiseProduct(own.col(Index(j)));
    const std::vector<double> values(effect.data(), effect.data() + effect.size());
    const double mean = effect.mean();
    out.push_back({names[j], mean, std::sqrt((effect.array() - mean).square().mean()),
                   quantile(values, 0.05), quantile(values, 0.95)});
  }
  return out;
}

}  // namespace fisherman
