#include "checks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "fisherman/core/row_sum.hpp"
#include "fisherman/model/pareto.hpp"

namespace fisherman {
namespace {

// Each row costs as many likelihoods as there are draws; these bounds are some seconds.
constexpr Index most_loo_rows = 20000, most_loo_ratios = 4'000'000;
constexpr Index check_draws = 200, most_check_outcomes = 4000000;
constexpr std::uint64_t of_checks = std::uint64_t(1) << 61;  // an address that no run has

double quantile(std::vector<double> values, double p) {
  const double at = p * double(values.size() - 1);
  const auto low = std::size_t(at);
  std::sort(values.begin(), values.end());
  return low + 1 < values.size()
             ? values[low] + (at - double(low)) * (values[low + 1] - values[low])
             : values[low];
}

using Statistic = std::pair<std::string, std::function<double(const Vector&)>>;

std::vector<Statistic> statistics_of(const Likelihood& likelihood,
                                     const std::vector<std::string>& classes) {
  std::vector<Statistic> out;
  if (likelihood.link() == Link::softmax) {
    for (std::size_t k = 0; k < classes.size(); ++k)
      out.emplace_back("share of " + classes[k], [k](const Vector& y) {
        return (y.array() == double(k)).cast<double>().mean();
      });
    return out;
  }
  out = {{"mean", [](const Vector& y) { return y.mean(); }},
         {"standard deviation",
          [](const Vector& y) { return std::sqrt((y.array() - y.mean()).square().mean()); }},
         {"smallest", [](const Vector& y) { return y.minCoeff(); }},
         {"largest", [](const Vector& y) { return y.maxCoeff(); }}};
  if (likelihood.link() == Link::log && likelihood.trouble(0.0, 1.0).empty())
    out.emplace_back("share of zeros",
                     [](const Vector& y) { return (y.array() == 0.0).cast<double>().mean(); });
  return out;
}

MarginalEffect effect_of(const std::string& name, const Vector& draws) {
  const std::vector<double> values(draws.data(), draws.data() + draws.size());
  const double mean = draws.mean();
  return {name, mean, std::sqrt((draws.array() - mean).square().mean()), quantile(values, 0.05),
          quantile(values, 0.95)};
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
  out.set("correction_khat", correction.k);
  out.set("correction_variation", correction.variation);
  out.set("all_rows", all_rows);
  return out;
}

LeaveOneOut leave_one_out(const RegressionTarget& target, const GaussianPoint& q,
                          std::uint64_t seed) {
  const Index m = std::min(target.rows(), most_loo_rows),
              at_a_draw = std::max(m, target.dimension()) * target.predictors(),
              fewest = std::min(Index(1000), draws_for_khat(target)),
              loo_draws = std::clamp(most_loo_ratios / at_a_draw, fewest, Index(4000));
  const Matrix thetas = posterior_draws(q, loo_draws, seed ^ of_checks);
  const Matrix by_column = thetas.transpose();
  const Vector ratios = log_densities(target, by_column) - log_density(q, thetas);
  LeaveOneOut out;
  if (!ratios.allFinite()) return out;
  const RegressionTarget some_rows = target.sample(most_loo_rows);
  const Index tail = target.coefficients() + target.effects();
  const Vector posterior = pareto_smoothed(ratios).log_weights;
  out.correction = ratio_check(ratios);
  Vector fitted(m);
  std::vector<RatioCheck> own(static_cast<std::size_t>(m));
  out.pointwise.resize(m);
  for_row_groups(m, [&](Index first, Index count) {
    std::vector<Index> some(static_cast<std::size_t>(count));
    std::iota(some.begin(), some.end(), first);
    const Matrix eta = some_rows.linear_predictors(some, by_column);
    Vector log_p(loo_draws), psi(target.extras());
    for (Index i = 0; i < count; ++i) {
      const Index row = first + i;
      for (Index s = 0; s < loo_draws; ++s) {
        psi = thetas.row(s).segment(tail, target.extras());
        log_p(s) = some_rows.outcomes().weight_of(row) *
                   target.likelihood().log_p(
                       some_rows.outcomes().y(row), some_rows.outcomes().trials_of(row),
                       eta.col(i).data() + s * target.predictors(), psi.data());
      }
      out.pointwise(row) = log_sum_exp(pareto_smoothed(ratios - log_p).log_weights + log_p);
      fitted(row) = log_sum_exp(posterior + log_p);
      // The row's own ratios: what the correction adds is the same for all rows, and told once.
      own[std::size_t(row)] = ratio_check(-log_p);
    }
  });
  const double n = double(target.rows()), mean = out.pointwise.mean();
  out.rows = m;
  out.all_rows = target.rows();
  out.elpd = n * mean;
  out.error = std::sqrt(n * (out.pointwise.array() - mean).square().mean());
  out.effective = n * (fitted - out.pointwise).mean();
  out.largest_k = 0.0;
  for (const RatioCheck& one : own) {
    if (one.k > 0.7 && !one.weights_correct()) ++out.doubtful;
    out.largest_k = std::max(out.largest_k, one.judged());
  }
  return out;
}

std::vector<PredictiveCheck> predictive_checks(const RegressionTarget& target,
                                               const GaussianPoint& q, std::uint64_t seed,
                                               const std::vector<std::string>& classes) {
  const std::vector<Statistic> statistics = statistics_of(target.likelihood(), classes);
  const RegressionTarget some =
      target.sample(std::max<Index>(1, most_check_outcomes / check_draws));
  const Index m = some.rows();
  const Matrix thetas = posterior_draws(q, check_draws, seed ^ of_checks);
  const Matrix eta = some.linear_predictors(thetas.transpose());
  const Index tail = target.coefficients() + target.effects();
  std::vector<std::vector<double>> drawn(statistics.size(),
                                         std::vector<double>(std::size_t(check_draws)));
  parallel_for(std::size_t(check_draws), [&](std::size_t s) {
    const Vector psi = thetas.row(Index(s)).segment(tail, target.extras());
    RandomSequence random(seed, of_checks + s);
    Vector y(m);
    for (Index i = 0; i < m; ++i)
      y(i) = target.likelihood().sample(some.outcomes().trials_of(i),
                                        eta.col(i).data() + Index(s) * target.predictors(),
                                        psi.data(), random);
    for (std::size_t k = 0; k < statistics.size(); ++k) drawn[k][s] = statistics[k].second(y);
  });
  const Vector& observed = some.outcomes().y;
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
  const Matrix eta = target.sample(std::max<Index>(1, most_check_outcomes / thetas.rows()))
                         .linear_predictors(thetas.transpose());
  const Link link = target.likelihood().link();
  const Vector slope =
      eta.unaryExpr([&](double x) { return inverse_link_slope(link, x); }).rowwise().mean();
  std::vector<MarginalEffect> out;
  for (std::size_t j = 0; j < names.size(); ++j)
    out.push_back(effect_of(names[j], slope.cwiseProduct(own.col(Index(j)))));
  return out;
}

std::vector<MarginalEffect> class_effects(const RegressionTarget& target, const Matrix& thetas,
                                          const Matrix& own, const std::vector<std::string>& terms,
                                          const std::vector<std::string>& classes) {
  const Index draws = thetas.rows(), m = target.predictors(), each = own.cols() / m;
  const Matrix eta = target.sample(std::max<Index>(1, most_check_outcomes / (draws * m)))
                         .linear_predictors(thetas.transpose());
  // ∂p_c/∂η_l = p_c(δ_cl − p_l), on average over the rows; all that a draw needs.
  const auto terms_count = Index(terms.size());
  Matrix effects(draws, (m + 1) * terms_count);
  parallel_for(std::size_t(draws), [&](std::size_t s) {
    Matrix slopes = Matrix::Zero(m + 1, m);
    Vector p(m + 1);
    for (Index i = 0; i < eta.cols(); ++i) {
      p(0) = 0.0;
      p.tail(m) = eta.col(i).segment(Index(s) * m, m);
      p = (p.array() - p.maxCoeff()).exp();
      p /= p.sum();
      slopes.noalias() -= p * p.tail(m).transpose();
      slopes.bottomRows(m).diagonal() += p.tail(m);
    }
    slopes /= double(eta.cols());
    for (Index j = 0; j < terms_count; ++j) {
      Vector beta(m);
      for (Index l = 0; l < m; ++l) beta(l) = own(Index(s), l * each + j);
      const Vector change = slopes * beta;
      for (Index c = 0; c <= m; ++c) effects(Index(s), c * terms_count + j) = change(c);
    }
  });
  std::vector<MarginalEffect> out;
  for (Index c = 0; c <= m; ++c)
    for (Index j = 0; j < terms_count; ++j)
      out.push_back(effect_of(classes[std::size_t(c)] + ": " + terms[std::size_t(j)],
                              effects.col(c * terms_count + j)));
  return out;
}

}  // namespace fisherman
