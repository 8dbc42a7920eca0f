// Gaussian variational Bayes: minimises the NELBO E_q[log q − log π̄] over q = N(μ, Σ), in any of
// the geometries of manifold/gaussian.hpp.
#pragma once

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>
#include <utility>

#include "fisherman/core/packing.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/model/gradient_estimator.hpp"
#include "fisherman/model/model.hpp"
#include "fisherman/model/target.hpp"

namespace fisherman {

struct GaussianVbOptions {
  Index draws = 100;  // for the gradient
  Index scores = 1;   // an iteration
  GradientEstimator estimator = GradientEstimator::reparameterised;
  bool reuse_draws = false;     // the gradient's first draws serve as scores too
  Index objective_draws = 512;  // for a target without expected(); the same ones at every point
  Index minibatch = 0;          // rows of the data for each gradient; 0 = all
  double growth = 1.0;          // of the minibatch, in an iteration

  /// The rows for the gradient of an iteration; 0, all, where drawing them with replacement would save little.
  Index rows_at(std::uint64_t iteration, Index all) const {
    if (growth <= 1.0) return minibatch;
    const double count = double(minibatch) * std::pow(growth, double(iteration));
    return count < 0.5 * double(all) ? Index(count) : 0;
  }
};

template <Target T>
class GaussianVb {
 public:
  explicit GaussianVb(T target, GaussianVbOptions options = {})
      : target_(std::move(target)), options_(options) {
    require(options.draws > 0, "draws is ", options.draws, ", but must be positive");
    require(options.objective_draws > 0, "objective_draws is ", options.objective_draws,
            ", but must be positive");
    require(options.scores > 0, "scores is ", options.scores, ", but must be positive");
    require(!options.reuse_draws || options.scores <= options.draws, "scores is ", options.scores,
            ", but only ", options.draws, " draws are there to be used again");
    require(options.estimator != GradientEstimator::bonnet_price || HasMeanHessian<T>,
            "Bonnet-Price needs a target with mean_hessian()");
    require(options.estimator != GradientEstimator::exact || HasExactGradient<T>,
            "the exact gradient needs a target with expectation()");
    require(options.estimator != GradientEstimator::score_function || options.draws > 1,
            "the leave-one-out baseline needs at least 2 draws");
    require(options.growth >= 1.0 && std::isfinite(options.growth), "growth is ", options.growth,
            ", but must be finite and at least 1");
    require(options.minibatch == 0 || HasSubset<T>,
            "minibatches need a target with rows() and subset()");
  }

  const T& target() const { return target_; }

  template <class C>
  Matrix scores(const Gaussian<C>& q, const Draws& draws) const {
    check_order(q);
    const Sample sample(q, draws, options_.reuse_draws ? for_gradient : for_scores,
                        options_.scores);
    return score_columns(q, sample);
  }

  template <class C>
  Vector gradient(const Gaussian<C>& q, const Draws& draws) const {
    check_order(q);
    return with_rows(target_, options_.rows_at(draws.index(), rows_of(target_)), draws,
                     [&](const T& chosen) { return gradient(q, draws, chosen); });
  }

  /// The NELBO, with all constants of q; exact if the target knows its expectation.
  template <class C>
  double objective(const Gaussian<C>& q) const {
    check_order(q);
    return nelbo(q.mean(), q.covariance());
  }
  double nelbo(const Vector& mean, const Matrix& covariance) const {
    const Eigen::LLT<Matrix> llt(covariance);
    const double d = double(mean.size());
    const Matrix L = llt.matrixL();
    const double log_det = 2.0 * L.diagonal().array().log().sum();
    const double negative_entropy = -0.5 * (d * (1.0 + std::log(2.0 * std::numbers::pi)) + log_det);
    if constexpr (HasExpectation<T>) {
      // The gradient comes next, in the same pass over the data.
      if constexpr (HasExactGradient<T>)
        if (options_.estimator == GradientEstimator::exact && options_.minibatch == 0)
          return negative_entropy - target_.expectation(mean, covariance).value;
      return negative_entropy - target_.expected(mean, covariance);
    } else {
      const Matrix z = Draws(0, 0).normals(for_objective, mean.size(), options_.objective_draws);
      Matrix slopes(mean.size(), options_.objective_draws);
      return negative_entropy - target_.log_density((L * z).colwise() + mean, slopes).mean();
    }
  }

  template <class C>
  FisherOperator fisher(const Gaussian<C>& q) const {
    return gaussian_fisher(q);
  }

 private:
  template <class C>
  Vector gradient(const Gaussian<C>& q, const Draws& draws, const T& target) const {
    if constexpr (HasExactGradient<T>)
      if (options_.estimator == GradientEstimator::exact) return exact_gradient(q, target);
    const Sample s(q, draws, for_gradient, options_.draws);
    const double n = double(options_.draws);
    Matrix slopes(q.order(), options_.draws);
    const Vector values = target.log_density(s.betas, slopes);
    if (options_.estimator == GradientEstimator::score_function) {
      const Vector h = s.log_q - values;
      const Vector centred = (h.array() - h.mean()) / (n - 1.0);  // leave-one-out, and the 1/n
      return score_columns(q, s) * centred;
    }
    slopes = -slopes;  // ∇V
    if (options_.estimator == GradientEstimator::sticking_the_landing) slopes -= s.a;
    Matrix by_sigma = s.inverse * -0.5;
    if (options_.estimator == GradientEstimator::sticking_the_landing) by_sigma.setZero();
    if (options_.estimator == GradientEstimator::bonnet_price) {
      if constexpr (HasMeanHessian<T>) by_sigma -= 0.5 * target.mean_hessian(s.betas);
    } else {
      by_sigma += 0.5 / n * (slopes * s.a.transpose());  // pull takes the symmetric part
    }
    return q.pull(ambient(slopes.rowwise().mean(), by_sigma));
  }

  template <class C>
  void check_order(const Gaussian<C>& q) const {
    require(target_.dimension() == q.order(), "the target has dimension ", target_.dimension(),
            ", but the Gaussian is of order ", q.order());
  }

  enum Stream : std::uint32_t { for_gradient, for_scores, for_objective };

  /// Draws from q and what follows from them.
  struct Sample {
    Matrix betas, a, inverse;
    Vector log_q;

    template <class C>
    Sample(const Gaussian<C>& q, const Draws& draws, Stream stream, Index count) {
      const Eigen::LLT<Matrix> llt(q.covariance());
      if (llt.info() != Eigen::Success)
        throw NotFinite("the covariance is no longer positive definite");
      const Matrix L = llt.matrixL();
      const Matrix z = draws.normals(stream, q.order(), count);
      betas = (L * z).colwise() + q.mean();
      a = L.transpose().triangularView<Eigen::Upper>().solve(z);
      inverse = llt.solve(Matrix::Identity(q.order(), q.order()));
      const double constant = 0.5 * double(q.order()) * std::log(2.0 * std::numbers::pi) +
                              L.diagonal().array().log().sum();
      log_q = -0.5 * z.colwise().squaredNorm().transpose().array() - constant;
    }
  };

  template <class C>
  static Vector exact_gradient(const Gaussian<C>& q, const T& target) {
    const auto e = target.expectation(q.mean(), q.covariance());
    const Matrix inverse =
        Eigen::LLT<Matrix>(q.covariance()).solve(Matrix::Identity(q.order(), q.order()));
    return q.pull(ambient(-e.gradient, -0.5 * (e.hessian + inverse)));
  }

  static Vector ambient(const Vector& by_mean, const Matrix& by_sigma) {
    Vector out(by_mean.size() + by_sigma.size());
    out << by_mean, as_vector(by_sigma);
    return out;
  }

  // ∇_μ log q = a, ∇_Σ log q = ½(aaᵀ − Σ⁻¹)
  template <class C>
  static Matrix score_columns(const Gaussian<C>& q, const Sample& s) {
    const Vector constant = q.pull(ambient(Vector::Zero(q.order()), 0.5 * s.inverse));
    return q.pull_scores(s.a).colwise() - constant;
  }

  T target_;
  GaussianVbOptions options_;
};

/// The Fisher operator of N(μ, Σ) in the frame's coordinates: in ambient numbers (u, U) ↦
/// (Σ⁻¹u, ½Σ⁻¹UΣ⁻¹), eq:gauss-nat-grad.
FisherOperator gaussian_fisher(const GaussianEuclidean& q);
/// In the eigenbasis of Σ the Bures-Wasserstein Fisher operator multiplies by 1/λᵢ + 1/λⱼ.
FisherOperator gaussian_fisher(const GaussianBuresWasserstein& q);
/// The identity, wherever q is, for the frames of gaussian_affine().
FisherOperator gaussian_fisher(const GaussianAffine& q);

/// KL(N(μ₁,Σ₁) ‖ N(μ₂,Σ₂))
double gaussian_kl(const Vector& mean1, const Matrix& covariance1, const Vector& mean2,
                   const Matrix& covariance2);

}  // namespace fisherman
