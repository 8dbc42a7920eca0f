// y ~ Student's t with ν degrees of freedom around η, times σ: outliers count little. ψ = (s, n) = (log σ, log ν), and with
// w = n + 2s and d = y − η
//     log p = H(n) − s − ½(1 + e^n) g(η, w),   g = log(e^w + d²) − w,
//     H(n) = log Γ((ν+1)/2) − log Γ(ν/2) − ½ log(πν).
// (η, w) is normal, and weighting by e^n shifts its mean by the covariances with n: two integrals in two dimensions a row.
#include <algorithm>

#include "fisherman/core/error.hpp"
#include "fisherman/model/normal_quadrature.hpp"
#include "likelihoods.hpp"

namespace fisherman {
namespace {

/// g and its derivatives: η, w; ηη, wη, ww.
struct Bend {
  double value = 0.0, eta = 0.0, w = 0.0, eta_eta = 0.0, w_eta = 0.0, w_w = 0.0;

  static Bend at(double d, double w) {
    const double e = std::exp(w), q = 1.0 / (e + d * d), p = e * q;
    return {-std::log(p),    -2.0 * d * q, p - 1.0, 2.0 * q - 4.0 * d * d * q * q,
            2.0 * d * p * q, p * (1.0 - p)};
  }
  void add(double weight, const Bend& o) {
    value += weight * o.value;
    eta += weight * o.eta;
    w += weight * o.w;
    eta_eta += weight * o.eta_eta;
    w_eta += weight * o.w_eta;
    w_w += weight * o.w_w;
  }
  Bend times(double factor) const {
    Bend out;
    out.add(factor, *this);
    return out;
  }
};

Jet normaliser(double n) {
  const double nu = std::exp(n);
  const LogGamma high = log_gamma(0.5 * (nu + 1.0)), low = log_gamma(0.5 * nu);
  const double slope = 0.5 * nu * (high.slope - low.slope);
  return {high.value - low.value - 0.5 * std::log(3.14159265358979323846) - 0.5 * n,
          {slope - 0.5},
          {slope + 0.25 * nu * nu * (high.curvature - low.curvature)}};
}

/// log p from g, e^n·g and H, or their expectations.
Jet joined(double s, const Jet& H, const Bend& g, const Bend& t) {
  return {H.value - s - 0.5 * (g.value + t.value),
          {-0.5 * (g.eta + t.eta), -1.0 - (g.w + t.w), H.d[0] - 0.5 * (g.w + t.value + t.w)},
          {-0.5 * (g.eta_eta + t.eta_eta), -(g.w_eta + t.w_eta), -2.0 * (g.w_w + t.w_w),
           -0.5 * (g.w_eta + t.eta + t.w_eta), -(g.w_w + t.w + t.w_w),
           H.dd[0] - 0.5 * (g.w_w + t.value + 2.0 * t.w + t.w_w)}};
}

/// E g for η ~ N(m, v), w ~ N(m_w, v_w) with covariance c.
Bend expected(double y, double m, double v, double m_w, double v_w, double c) {
  const double along_w = std::sqrt(v_w), slope = v_w > 0.0 ? c / along_w : 0.0;
  const double across = std::sqrt(std::max(0.0, v - slope * slope));
  // As a function of η, g has its singularities where η = y ± i e^(w/2).
  const NormalRule& outer =
      normal_rule(along_w / 3.14 + std::abs(slope) * std::exp(along_w - 0.5 * m_w));
  // An error scale that is this small beside what is not known of η: the sums would grow without bound. Far out, where
  // weights are negligible, a finer rule than this is not needed either.
  constexpr double widest = 6.0;
  if (across * std::exp(-0.5 * m_w) > widest)
    throw NotFinite("the scale of an error is practically 0");
  Bend sum;
  for (Index k = 0; k < outer.z.size(); ++k) {
    const double w = m_w + along_w * outer.z(k), middle = m + slope * outer.z(k);
    const NormalRule& inner = normal_rule(std::min(across * std::exp(-0.5 * w), widest));
    Bend part;
    for (Index j = 0; j < inner.z.size(); ++j)
      part.add(inner.weight(j), Bend::at(y - middle - across * inner.z(j), w));
    sum.add(outer.weight(k), part);
  }
  return sum;
}

class StudentT final : public ScalarLikelihood {
 public:
  std::string name() const override { return "student-t"; }
  std::string help() const override {
    return "any numbers, with outliers: errors with heavy tails";
  }
  Link link() const override { return Link::identity; }
  std::string trouble(double y, double /*trials*/) const override {
    return trouble_unless_finite(y);
  }
  std::vector<ExtraParameter> extra() const override {
    return {{"sigma", "scale of an error"}, {"nu", "degrees of freedom of an error"}};
  }
  std::vector<ScalePrior> extra_priors(double spread) const override {
    return {{ScalePrior::Family::half_t, 2.5 * spread, 3.0},
            {ScalePrior::Family::gamma, 10.0, 2.0}};
  }
  Vector guess(const Outcomes& o, const Vector& eta) const override {
    std::vector<double> size(std::size_t(o.rows()));
    for (Index i = 0; i < o.rows(); ++i) size[std::size_t(i)] = std::abs(o.y(i) - eta(i));
    const auto middle = size.begin() + std::ptrdiff_t(size.size() / 2);
    std::nth_element(size.begin(), middle, size.end());
    return Vector{{std::log(1.4 * *middle + 1e-300), std::log(8.0)}};
  }

  Jet at(double y, double /*trials*/, double eta, const double* psi) const override {
    const Bend g = Bend::at(y - eta, psi[1] + 2.0 * psi[0]);
    return joined(psi[0], normaliser(psi[1]), g, g.times(std::exp(psi[1])));
  }

  void expect(const Outcomes& outcomes, Index first, const PredictorNormals& normals,
              Eigen::Ref<Matrix> out) const override {
    require_finite_normals(normals);
    const Vector& m = normals.extra_mean;
    const Matrix& S = normals.extra_covariance;
    const double m_w = m(1) + 2.0 * m(0), v_w = S(1, 1) + 4.0 * S(0, 1) + 4.0 * S(0, 0);
    const double w_n = S(1, 1) + 2.0 * S(0, 1);  // cov(w, n)
    const double nu = std::exp(m(1) + 0.5 * S(1, 1)), deviation = std::sqrt(S(1, 1));
    Jet H{};
    const NormalRule& rule = normal_rule(deviation / 3.14);
    for (Index k = 0; k < rule.z.size(); ++k) {
      const Jet one = normaliser(m(1) + deviation * rule.z(k));
      H.value += rule.weight(k) * one.value;
      H.d[0] += rule.weight(k) * one.d[0];
      H.dd[0] += rule.weight(k) * one.dd[0];
    }
    for (Index i = 0; i < normals.mean.size(); ++i) {
      const double y = outcomes.y(first + i), mean = normals.mean(i), v = normals.variance(i);
      const double with_n = normals.with_extra(i, 1),
                   with_w = with_n + 2.0 * normals.with_extra(i, 0);
      const Bend g = expected(y, mean, v, m_w, v_w, with_w);
      const Bend t = expected(y, mean + with_n, v, m_w + w_n, v_w, with_w).times(nu);
      const Jet jet = joined(m(0), H, g, t);
      out.row(i) << jet.value, jet.d[0], jet.d[1], jet.d[2], jet.dd[0], jet.dd[1], jet.dd[2],
          jet.dd[3], jet.dd[4], jet.dd[5];
    }
  }

  double draw(double /*trials*/, double eta, const double* psi,
              RandomSequence& random) const override {
    const double nu = std::exp(psi[1]);
    return eta + std::exp(psi[0]) * random.normal() * std::sqrt(0.5 * nu / random.gamma(0.5 * nu));
  }
};

}  // namespace

std::shared_ptr<const ScalarLikelihood> student_t_likelihood() {
  return std::make_shared<StudentT>();
}

}  // namespace fisherman
