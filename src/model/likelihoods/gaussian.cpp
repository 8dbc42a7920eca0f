// y ~ N(η, σ²), with s = log σ. Weighting a normal by e^(−2s) shifts its mean by −2 times the covariances with s, so that
// E[e^(−2s)(y − η)²] has a closed form.
#include "likelihoods.hpp"

namespace fisherman {
namespace {

constexpr double half_log_2pi = 0.91893853320467274178;

class NormalErrors final : public ScalarLikelihood {
 public:
  std::string name() const override { return "gaussian"; }
  std::string help() const override { return "any numbers, with normal errors"; }
  Link link() const override { return Link::identity; }
  std::string trouble(double y, double /*trials*/) const override {
    return trouble_unless_finite(y);
  }
  std::vector<ExtraParameter> extra() const override {
    return {{"sigma", "standard deviation of an error"}};
  }
  std::vector<ScalePrior> extra_priors(double spread) const override {
    return {{ScalePrior::Family::half_t, 2.5 * spread, 3.0}};
  }
  Vector guess(const Outcomes& o, const Vector& eta) const override {
    return Vector::Constant(1,
                            0.5 * std::log((o.y - eta).squaredNorm() / double(o.rows()) + 1e-300));
  }

  Jet at(double y, double /*trials*/, double eta, const double* psi) const override {
    const double precision = std::exp(-2.0 * psi[0]), r = y - eta, square = precision * r * r;
    return {-half_log_2pi - psi[0] - 0.5 * square,
            {precision * r, square - 1.0},
            {-precision, -2.0 * precision * r, -2.0 * square}};
  }

  void expect(const Outcomes& outcomes, Index first, const PredictorNormals& normals,
              Eigen::Ref<Matrix> out) const override {
    require_finite_normals(normals);
    const double m_s = normals.extra_mean(0), v_s = normals.extra_covariance(0, 0);
    const double precision = std::exp(-2.0 * m_s + 2.0 * v_s);
    for (Index i = 0; i < normals.mean.size(); ++i) {
      const double r = outcomes.y(first + i) - normals.mean(i) + 2.0 * normals.with_extra(i, 0);
      const double square = precision * (r * r + normals.variance(i));
      out.row(i) << -half_log_2pi - m_s - 0.5 * square, precision * r, square - 1.0, -precision,
          -2.0 * precision * r, -2.0 * square;
    }
  }

  double draw(double /*trials*/, double eta, const double* psi,
              RandomSequence& random) const override {
    return eta + std::exp(psi[0]) * random.normal();
  }
};

}  // namespace

std::shared_ptr<const ScalarLikelihood> gaussian_likelihood() {
  return std::make_shared<NormalErrors>();
}

}  // namespace fisherman
