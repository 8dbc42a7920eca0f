// Bayesian logistic regression (eq:logistic-regression): P(yᵢ = 1) = σ(xᵢᵀβ), βⱼ ~ N(0, σⱼ²). The paper has one σ² for
// all coefficients; an intercept wants a prior of its own.
#pragma once

#include "fisherman/model/regression.hpp"

namespace fisherman {

class LogisticTarget : public RegressionTarget {
 public:
  /// y holds zeros and ones; there is one prior variance for each column.
  LogisticTarget(TargetRows rows, Vector y, const Vector& prior_variances);
  /// The same prior variance for all coefficients.
  LogisticTarget(TargetRows rows, Vector y, double prior_variance);

  LogisticTarget subset(const std::vector<Index>& rows) const {
    return LogisticTarget(RegressionTarget::subset(rows));
  }

 private:
  explicit LogisticTarget(RegressionTarget target) : RegressionTarget(std::move(target)) {}
};

}  // namespace fisherman
