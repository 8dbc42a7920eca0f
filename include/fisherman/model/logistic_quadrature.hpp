// Expectations of the logistic function and its relatives under a normal distribution, to about 1e-13, in
// a time that does not depend on the normal's mean and width.
//
// They are what makes the NELBO of a Bayesian logistic regression exact: the linear predictor of a row
// is a scalar normal, so no Monte-Carlo is needed.
#pragma once

#include "fisherman/core/types.hpp"

namespace fisherman {

/// For η ~ N(mean, variance).
struct LogisticMoments {
  double softplus;  // E log(1 + e^η)
  double sigmoid;   // E 1/(1 + e^-η), its derivative in the mean
  double slope;     // E σ(η)(1 − σ(η)), its second derivative in the mean
};

/// Throws NotFinite unless mean and variance are finite and the variance is not negative.
LogisticMoments logistic_moments(double mean, double variance);

/// Of many normals at once, which is faster: softplus, sigmoid and slope go into the columns of `out`.
void logistic_moments(const ConstVectorRef& means, const ConstVectorRef& variances,
                      Eigen::Ref<Matrix> out);

/// Mean and standard deviation of the probability σ(η), η ~ N(mean, deviation²).
struct ProbabilityMoments {
  double mean, deviation;
};

/// Throws NotFinite unless mean and deviation are finite and the deviation is not negative. Small
/// probabilities have a small relative error.
ProbabilityMoments probability_moments(double mean, double deviation);

}  // namespace fisherman
