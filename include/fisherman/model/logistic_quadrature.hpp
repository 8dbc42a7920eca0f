// Expectations of the logistic function and its relatives under a normal distribution, to about 1e-13.
//
// They are what makes the NELBO of a Bayesian logistic regression exact: the linear predictor of a row
// is a scalar normal, so no Monte-Carlo is needed.
#pragma once

namespace fisherman {

/// For η ~ N(mean, variance).
struct LogisticMoments {
  double softplus;  // E log(1 + e^η)
  double sigmoid;   // E 1/(1 + e^-η), its derivative in the mean
  double slope;     // E σ(η)(1 − σ(η)), its second derivative in the mean
};

LogisticMoments logistic_moments(double mean, double variance);

}  // namespace fisherman
