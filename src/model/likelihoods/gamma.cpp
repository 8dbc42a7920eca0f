// y ~ Gamma with mean e^η and shape a = e^α, whose variance is mean²/a.
//     log p = aα − log Γ(a) − aη + (a−1) log y − y e^(α−η)
// Weighting a normal by e^α shifts its mean by the covariances with α, so E[e^α η] = E[e^α](m + cov(η, α)); and e^(α−η) is
// lognormal. What is left, E log Γ(e^α), is one integral for all rows.
#include <algorithm>

#include "fisherman/model/normal_quadrature.hpp"
#include "likelihoods.hpp"

namespace fisherman {
namespace {

/// log Γ(e^α) and its derivatives in α.
Jet log_gamma_of_exp(double alpha) {
  const double a = std::exp(alpha);
  const LogGamma g = log_gamma(a);
  return {g.value, {a * g.slope}, {a * g.slope + a * a * g.curvature}};
}

class Gamma final : public ScalarLikelihood {
 public:
  std::string name() const override { return "gamma"; }
  std::string help() const override {
    return "positive numbers whose spread grows with their mean, by the logarithm of the mean";
  }
  Link link() const override { return Link::log; }
  std::string trouble(double y, double /*trials*/) const override {
    return trouble_unless_positive(y);
  }
  std::vector<ExtraParameter> extra() const override {
    return {{"shape", "1/shape is the squared coefficient of variation"}};
  }
  std::vector<ScalePrior> extra_priors(double /*spread*/) const override {
    return {{ScalePrior::Family::lognormal, 1.0, 2.0}};
  }
  Vector guess(const Outcomes& o, const Vector& eta) const override {
    const double variance = (o.y.array() * (-eta.array()).exp() - 1.0).square().mean();
    return Vector::Constant(1, -std::log(std::clamp(variance, 1e-4, 1e2)));
  }

  Jet at(double y, double /*trials*/, double eta, const double* psi) const override {
    const double alpha = psi[0], a = std::exp(alpha), log_y = std::log(y);
    const double ratio = y * std::exp(alpha - eta), rest = a * (alpha - eta + log_y);
    const Jet g = log_gamma_of_exp(alpha);
    return {rest - g.value - log_y - ratio,
            {ratio - a, rest + a - g.d[0] - ratio},
            {-ratio, ratio - a, rest + 2.0 * a - g.dd[0] - ratio}};
  }

  void expect(const Outcomes& outcomes, Index first, const PredictorNormals& normals,
              Eigen::Ref<Matrix> out) const override {
    require_finite_normals(normals);
    const double m_a = normals.extra_mean(0), v_a = normals.extra_covariance(0, 0);
    const double A = std::exp(m_a + 0.5 * v_a), deviation = std::sqrt(v_a);
    Jet G{};
    const NormalRule& rule = normal_rule(deviation / 3.14);  // poles where e^α is −1, −2, …
    for (Index k = 0; k < rule.z.size(); ++k) {
      const Jet g = log_gamma_of_exp(m_a + deviation * rule.z(k));
      G.value += rule.weight(k) * g.value;
      G.d[0] += rule.weight(k) * g.d[0];
      G.dd[0] += rule.weight(k) * g.dd[0];
    }
    for (Index i = 0; i < normals.mean.size(); ++i) {
      const double y = outcomes.y(first + i), log_y = std::log(y), m = normals.mean(i);
      const double c = normals.with_extra(i, 0), v = normals.variance(i) - 2.0 * c + v_a;
      const double ratio = y * std::exp(m_a - m + 0.5 * v);
      const double rest = A * (m_a + v_a - m - c + log_y);
      out.row(i) << rest - G.value - log_y - ratio, ratio - A, rest + A - G.d[0] - ratio, -ratio,
          ratio - A, rest + 2.0 * A - G.dd[0] - ratio;
    }
  }

  double draw(double /*trials*/, double eta, const double* psi,
              RandomSequence& random) const override {
    const double a = std::exp(psi[0]);
    return std::exp(eta) * random.gamma(a) / a;
  }
};

}  // namespace

std::shared_ptr<const ScalarLikelihood> gamma_likelihood() { return std::make_shared<Gamma>(); }

}  // namespace fisherman
