// y ~ Binomial(trials, Φ(η)).
#include "fisherman/model/normal_quadrature.hpp"
#include "likelihoods.hpp"

namespace fisherman {
namespace {

class Probit final : public BinaryLikelihood {
 public:
  std::string name() const override { return "probit"; }
  std::string help() const override {
    return "two classes, or counts out of trials, by a normal quantile";
  }
  Link link() const override { return Link::probit; }
  double strip() const override { return 2.8; }  // zeros of Φ: √2(1.355 ± 1.992i)

  Jet at(double y, double trials, double eta, const double* /*psi*/) const override {
    Jet out{log_choose(trials, y)};
    if (y > 0.0) {
      const LogNormalDistribution f = log_normal_distribution(eta);
      out.value += y * f.value;
      out.d[0] += y * f.slope;
      out.dd[0] += y * f.curvature;
    }
    if (y < trials) {
      const LogNormalDistribution f = log_normal_distribution(-eta);
      out.value += (trials - y) * f.value;
      out.d[0] -= (trials - y) * f.slope;
      out.dd[0] += (trials - y) * f.curvature;
    }
    return out;
  }
};

}  // namespace

std::shared_ptr<const ScalarLikelihood> probit_likelihood() { return std::make_shared<Probit>(); }

}  // namespace fisherman
