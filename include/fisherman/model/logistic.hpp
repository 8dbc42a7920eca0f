// Bayesian logistic regression (eq:logistic-regression): P(yᵢ = 1) = σ(xᵢᵀβ), βⱼ ~ N(0, σⱼ²). The paper has one σ² for
// all coefficients; an intercept wants a prior of its own.
//
// As a Target it gives log p(y, β), all constants included, so that NELBOs are comparable between
// programs; its expectation under a Gaussian is exact, by quadrature.
#pragma once

#include <memory>
#include <vector>

#include "fisherman/core/types.hpp"

namespace fisherman {

class LogisticTarget {
 public:
  /// X is n×d, one row an observation, y holds zeros and ones; one prior variance for each column of X.
  LogisticTarget(Matrix X, Vector y, Vector prior_variances);
  /// The same prior variance for all coefficients.
  LogisticTarget(Matrix X, Vector y, double prior_variance);

  Index dimension() const { return design().cols(); }
  Index rows() const { return design().rows(); }
  const Matrix& design() const { return *X_; }
  const Vector& outcomes() const { return y_; }
  const Vector& prior_variances() const { return prior_variances_; }

  /// In blocks of rows and draws: next to the betas and gradients there is little to keep.
  Vector log_density(const Matrix& betas, Matrix& gradients) const;
  Vector log_density(const Matrix& betas) const;
  /// Averages σ(1−σ) over the draws first and forms one XᵀDX.
  Matrix mean_hessian(const Matrix& betas) const;
  /// What this found is remembered for expectation() of the same Gaussian, and the other way round.
  double expected(const Vector& mean, const Matrix& covariance) const;

  /// E log p(y, β) under N(mean, covariance), with its gradient in the mean and E of its Hessian.
  struct Expectation {
    double value;
    Vector gradient;
    Matrix hessian;
  };
  Expectation expectation(const Vector& mean, const Matrix& covariance) const;

  /// These rows, with their likelihood to the power n/(their number).
  LogisticTarget subset(const std::vector<Index>& rows) const;

 private:
  struct RowMoments;
  struct Last;
  void check() const;  // throws Misuse
  /// log p(β) without its quadratic term.
  double prior_constant() const;
  Vector evaluated(const Matrix& betas, Matrix* gradients) const;
  std::shared_ptr<const RowMoments> row_moments(const Vector& mean, const Matrix& covariance) const;

  std::shared_ptr<const Matrix> X_;  // copies of the target share the data
  std::shared_ptr<Last> last_;       // and the moments of the last Gaussian
  Vector y_;
  Vector prior_variances_;
  double weight_ = 1.0;  // of the likelihood
};

}  // namespace fisherman
