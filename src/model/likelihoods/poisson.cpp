// y ~ Poisson(e^η).
#include "likelihoods.hpp"

namespace fisherman {
namespace {

class Poisson final : public ScalarLikelihood {
 public:
  std::string name() const override { return "poisson"; }
  std::string help() const override { return "counts, by the logarithm of their mean"; }
  Link link() const override { return Link::log; }
  std::string trouble(double y, double /*trials*/) const override {
    return trouble_unless_count(y);
  }

  Jet at(double y, double /*trials*/, double eta, const double* /*psi*/) const override {
    int sign = 1;
    const double mean = std::exp(eta);
    return {y * eta - mean - ::lgamma_r(y + 1.0, &sign), {y - mean}, {-mean}};
  }

  void expect(const Outcomes& outcomes, Index first, const PredictorNormals& normals,
              Eigen::Ref<Matrix> out) const override {
    require_finite_normals(normals);
    for (Index i = 0; i < normals.mean.size(); ++i) {
      int sign = 1;
      const double y = outcomes.y(first + i), m = normals.mean(i);
      const double mean = std::exp(m + 0.5 * normals.variance(i));  // E e^η
      out.row(i) << y * m - mean - ::lgamma_r(y + 1.0, &sign), y - mean, -mean;
    }
  }

  double draw(double /*trials*/, double eta, const double* /*psi*/,
              RandomSequence& random) const override {
    return random.poisson(std::exp(eta));
  }
};

}  // namespace

std::shared_ptr<const ScalarLikelihood> poisson_likelihood() { return std::make_shared<Poisson>(); }

}  // namespace fisherman
