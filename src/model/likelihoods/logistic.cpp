// y ~ Binomial(trials, σ(η)). The expectation of log(1 + e^η) has a quadrature of its own (logistic_quadrature.hpp).
#include "elementwise.hpp"
#include "fisherman/model/logistic_quadrature.hpp"
#include "likelihoods.hpp"
#include "sigmoid.hpp"

namespace fisherman {
namespace {

class Logistic final : public BinaryLikelihood {
 public:
  std::string name() const override { return "logistic"; }
  std::string help() const override { return "two classes, or counts out of trials, by log odds"; }
  Link link() const override { return Link::logit; }
  double strip() const override { return 3.14; }

  Jet at(double y, double trials, double eta, const double* /*psi*/) const override {
    const double softplus = std::max(eta, 0.0) + std::log1p(std::exp(-std::abs(eta)));
    return {log_choose(trials, y) + y * eta - trials * softplus,
            {y - trials * sigmoid(eta)},
            {-trials * sigmoid_slope(eta)}};
  }

  void expect(const Outcomes& outcomes, Index first, const PredictorNormals& normals,
              Eigen::Ref<Matrix> out) const override {
    const Index count = normals.mean.size();
    logistic_moments(normals.mean.col(0), normals.variance.col(0), out);
    for (Index i = 0; i < count; ++i) {
      const double y = outcomes.y(first + i), trials = outcomes.trials_of(first + i);
      out(i, 0) = log_choose(trials, y) + y * normals.mean(i) - trials * out(i, 0);
      out(i, 1) = y - trials * out(i, 1);
      out(i, 2) *= -trials;
    }
  }

  double sum(const Outcomes& outcomes, Index first, Eigen::Ref<Matrix> eta, const double* psi,
             double* psi_slope) const override {
    if (outcomes.trials.size() > 0 || outcomes.weights.size() > 0)
      return ScalarLikelihood::sum(outcomes, first, eta, psi, psi_slope);
    return bernoulli(outcomes.y.segment(first, eta.rows()), eta.col(0));
  }

  void add_curvature(const Outcomes& outcomes, Index first, const ConstMatrixRef& eta,
                     const double* psi, Eigen::Ref<Matrix> sums) const override {
    if (outcomes.trials.size() > 0 || outcomes.weights.size() > 0)
      return ScalarLikelihood::add_curvature(outcomes, first, eta, psi, sums);
    Vector variances = Vector::Zero(eta.rows());
    add_bernoulli_variances(eta.col(0), variances);
    sums.col(0) -= variances;
  }
};

}  // namespace

std::shared_ptr<const ScalarLikelihood> logistic_likelihood() {
  return std::make_shared<Logistic>();
}

}  // namespace fisherman
