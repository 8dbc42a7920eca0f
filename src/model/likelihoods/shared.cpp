#include "fisherman/core/error.hpp"
#include "likelihoods.hpp"

namespace fisherman {

double log_choose(double trials, double y) {
  if (trials == 1.0) return 0.0;
  int sign = 1;
  return ::lgamma_r(trials + 1.0, &sign) - ::lgamma_r(y + 1.0, &sign) -
         ::lgamma_r(trials - y + 1.0, &sign);
}

std::string BinaryLikelihood::trouble(double y, double trials) const {
  if (y >= 0.0 && y <= trials && y == std::floor(y)) return {};
  return trials == 1.0 ? "must be 0 or 1"
                       : sentence("must be a whole number from 0 to its trials, ", trials);
}

double BinaryLikelihood::draw(double trials, double eta, const double* /*psi*/,
                              RandomSequence& random) const {
  return random.binomial(trials, mean(eta));
}

std::string trouble_unless_count(double y) {
  return y >= 0.0 && y == std::floor(y) && y < 1e15 ? ""
                                                    : "must be a whole number that is not negative";
}
std::string trouble_unless_positive(double y) {
  return y > 0.0 && std::isfinite(y) ? "" : "must be positive";
}
std::string trouble_unless_finite(double y) {
  return std::isfinite(y) ? "" : "must be a finite number";
}

void require_finite_normals(const PredictorNormals& normals) {
  if (!normals.mean.allFinite() || !normals.variance.allFinite() ||
      !normals.with_extra.allFinite() || !normals.extra_mean.allFinite() ||
      !normals.extra_covariance.allFinite())
    throw NotFinite("a linear predictor has no finite normal distribution");
}

}  // namespace fisherman
