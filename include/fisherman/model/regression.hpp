// Bayesian regression with any likelihood of likelihood.hpp: η = Xβ + offset, or ηₖ = Xβₖ for each of several linear
// predictors, which have no offset.
//
// The parameters are θ = (β, t, ψ): the coefficients, those of one predictor after those of another; t = log τ for each set of group effects, coefficients that share a
// standard deviation τ which is learnt; and the logarithms of the likelihood's further parameters.
//
// As a Target it gives log p(y, θ), all constants included, so that evidence bounds can be compared. Its expectation under a
// Gaussian is exact, as far as the likelihood's is: a row's (η, ψ) is normal, and so is a coefficient's (β, t), for which
// E[e^(−2t)β²] has a closed form.
#pragma once

#include <memory>
#include <vector>

#include "fisherman/core/types.hpp"
#include "fisherman/model/likelihood.hpp"
#include "fisherman/model/scalar_prior.hpp"
#include "fisherman/model/target_rows.hpp"

namespace fisherman {

/// Means and variances of the linear predictors of rows, without an offset, if the coefficients are N(mean, covariance): those
/// of one predictor after those of another, maybe with further parameters behind them. Without a covariance (a matrix without
/// numbers) variances are 0.
PredictorNormals predictor_normals(const ConstMatrixRef& x, Index predictors, const Vector& mean,
                                   const Matrix& covariance);

/// Coefficients first … first+count−1 are N(0, τ²), and τ has a prior.
struct GroupEffects {
  Index first, count;
  ScalePrior prior;
};

struct RegressionPriors {
  std::vector<CoefficientPrior> coefficients;  // one each; those of group effects are not looked at
  std::vector<GroupEffects> effects = {};
  std::vector<ScalePrior> extra = {};  // of the likelihood's further parameters
};

/// A Gaussian's expectation of log p(y, θ), with its gradient in the mean, and the expected Hessian: twice the derivative in
/// the covariance.
struct Expectation {
  double value;
  Vector gradient;
  Matrix hessian;
};

/// Throws Misuse if all outcomes are the same and the likelihood has a parameter such as σ for their spread: it would go
/// to 0, and the density of the outcomes to infinity. Counts have no such density.
void require_spread(const Likelihood& likelihood, double least, double most);

class RegressionTarget {
 public:
  /// `offset` is empty or has a number for each of the rows that are here, as the outcomes have. Throws Misuse for sizes that
  /// do not go together and outcomes that the likelihood does not know.
  RegressionTarget(TargetRows rows, Outcomes outcomes, std::shared_ptr<const Likelihood> likelihood,
                   RegressionPriors priors, Vector offset = {});

  /// Of a row.
  Index predictors() const { return predictors_; }
  Index features() const { return rows_.columns(); }
  Index coefficients() const { return features() * predictors_; }
  Index effects() const { return Index(priors_.effects.size()); }
  Index extras() const { return extras_; }
  Index dimension() const { return coefficients() + effects() + extras(); }
  Index rows() const { return rows_.count(); }
  const TargetRows& data() const { return rows_; }
  /// The rows that are here, and what there is of each of them.
  const RowPart& part() const { return rows_.part(); }
  /// All that are here, unless they are read again in every pass: then this throws Misuse.
  const Matrix& design() const { return rows_.matrix(); }
  bool in_memory() const { return rows_.in_memory(); }
  /// Some of the rows that are here; they count from the first of all ranks.
  Matrix design_rows(Index first, Index count) const { return rows_.block(first, count); }
  const Outcomes& outcomes() const { return outcomes_; }
  const Vector& offset() const { return offset_; }
  const Likelihood& likelihood() const { return *likelihood_; }
  const RegressionPriors& priors() const { return priors_; }

  /// In blocks of rows and draws: next to the thetas and gradients there is little to keep.
  Vector log_density(const Matrix& thetas, Matrix& gradients) const;
  Vector log_density(const Matrix& thetas) const;
  /// The Hessian, averaged over the draws.
  Matrix mean_hessian(const Matrix& thetas) const;

  /// As expectation() has it, which is remembered for the same Gaussian.
  double expected(const Vector& mean, const Matrix& covariance) const;
  /// Without a covariance (a matrix without numbers): log p at the mean itself, with gradient and Hessian.
  Expectation expectation(const Vector& mean, const Matrix& covariance) const;

  /// η of rows in memory that are here at draws of θ, one a column: a column for each row, in which the predictors of a draw
  /// follow each other.
  Matrix linear_predictors(const std::vector<Index>& rows, const Matrix& thetas) const;
  /// Of all that are here.
  Matrix linear_predictors(const Matrix& thetas) const;

  /// Mean and variance of η for each row under N(mean, covariance).
  PredictorNormals predictor_normals(const Vector& mean, const Matrix& covariance, Index first,
                                     Index count) const;

  /// The same with another likelihood for the same outcomes, of as many parameters.
  RegressionTarget with(std::shared_ptr<const Likelihood> likelihood) const;

  /// These rows, with their likelihood to the power n/(their number). All of them are then here, in memory.
  RegressionTarget subset(const std::vector<Index>& rows) const;
  /// At most `most` rows, spread evenly, in the same way: in memory, and all of them here.
  RegressionTarget sample(Index most) const;

 private:
  struct Derivatives;
  struct Moments;
  struct Last;
  PredictorNormals predictor_normals(const Matrix& x, const Vector& mean, const Matrix& covariance,
                                     Index first) const;
  void check() const;
  Vector evaluated(const Matrix& thetas, Matrix* gradients) const;
  /// Coefficients of some draws, p numbers a column: the predictors of a draw follow each other.
  Matrix by_predictor(const Matrix& thetas, Index from, Index draws) const;
  /// The log prior at a point, and its gradient added to one.
  double prior_at(const Eigen::Ref<const Vector>& theta, Eigen::Ref<Vector> gradient) const;
  /// Its expectation; gradient and Hessian are added unless nobody asks.
  double expected_prior(const Vector& mean, const Matrix& covariance, Vector* gradient,
                        Matrix* hessian) const;
  /// Of rows, from what Likelihood::expect() gives for each of them.
  Derivatives derivatives(const Matrix& x, const Matrix& moments) const;
  /// Gradient and Hessian of the log likelihood, weighted.
  Expectation weighted(const Derivatives& sum) const;
  /// Of rows, from `first` on, what Likelihood::expect() gives for each, weighted.
  Matrix row_moments(const Matrix& x, const Vector& mean, const Matrix& covariance,
                     Index first) const;
  std::shared_ptr<const Moments> moments(const Vector& mean, const Matrix& covariance) const;
  /// Nothing if it was another Gaussian.
  std::shared_ptr<const Moments> remembered(const Vector& mean, const Matrix& covariance) const;

  TargetRows rows_;             // copies of the target share the data
  std::shared_ptr<Last> last_;  // and the moments of the last Gaussian
  Outcomes outcomes_;
  Vector offset_;
  std::shared_ptr<const Likelihood> likelihood_;
  RegressionPriors priors_;
  Index predictors_, extras_;
  double weight_ = 1.0;  // of the likelihood
};

/// A Gaussian near the posterior to start from: the mode of the coefficients, by Newton's method, with guesses for the other
/// parameters, and the curvature there.
struct RegressionStart {
  Vector mean;
  Matrix covariance;
};
RegressionStart regression_start(const RegressionTarget& target);

}  // namespace fisherman
