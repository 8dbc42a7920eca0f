#include "fisherman/model/logistic.hpp"

#include <cmath>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {

RegressionPriors normal_priors(const Vector& variances) {
  RegressionPriors out;
  for (const double variance : variances) {
    require(variance > 0.0 && std::isfinite(variance), "prior_variance is ", variance,
            ", but must be positive and finite");
    out.coefficients.push_back({CoefficientPrior::Family::normal, 0.0, std::sqrt(variance)});
  }
  return out;
}

}  // namespace

LogisticTarget::LogisticTarget(TargetRows rows, Vector y, const Vector& prior_variances)
    : RegressionTarget(std::move(rows), {std::move(y), {}, {}}, fisherman::likelihood("logistic"),
                       normal_priors(prior_variances)) {}

LogisticTarget::LogisticTarget(TargetRows rows, Vector y, double prior_variance)
    : RegressionTarget(rows, {std::move(y), {}, {}}, fisherman::likelihood("logistic"),
                       normal_priors(Vector::Constant(rows.columns(), prior_variance))) {}

}  // namespace fisherman
