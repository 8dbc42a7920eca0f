// y ~ Exponential with mean e^η.
#include "likelihoods.hpp"

namespace fisherman {
namespace {

class Exponential final : public ScalarLikelihood {
 public:
  std::string name() const override { return "exponential"; }
  std::string help() const override { return "waiting times, by the logarithm of their mean"; }
  Link link() const override { return Link::log; }
  std::string trouble(double y, double /*trials*/) const override {
    return trouble_unless_positive(y);
  }

  Jet at(double y, double /*trials*/, double eta, const double* /*psi*/) const override {
    const double ratio = y * std::exp(-eta);
    return {-eta - ratio, {ratio - 1.0}, {-ratio}};
  }

  void expect(const Outcomes& outcomes, Index first, const PredictorNormals& normals,
              Eigen::Ref<Matrix> out) const override {
    require_finite_normals(normals);
    for (Index i = 0; i < normals.mean.size(); ++i) {
      const double ratio =
          outcomes.y(first + i) * std::exp(0.5 * normals.variance(i) - normals.mean(i));
      out.row(i) << -normals.mean(i) - ratio, ratio - 1.0, -ratio;
    }
  }

  double draw(double /*trials*/, double eta, const double* /*psi*/,
              RandomSequence& random) const override {
    return -std::exp(eta) * std::log(random.uniform());
  }
};

}  // namespace

std::shared_ptr<const ScalarLikelihood> exponential_likelihood() {
  return std::make_shared<Exponential>();
}

}  // namespace fisherman
