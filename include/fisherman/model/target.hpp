// What variational Bayes approximates: an unnormalised log density on ℝᵈ and its gradient.
//
//   dimension()
//   log_density(betas, gradients)  the values at the columns of `betas`, as a vector; the gradients go
//                                  into the columns of `gradients`, which has the right size already
//   mean_hessian(betas)            the Hessian of the log density, averaged over the columns
//                                  (optional; what Bonnet-Price needs)
//   expected(mean, covariance)     E log density under N(mean, covariance), exactly (optional)
//   expectation(mean, covariance)  the same with the gradient in the mean and the expected Hessian, as
//                                  members value, gradient, hessian (optional)
#pragma once

#include <concepts>
#include <functional>
#include <utility>

#include "fisherman/core/error.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

template <class T>
concept Target = requires(const T& target, const Matrix& betas, Matrix& gradients) {
  { target.dimension() } -> std::convertible_to<Index>;
  { target.log_density(betas, gradients) } -> std::convertible_to<Vector>;
};

template <class T>
concept HasMeanHessian = requires(const T& target, const Matrix& betas) {
  { target.mean_hessian(betas) } -> std::convertible_to<Matrix>;
};

template <class T>
concept HasExpectation = requires(const T& target, const Vector& mean, const Matrix& covariance) {
  { target.expected(mean, covariance) } -> std::convertible_to<double>;
};

template <class T>
concept HasExactGradient = requires(const T& target, const Vector& mean, const Matrix& covariance) {
  { target.expectation(mean, covariance).gradient } -> std::convertible_to<Vector>;
  { target.expectation(mean, covariance).hessian } -> std::convertible_to<Matrix>;
};

/// A target from a function of one point: f(beta, gradient) returns the log density and fills the
/// gradient.
class PointwiseTarget {
 public:
  using Function = std::function<double(const Vector& beta, Vector& gradient)>;

  PointwiseTarget(Index dimension, Function function)
      : dimension_(dimension), function_(std::move(function)) {
    require(dimension > 0, "a target needs a positive dimension, not ", dimension);
  }

  Index dimension() const { return dimension_; }
  Vector log_density(const Matrix& betas, Matrix& gradients) const {
    Vector values(betas.cols()), gradient = Vector::Zero(dimension_);
    for (Index k = 0; k < betas.cols(); ++k) {
      values(k) = function_(betas.col(k), gradient);
      require_size(gradient, dimension_, "the gradient of the log density");
      gradients.col(k) = gradient;
    }
    return values;
  }

 private:
  Index dimension_;
  Function function_;
};

}  // namespace fisherman
