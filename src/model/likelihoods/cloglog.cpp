// y ~ Binomial(trials, 1 − exp(−e^η)): the complementary log-log link, for events in continuous time.
#include "fisherman/model/normal_quadrature.hpp"
#include "likelihoods.hpp"

namespace fisherman {
namespace {

/// log(1 − exp(−e^η)). With a = e^η its slope is g = a/(e^a − 1), and its curvature g(1 − a − g).
Jet log_event(double eta) {
  const double a = std::exp(eta);
  if (a < 1e-8) return {eta - 0.5 * a, {1.0 - 0.5 * a}, {-0.5 * a}};
  if (a > 700.0) return {};
  const double g = a / std::expm1(a);
  return {std::log(-std::expm1(-a)), {g}, {g * (1.0 - a - g)}};
}

class ComplementaryLogLog final : public BinaryLikelihood {
 public:
  std::string name() const override { return "cloglog"; }
  std::string help() const override {
    return "two classes, or counts out of trials, by the complementary log-log";
  }
  Link link() const override { return Link::cloglog; }
  double strip() const override { return 1.5; }  // e^η = 2πi

  Jet at(double y, double trials, double eta, const double* /*psi*/) const override {
    const double none = (trials - y) * std::exp(eta);
    const Jet event = log_event(eta);
    return {log_choose(trials, y) + y * event.value - none,
            {y * event.d[0] - none},
            {y * event.dd[0] - none}};
  }

  /// Quadrature for the events; without one log p is −e^η, whose expectation is known however wide the normal is.
  void expect(const Outcomes& outcomes, Index first, const PredictorNormals& normals,
              Eigen::Ref<Matrix> out) const override {
    require_finite_normals(normals);
    for (Index i = 0; i < normals.mean.size(); ++i) {
      const double y = outcomes.y(first + i), trials = outcomes.trials_of(first + i);
      const double m = normals.mean(i), deviation = std::sqrt(normals.variance(i));
      const double none = trials > y ? (trials - y) * std::exp(m + 0.5 * normals.variance(i)) : 0.0;
      double value = 0.0, slope = 0.0, curvature = 0.0;
      if (y > 0.0) {
        const NormalRule& rule = normal_rule(deviation / strip());
        for (Index k = 0; k < rule.z.size(); ++k) {
          const Jet event = log_event(m + deviation * rule.z(k));
          value += rule.weight(k) * event.value;
          slope += rule.weight(k) * event.d[0];
          curvature += rule.weight(k) * event.dd[0];
        }
      }
      out.row(i) << log_choose(trials, y) + y * value - none, y * slope - none,
          y * curvature - none;
    }
  }
};

}  // namespace

std::shared_ptr<const ScalarLikelihood> cloglog_likelihood() {
  return std::make_shared<ComplementaryLogLog>();
}

}  // namespace fisherman
