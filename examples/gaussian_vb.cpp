// Gaussian variational Bayes of a log density of your own: here a Bayesian logistic regression.
//
//   target    log π̄(β) = Σᵢ [tᵢ xᵢᵀβ − log(1 + exp(xᵢᵀβ))] − ‖β‖²/2v: a function of one point that
//             returns its value and fills its gradient; nothing more is asked
//   family    N(μ, Σ) with the affine-invariant (Fisher-Rao) geometry
//   optimum   E∇log π̄ = 0 and Σ⁻¹ = −E∇²log π̄, expectations under N(μ, Σ). For a logistic
//             regression they are one-dimensional integrals, so Newton's iteration with quadrature
//             finds it without any randomness, and this program can check itself.
#include <Eigen/Dense>
#include <cmath>
#include <iostream>

#include "fisherman/fisherman.hpp"

using namespace fisherman;

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double log1p_exp(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// The intercept, hours of study and hours of sleep (standardised), and who passed the exam.
const Matrix rows{{1, -1.5, 0.3}, {1, -1.2, -0.8}, {1, -0.9, 1.1}, {1, -0.6, -1.4},
                  {1, -0.3, 0.6}, {1, -0.1, -0.2}, {1, 0.2, 1.5},  {1, 0.4, -1.0},
                  {1, 0.7, 0.9},  {1, 1.0, -0.5},  {1, 1.3, 0.1},  {1, 1.6, -1.2}};
const Vector passed{{0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1}};
constexpr double prior_variance = 4.0;

double log_posterior(const Vector& beta, Vector& gradient) {
  const Vector eta = rows * beta;
  gradient = rows.transpose() * (passed - eta.unaryExpr(&logistic)) - beta / prior_variance;
  return passed.dot(eta) - eta.unaryExpr(&log1p_exp).sum() -
         0.5 * beta.squaredNorm() / prior_variance;
}

// E f(m + √v z), z standard normal, by the trapezoidal rule: for smooth f it converges faster than
// any power of the spacing.
template <class F>
double expectation(F f, double m, double v) {
  double sum = 0.0, total = 0.0;
  for (double z = -9.0; z <= 9.0; z += 0.05) {
    sum += std::exp(-0.5 * z * z) * f(m + std::sqrt(v) * z);
    total += std::exp(-0.5 * z * z);
  }
  return sum / total;
}

GaussianAffine optimum() {
  Vector mu = Vector::Zero(3);
  Matrix sigma = Matrix::Identity(3, 3);
  for (int k = 0; k < 200; ++k) {
    Vector residual(rows.rows()), curvature(rows.rows());
    for (Index i = 0; i < rows.rows(); ++i) {
      const double m = rows.row(i).dot(mu), v = rows.row(i) * sigma * rows.row(i).transpose();
      residual(i) = passed(i) - expectation(logistic, m, v);
      curvature(i) = expectation([](double x) { return logistic(x) * (1.0 - logistic(x)); }, m, v);
    }
    const Matrix precision =
        rows.transpose() * curvature.asDiagonal() * rows + Matrix::Identity(3, 3) / prior_variance;
    sigma = 0.5 * sigma + 0.5 * precision.inverse();  // damped, so that it cannot swing
    mu += 0.5 * sigma * (rows.transpose() * residual - mu / prior_variance);
  }
  return gaussian_affine(mu, sigma);
}

int main() {
  // Sticking the landing takes the noise that the score of q adds out of the gradient.
  GaussianVb model(PointwiseTarget(3, log_posterior),
                   {.draws = 50, .estimator = GradientEstimator::sticking_the_landing});

  // A step may move q by half a nat at most, which lets the first steps be bold and safe.
  const GaussianAffine start = gaussian_affine(Vector::Zero(3), Matrix::Identity(3, 3));
  State state{start, Dense(start.dimension()), 1, Average({.on = true, .start = 100})};
  Trace trace;
  const Outcome outcome =
      run(state, model, {.rule = {.step_size = 0.5, .kl_radius = 0.5}, .evaluate_every = 400},
          after_iterations(2000), {trace.observer()});
  const GaussianAffine q = state.estimate(), best = optimum();

  for (const Record& record : trace.records())
    if (record.iteration % 400 == 0)
      std::cout << "iteration " << record.iteration << "\tNELBO " << record.objective << '\n';
  std::cout << describe(outcome.status) << "\nmean      " << q.mean().transpose() << "\noptimum   "
            << best.mean().transpose() << "\ncovariance\n"
            << q.covariance() << "\noptimum\n"
            << best.covariance() << '\n';

  const double kl = gaussian_kl(q.mean(), q.covariance(), best.mean(), best.covariance());
  const double tolerance = 1e-4;  // nobody will notice: means off by less than 0.015 deviations
  std::cout << "KL to the optimum " << kl << " nats (at most " << tolerance << ")\n";
  if (!(kl < tolerance)) {
    std::cerr << "The fitted Gaussian is not the optimal one.\n";
    return 1;
  }
}
