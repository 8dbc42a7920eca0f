#include "fisherman/model/likelihood.hpp"

#include <cmath>

#include "fisherman/core/error.hpp"
#include "fisherman/model/normal_quadrature.hpp"
#include "likelihoods/likelihoods.hpp"
#include "sigmoid.hpp"

namespace fisherman {

Outcomes Outcomes::range(Index first, Index count) const {
  const auto some = [&](const Vector& all) {
    return all.size() > 0 ? Vector(all.segment(first, count)) : Vector();
  };
  return {some(y), some(trials), some(weights)};
}

Outcomes Outcomes::subset(const std::vector<Index>& rows) const {
  return {y(rows), trials.size() > 0 ? Vector(trials(rows)) : Vector(),
          weights.size() > 0 ? Vector(weights(rows)) : Vector()};
}

void ScalarLikelihood::expect(const Outcomes& outcomes, Index first,
                              const PredictorNormals& normals, Eigen::Ref<Matrix> out) const {
  require(extra().empty(), "the likelihood ", name(),
          " has parameters besides the linear predictor, and no expectations of its own");
  for (Index i = 0; i < normals.mean.size(); ++i) {
    const double m = normals.mean(i), deviation = std::sqrt(normals.variance(i));
    if (!std::isfinite(m)) throw NotFinite("a linear predictor has no finite normal distribution");
    const NormalRule& rule = normal_rule(deviation / strip());
    const double y = outcomes.y(first + i), trials = outcomes.trials_of(first + i);
    double value = 0.0, slope = 0.0, curvature = 0.0;
    for (Index k = 0; k < rule.z.size(); ++k) {
      const Jet jet = at(y, trials, m + deviation * rule.z(k), nullptr);
      value += rule.weight(k) * jet.value;
      slope += rule.weight(k) * jet.d[0];
      curvature += rule.weight(k) * jet.dd[0];
    }
    out.row(i) << value, slope, curvature;
  }
}

double ScalarLikelihood::sum(const Outcomes& outcomes, Index first, Eigen::Ref<Matrix> eta,
                             const double* psi, double* psi_slope) const {
  const std::size_t extras = extra().size();
  double total = 0.0;
  for (Index i = 0; i < eta.rows(); ++i) {
    const Jet jet = at(outcomes.y(first + i), outcomes.trials_of(first + i), eta(i, 0), psi);
    const double weight = outcomes.weight_of(first + i);
    total += weight * jet.value;
    eta(i, 0) = weight * jet.d[0];
    for (std::size_t k = 0; k < extras; ++k) psi_slope[k] += weight * jet.d[1 + k];
  }
  return total;
}

void ScalarLikelihood::add_curvature(const Outcomes& outcomes, Index first,
                                     const ConstMatrixRef& eta, const double* psi,
                                     Eigen::Ref<Matrix> sums) const {
  for (Index i = 0; i < eta.rows(); ++i) {
    const Jet jet = at(outcomes.y(first + i), outcomes.trials_of(first + i), eta(i, 0), psi);
    for (Index k = 0; k < sums.cols(); ++k)
      sums(i, k) += outcomes.weight_of(first + i) * jet.dd[std::size_t(k)];
  }
}

double inverse_link(Link link, double eta) {
  switch (link) {
    case Link::logit:
      return sigmoid(eta);
    case Link::probit:
      return normal_distribution(eta);
    case Link::cloglog:
      return -std::expm1(-std::exp(eta));
    case Link::log:
      return std::exp(eta);
    case Link::identity:
      return eta;
    case Link::softmax:
      break;
  }
  throw Misuse("classes have several linear predictors, and no link for one");
}

double inverse_link_slope(Link link, double eta) {
  switch (link) {
    case Link::logit:
      return sigmoid_slope(eta);
    case Link::probit:
      return std::exp(-0.5 * eta * eta) * 0.39894228040143267794;
    case Link::cloglog:
      return std::exp(eta - std::exp(eta));
    case Link::log:
      return std::exp(eta);
    case Link::identity:
      return 1.0;
    case Link::softmax:
      break;
  }
  throw Misuse("classes have several linear predictors, and no link for one");
}

double ScalarLikelihood::mean(double eta) const { return inverse_link(link(), eta); }

const std::vector<std::shared_ptr<const ScalarLikelihood>>& scalar_likelihoods() {
  // One line each.
  static const std::vector<std::shared_ptr<const ScalarLikelihood>> table = {
      logistic_likelihood(),          probit_likelihood(),
      cloglog_likelihood(),           poisson_likelihood(),
      negative_binomial_likelihood(), gamma_likelihood(),
      exponential_likelihood(),       gaussian_likelihood(),
      student_t_likelihood()};
  return table;
}

const std::vector<std::shared_ptr<const Likelihood>>& likelihoods() {
  static const std::vector<std::shared_ptr<const Likelihood>> table = [] {
    std::vector<std::shared_ptr<const Likelihood>> out(scalar_likelihoods().begin(),
                                                       scalar_likelihoods().end());
    out.push_back(multinomial_likelihood(2));
    return out;
  }();
  return table;
}

std::shared_ptr<const Likelihood> likelihood(const std::string& name, Index classes) {
  std::string known;
  for (const auto& one : likelihoods()) {
    if (one->name() == name)
      return one->link() == Link::softmax ? multinomial_likelihood(classes) : one;
    known += (known.empty() ? "" : ", ") + one->name();
  }
  throw Misuse(sentence("there is no likelihood '", name, "'; there are ", known));
}

}  // namespace fisherman
