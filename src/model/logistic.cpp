#include "fisherman/model/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <utility>
#include <vector>

#include "elementwise.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/row_sum.hpp"
#include "fisherman/model/logistic_quadrature.hpp"

namespace fisherman {
namespace {

constexpr Index tile_draws = 256;  // a tile of linear predictors then has 1 MB

/// Values and gradients at draws.
struct Slopes {
  Vector values;
  Matrix gradients;  // without rows if nobody asks for them
  void operator+=(const Slopes& other) {
    values += other.values;
    gradients += other.gradients;
  }
};

/// Σ rᵢxᵢ and the lower triangle of Σ wᵢxᵢxᵢᵀ.
struct Derivatives {
  Vector gradient;
  Matrix gram;
  void operator+=(const Derivatives& other) {
    gradient += other.gradient;
    gram += other.gram;
  }
};

Derivatives derivatives(const Matrix& X, const Vector& residual, const Vector& weights) {
  const Index d = X.cols();
  auto sum = sum_over_rows<Derivatives>(X.rows(), [&](Index first, Index count) {
    const auto x = X.middleRows(first, count);
    Derivatives part{x.transpose() * residual.segment(first, count), Matrix::Zero(d, d)};
    const Matrix scaled = weights.segment(first, count).cwiseSqrt().asDiagonal() * x;
    part.gram.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
    return part;
  });
  sum.gram.triangularView<Eigen::StrictlyUpper>() = sum.gram.transpose();
  return sum;
}

}  // namespace

/// What follows for each row from a Gaussian of the coefficients.
struct LogisticTarget::RowMoments {
  double sum;                // Σ E log p(yᵢ | β), not weighted
  Vector residual, weights;  // its derivatives in the linear predictors: yᵢ − Eσ, and −Eσ(1−σ)
};

/// A descent asks for the value where it may go, and for the gradient once it is there.
struct LogisticTarget::Last {
  std::mutex mutex;
  Vector mean;
  Matrix covariance;
  std::shared_ptr<const RowMoments> moments;
};

LogisticTarget::LogisticTarget(Matrix X, Vector y, double prior_variance)
    : X_(std::make_shared<const Matrix>(std::move(X))),
      last_(std::make_shared<Last>()),
      y_(std::move(y)),
      prior_variances_(Vector::Constant(dimension(), prior_variance)) {
  check();
}

LogisticTarget::LogisticTarget(Matrix X, Vector y, Vector prior_variances)
    : X_(std::make_shared<const Matrix>(std::move(X))),
      last_(std::make_shared<Last>()),
      y_(std::move(y)),
      prior_variances_(std::move(prior_variances)) {
  check();
}

void LogisticTarget::check() const {
  require(rows() > 0 && dimension() > 0, "a logistic regression needs rows and columns, not ",
          rows(), " x ", dimension());
  require(y_.size() == rows(), "there are ", rows(), " rows, but ", y_.size(), " outcomes");
  require(design().allFinite(), "the design matrix holds a NaN or an infinity");
  require((y_.array() == 0.0 || y_.array() == 1.0).all(), "outcomes must be 0 or 1");
  require_size(prior_variances_, dimension(), "the prior variances of a logistic regression");
  for (const double variance : prior_variances_)
    require(variance > 0.0 && std::isfinite(variance), "prior_variance is ", variance,
            ", but must be positive and finite");
}

double LogisticTarget::prior_constant() const {
  return -0.5 * (2.0 * std::numbers::pi * prior_variances_.array()).log().sum();
}

Vector LogisticTarget::evaluated(const Matrix& betas, Matrix* gradients) const {
  require_size(betas, dimension(), "the coefficients of a logistic regression");
  const Index draws = betas.cols();
  const auto sum = sum_over_rows<Slopes>(rows(), [&](Index first, Index count) {
    Slopes part{Vector(draws), Matrix(gradients != nullptr ? dimension() : 0, draws)};
    const auto x = design().middleRows(first, count);
    for (Index from = 0; from < draws; from += tile_draws) {
      const Index some = std::min(tile_draws, draws - from);
      Matrix eta = x * betas.middleCols(from, some);  // and then y − σ(η)
      for (Index k = 0; k < some; ++k)
        part.values(from + k) = bernoulli(y_.segment(first, count), eta.col(k));
      if (gradients != nullptr)
        part.gradients.middleCols(from, some).noalias() = x.transpose() * eta;
    }
    return part;
  });
  if (gradients != nullptr) {
    *gradients = weight_ * sum.gradients;
    gradients->array() -= betas.array().colwise() / prior_variances_.array();
  }
  const Vector squares = betas.cwiseAbs2().transpose() * prior_variances_.cwiseInverse();
  return (weight_ * sum.values - 0.5 * squares).array() + prior_constant();
}

Vector LogisticTarget::log_density(const Matrix& betas, Matrix& gradients) const {
  return evaluated(betas, &gradients);
}
Vector LogisticTarget::log_density(const Matrix& betas) const { return evaluated(betas, nullptr); }

Matrix LogisticTarget::mean_hessian(const Matrix& betas) const {
  Vector weights(rows());
  for_row_groups(rows(), [&](Index first, Index count) {
    const auto x = design().middleRows(first, count);
    Vector sum = Vector::Zero(count);
    for (Index from = 0; from < betas.cols(); from += tile_draws) {
      const Matrix eta = x * betas.middleCols(from, std::min(tile_draws, betas.cols() - from));
      for (Index k = 0; k < eta.cols(); ++k) add_bernoulli_variances(eta.col(k), sum);
    }
    weights.segment(first, count) = weight_ / double(betas.cols()) * sum;
  });
  Matrix hessian = -derivatives(design(), Vector::Zero(rows()), weights).gram;
  hessian.diagonal() -= prior_variances_.cwiseInverse();
  return hessian;
}

std::shared_ptr<const LogisticTarget::RowMoments> LogisticTarget::row_moments(
    const Vector& mean, const Matrix& covariance) const {
  {
    const std::lock_guard lock(last_->mutex);
    if (last_->moments && last_->mean == mean && last_->covariance == covariance)
      return last_->moments;
  }
  auto out = std::make_shared<RowMoments>(RowMoments{0.0, Vector(rows()), Vector(rows())});
  out->sum = sum_over_rows<double>(rows(), [&](Index first, Index count) {
    const auto x = design().middleRows(first, count);
    const Vector m = x * mean;
    const Matrix xs = x * covariance;
    Vector variance = Vector::Zero(count);
    for (Index j = 0; j < x.cols(); ++j) variance += xs.col(j).cwiseProduct(x.col(j));
    Matrix moments(count, 3);
    logistic_moments(m, variance.cwiseMax(0.0), moments);
    const auto y = y_.segment(first, count);
    out->residual.segment(first, count) = y - moments.col(1);
    out->weights.segment(first, count) = moments.col(2);
    return y.dot(m) - moments.col(0).sum();
  });
  const std::lock_guard lock(last_->mutex);
  last_->mean = mean;
  last_->covariance = covariance;
  last_->moments = out;
  return out;
}

double LogisticTarget::expected(const Vector& mean, const Matrix& covariance) const {
  const auto squares = mean.array().square() + covariance.diagonal().array();
  return weight_ * row_moments(mean, covariance)->sum + prior_constant() -
         0.5 * (squares / prior_variances_.array()).sum();
}

LogisticTarget::Expectation LogisticTarget::expectation(const Vector& mean,
                                                        const Matrix& covariance) const {
  const auto moments = row_moments(mean, covariance);
  const Derivatives sum = derivatives(design(), moments->residual, moments->weights);
  Expectation out;
  out.value = expected(mean, covariance);
  out.gradient = weight_ * sum.gradient - mean.cwiseQuotient(prior_variances_);
  out.hessian = -weight_ * sum.gram;
  out.hessian.diagonal() -= prior_variances_.cwiseInverse();
  return out;
}

LogisticTarget LogisticTarget::subset(const std::vector<Index>& rows) const {
  require(!rows.empty(), "a minibatch needs at least one row");
  LogisticTarget out = *this;
  out.X_ = std::make_shared<const Matrix>(design()(rows, Eigen::all));
  out.last_ = std::make_shared<Last>();
  out.y_ = y_(rows);
  out.weight_ = weight_ * double(this->rows()) / double(rows.size());
  return out;
}

}  // namespace fisherman
