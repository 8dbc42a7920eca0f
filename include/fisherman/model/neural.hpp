// A Bayesian neural network for binary outcomes (sec:stiefel-experiment): one hidden layer,
// P(yᵢ = 1) = σ(vᵀh(Wᵀxᵢ + b) + c), with β = (W, b, v, c) ~ N(0, prior_variance·I).
//
// As a Target it gives log p(y, β), all constants included. Unit j's weights and bias stand together:
// β = (w₁, b₁, …, w_h, b_h, v, c), h(p+2)+1 numbers for p features.
#pragma once

#include <string>
#include <vector>

#include "fisherman/core/types.hpp"
#include "fisherman/model/target_rows.hpp"

namespace fisherman {

enum class Activation { tanh, sigmoid, relu };

struct NeuralOptions {
  Index hidden = 10;
  Activation activation = Activation::tanh;
  double prior_variance = 1.0;
};

class NeuralTarget {
 public:
  /// y holds zeros and ones, one for each of the rows that are here.
  NeuralTarget(TargetRows rows, Vector y, NeuralOptions options = {});

  Index dimension() const;
  Index rows() const { return rows_.count(); }
  Index features() const { return rows_.columns(); }
  const TargetRows& data() const { return rows_; }
  const NeuralOptions& options() const { return options_; }

  Vector log_density(const Matrix& betas, Matrix& gradients) const;
  /// These rows, with their likelihood to the power n/(their number).
  NeuralTarget subset(const std::vector<Index>& rows) const;

  /// What each number of β is, given the features' names: "unit3.age", "unit3.bias", "out.unit3", "out.bias".
  std::vector<std::string> names(const std::vector<std::string>& features) const;

 private:
  TargetRows rows_;  // copies of the target share them
  Vector y_;
  NeuralOptions options_;
  double weight_ = 1.0;  // of the likelihood
};

/// The linear predictors vᵀh(Wᵀx + b) + c: one row a row of X, one column a column of `betas`.
Matrix neural_predictors(const Matrix& X, const Matrix& betas, Index hidden, Activation activation);

}  // namespace fisherman
