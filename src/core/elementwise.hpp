// Functions of many numbers, most of the time of a logistic regression or a network: the exponentials are our own,
// vectorised for the machine.
#pragma once

#include "fisherman/core/types.hpp"

namespace fisherman {

/// For outcomes 0 and 1: Σ yη − log(1 + e^η); the logits η become the residuals y − σ(η).
double bernoulli(const ConstVectorRef& y, Eigen::Ref<Vector> logits);

/// sum += σ(η)(1 − σ(η)).
void add_bernoulli_variances(const ConstVectorRef& logits, Eigen::Ref<Vector> sum);

/// x ← tanh(x), to a rounding of 1.
void apply_tanh(Eigen::Ref<Vector> x);

/// x ← σ(x) = 1/(1 + e^−x).
void apply_sigmoid(Eigen::Ref<Vector> x);

/// x ← e^−x for x ≥ 0; 0 beyond 700.
void apply_exp_minus(Eigen::Ref<Vector> x);

/// Adds weight times log(1 + e^η), σ(η) and σ(η)(1 − σ(η)) at η = mean + z·deviation to the three columns.
void add_logistic(const ConstVectorRef& mean, const ConstVectorRef& deviation, double z,
                  double weight, Eigen::Ref<Matrix> sums);

}  // namespace fisherman
