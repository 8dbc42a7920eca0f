// y ~ negative binomial with mean e^η and shape r = e^ρ, whose variance is mean + mean²/r. With δ = η − ρ,
//     log p = log Γ(y+r) − log Γ(r) − log y! + yδ − (y+r) log(1 + e^δ).
// δ is normal, and weighting by e^ρ shifts its mean by cov(ρ, δ): both expectations of log(1 + e^δ) are those of a logistic
// regression. log Γ(y+r) − log Γ(r) is one integral over ρ for each different count.
#include <algorithm>
#include <unordered_map>

#include "fisherman/model/logistic_quadrature.hpp"
#include "fisherman/model/normal_quadrature.hpp"
#include "likelihoods.hpp"
#include "sigmoid.hpp"

namespace fisherman {
namespace {

/// log Γ(y+e^ρ) − log Γ(e^ρ) and its derivatives in ρ.
Jet log_rising(double y, double rho) {
  const double r = std::exp(rho);
  const LogGamma low = log_gamma(r), high = log_gamma(y + r);
  const double slope = r * (high.slope - low.slope);
  return {high.value - low.value, {slope}, {slope + r * r * (high.curvature - low.curvature)}};
}

class NegativeBinomial final : public ScalarLikelihood {
 public:
  std::string name() const override { return "negative-binomial"; }
  std::string help() const override {
    return "counts that vary more than a Poisson distribution, by the logarithm of their mean";
  }
  Link link() const override { return Link::log; }
  std::string trouble(double y, double /*trials*/) const override {
    return trouble_unless_count(y);
  }
  std::vector<ExtraParameter> extra() const override {
    return {{"shape", "the variance of a count is mean + mean²/shape"}};
  }
  std::vector<ScalePrior> extra_priors(double /*spread*/) const override {
    return {{ScalePrior::Family::lognormal, 1.0, 2.0}};
  }
  Vector guess(const Outcomes& o, const Vector& eta) const override {
    const Eigen::ArrayXd mean = eta.array().exp();
    const double excess = ((o.y.array() - mean).square() - mean).sum() / mean.square().sum();
    return Vector::Constant(1, -std::log(std::clamp(excess, 1e-2, 1e2)));
  }

  Jet at(double y, double /*trials*/, double eta, const double* psi) const override {
    const double rho = psi[0], r = std::exp(rho), delta = eta - rho;
    const double softplus = std::max(delta, 0.0) + std::log1p(std::exp(-std::abs(delta)));
    const double p = sigmoid(delta), slope = sigmoid_slope(delta);
    const Jet f = log_rising(y, rho);
    int sign = 1;
    return {f.value - ::lgamma_r(y + 1.0, &sign) + y * delta - (y + r) * softplus,
            {y - (y + r) * p, f.d[0] - y + (y + r) * p - r * softplus},
            {-(y + r) * slope, (y + r) * slope - r * p,
             f.dd[0] - (y + r) * slope + 2.0 * r * p - r * softplus}};
  }

  void expect(const Outcomes& outcomes, Index first, const PredictorNormals& normals,
              Eigen::Ref<Matrix> out) const override {
    require_finite_normals(normals);
    const Index count = normals.mean.size();
    const double m_r = normals.extra_mean(0), v_r = normals.extra_covariance(0, 0);
    const double A = std::exp(m_r + 0.5 * v_r), deviation = std::sqrt(v_r);
    const Vector m = normals.mean.array() - m_r, c = normals.with_extra.col(0).array() - v_r;
    const Vector v = (normals.variance - 2.0 * normals.with_extra.col(0)).array() + v_r;
    Matrix plain(count, 3), tilted(count, 3);
    logistic_moments(m, v.cwiseMax(0.0), plain);
    logistic_moments(m + c, v.cwiseMax(0.0), tilted);
    tilted *= A;
    const NormalRule& rule = normal_rule(deviation / 3.14);
    std::unordered_map<double, Jet> rising;  // by count: there are few different ones
    for (Index i = 0; i < count; ++i) {
      const double y = outcomes.y(first + i);
      const auto [at, is_new] = rising.try_emplace(y);
      Jet& f = at->second;
      if (is_new)
        for (Index k = 0; k < rule.z.size(); ++k) {
          const Jet one = log_rising(y, m_r + deviation * rule.z(k));
          f.value += rule.weight(k) * one.value;
          f.d[0] += rule.weight(k) * one.d[0];
          f.dd[0] += rule.weight(k) * one.dd[0];
        }
      int sign = 1;
      const double S = y * plain(i, 1) + tilted(i, 1), D = y * plain(i, 2) + tilted(i, 2);
      const double T = tilted(i, 0);
      out.row(i) << f.value - ::lgamma_r(y + 1.0, &sign) + y * m(i) - y * plain(i, 0) - T, y - S,
          f.d[0] - y + S - T, -D, D - tilted(i, 1), f.dd[0] - D + 2.0 * tilted(i, 1) - T;
    }
  }

  double draw(double /*trials*/, double eta, const double* psi,
              RandomSequence& random) const override {
    const double r = std::exp(psi[0]);
    return random.poisson(std::exp(eta) * random.gamma(r) / r);
  }
};

}  // namespace

std::shared_ptr<const ScalarLikelihood> negative_binomial_likelihood() {
  return std::make_shared<NegativeBinomial>();
}

}  // namespace fisherman
