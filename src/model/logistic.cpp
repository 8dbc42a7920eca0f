#include "fisherman/model/logistic.hpp"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "elementwise.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/model/logistic_quadrature.hpp"

namespace fisherman {
namespace {

constexpr Index block = 512;  // rows a task

/// body(first, count, task) for blocks of rows, whatever the threads.
template <class Body>
void for_row_blocks(Index rows, Body body) {
  parallel_for(std::size_t((rows + block - 1) / block), [&](std::size_t task) {
    const Index first = Index(task) * block;
    body(first, std::min(block, rows - first), task);
  });
}

}  // namespace

LogisticTarget::LogisticTarget(Matrix X, Vector y, double prior_variance)
    : X_(std::make_shared<const Matrix>(std::move(X))),
      y_(std::move(y)),
      prior_variances_(Vector::Constant(dimension(), prior_variance)) {
  check();
}

LogisticTarget::LogisticTarget(Matrix X, Vector y, Vector prior_variances)
    : X_(std::make_shared<const Matrix>(std::move(X))),
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

Vector LogisticTarget::log_density(const Matrix& betas, Matrix& gradients) const {
  Matrix eta = design() * betas;  // and then y − σ(η)
  std::vector<Vector> sums(std::size_t((rows() + block - 1) / block));
  for_row_blocks(rows(), [&](Index first, Index count, std::size_t task) {
    Vector& sum = sums[task] = Vector(betas.cols());
    for (Index k = 0; k < betas.cols(); ++k)
      sum(k) = bernoulli(y_.segment(first, count), eta.col(k).segment(first, count));
  });
  gradients.noalias() = weight_ * design().transpose() * eta;
  gradients.array() -= betas.array().colwise() / prior_variances_.array();
  Vector values = -0.5 * betas.cwiseAbs2().transpose() * prior_variances_.cwiseInverse();
  for (const Vector& sum : sums) values += weight_ * sum;
  return values.array() + prior_constant();
}

Matrix LogisticTarget::mean_hessian(const Matrix& betas) const {
  const Matrix eta = design() * betas;
  Vector weights(rows());
  for_row_blocks(rows(), [&](Index first, Index count, std::size_t) {
    Vector sum = Vector::Zero(count);
    for (Index k = 0; k < betas.cols(); ++k)
      add_bernoulli_variances(eta.col(k).segment(first, count), sum);
    weights.segment(first, count) = weight_ / double(betas.cols()) * sum;
  });
  Matrix hessian = -(design().transpose() * (weights.asDiagonal() * design()));
  hessian.diagonal() -= prior_variances_.cwiseInverse();
  return hessian;
}

LogisticTarget::Expectation LogisticTarget::expectation(const Vector& mean,
                                                        const Matrix& covariance) const {
  const Vector m = design() * mean;
  const Matrix XS = design() * covariance;
  Vector residual(rows()), weights(rows());
  std::vector<double> sums(std::size_t((rows() + block - 1) / block), 0.0);
  for_row_blocks(rows(), [&](Index first, Index count, std::size_t task) {
    for (Index i = first; i < first + count; ++i) {
      const double variance = std::max(0.0, XS.row(i).dot(design().row(i)));
      const LogisticMoments moments = logistic_moments(m(i), variance);
      sums[task] += y_(i) * m(i) - moments.softplus;
      residual(i) = y_(i) - moments.sigmoid;
      weights(i) = weight_ * moments.slope;
    }
  });
  Expectation out;
  out.value = prior_constant() - 0.5 * ((mean.array().square() + covariance.diagonal().array()) /
                                        prior_variances_.array())
                                           .sum();
  for (const double sum : sums) out.value += weight_ * sum;
  out.gradient = weight_ * design().transpose() * residual - mean.cwiseQuotient(prior_variances_);
  out.hessian = -(design().transpose() * (weights.asDiagonal() * design()));
  out.hessian.diagonal() -= prior_variances_.cwiseInverse();
  return out;
}

LogisticTarget LogisticTarget::subset(const std::vector<Index>& rows) const {
  require(!rows.empty(), "a minibatch needs at least one row");
  LogisticTarget out = *this;
  out.X_ = std::make_shared<const Matrix>(design()(rows, Eigen::all));
  out.y_ = y_(rows);
  out.weight_ = weight_ * double(this->rows()) / double(rows.size());
  return out;
}

double LogisticTarget::expected(const Vector& mean, const Matrix& covariance) const {
  return expectation(mean, covariance).value;
}

}  // namespace fisherman
