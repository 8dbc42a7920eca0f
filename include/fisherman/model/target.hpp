// What variational Bayes approximates: an unnormalised log density on ℝᵈ and its gradient.
//
//   dimension()
//   log_density(betas, gradients)  the values at the columns of `betas`, as a vector; the gradients go
//                                  into the columns of `gradients`, which has the right size already
//   log_density(betas)             the values alone (optional; saves time where there are many draws)
//   mean_hessian(betas)            the Hessian of the log density, averaged over the columns
//                                  (optional; what Bonnet-Price needs)
//   expected(mean, covariance)     E log density under N(mean, covariance), exactly (optional)
//   expectation(mean, covariance)  the same with the gradient in the mean and the expected Hessian, as
//                                  members value, gradient, hessian (optional)
//   rows(), subset(rows)           how many observations there are; the target with just these rows of
//                                  the data, their likelihood scaled up to all of them (optional; what
//                                  minibatches need)
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <utility>
#include <vector>

#include "fisherman/core/error.hpp"
#include "fisherman/core/random.hpp"
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

template <class T>
concept HasSubset = requires(const T& target, const std::vector<Index>& rows) {
  { target.rows() } -> std::convertible_to<Index>;
  { target.subset(rows) } -> std::convertible_to<T>;
};

/// How many observations there are; 1 for a density that does not tell.
template <Target T>
Index rows_of(const T& target) {
  if constexpr (HasSubset<T>)
    return target.rows();
  else
    return 1;
}

/// The values alone, at any number of draws. Where there are data, so many at a time that the gradients, for
/// which nobody asked, take little room; a function of the user's is called once.
template <Target T>
Vector log_densities(const T& target, const Matrix& betas) {
  if constexpr (requires { target.log_density(betas); }) {
    return target.log_density(betas);
  } else {
    constexpr Index many = 256;
    const Index draws = betas.cols(), some = HasSubset<T> ? std::min(many, draws) : draws;
    Vector values(draws);
    for (Index first = 0; first < draws; first += some) {
      const Index count = std::min(some, draws - first);
      Matrix gradients(betas.rows(), count);
      values.segment(first, count) = target.log_density(betas.middleCols(first, count), gradients);
    }
    return values;
  }
}

/// Fresh draws for the Pareto k̂ of a fit: fewer where each takes long, down to 200 for five million rows.
template <Target T>
Index draws_for_khat(const T& target) {
  const Index rows = rows_of(target);
  return rows <= 10000 ? 4000 : std::clamp<Index>(1'000'000'000 / rows, 200, 1000);
}

/// use(target), or for a minibatch use() of the target with `count` rows drawn with replacement, which is
/// right on average. Throws Misuse if the target has no rows to choose from.
template <Target T, class Use>
auto with_rows(const T& target, Index count, const Draws& draws, Use use) {
  if (count == 0) return use(target);
  if constexpr (HasSubset<T>) {
    constexpr std::uint32_t for_rows = 1000;  // a stream that no model takes
    return use(target.subset(draws.integers(for_rows, count, target.rows())));
  } else {
    throw Misuse("minibatches need a target with rows() and subset()");
  }
}

/// A target from a function of many points: f(betas, gradients), as log_density above; and one for the values alone, if
/// there is a cheaper way to them.
class FunctionTarget {
 public:
  using Function = std::function<Vector(const Matrix& betas, Matrix& gradients)>;
  using Values = std::function<Vector(const Matrix& betas)>;

  FunctionTarget(Index dimension, Function function, Values values = {})
      : dimension_(dimension), function_(std::move(function)), values_(std::move(values)) {
    require(dimension > 0, "a target needs a positive dimension, not ", dimension);
  }

  Index dimension() const { return dimension_; }
  Vector log_density(const Matrix& betas, Matrix& gradients) const {
    return function_(betas, gradients);
  }
  Vector log_density(const Matrix& betas) const {
    if (values_) return values_(betas);
    Matrix unused(betas.rows(), betas.cols());
    return function_(betas, unused);
  }

 private:
  Index dimension_;
  Function function_;
  Values values_;
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
