#include <fisherman/fisherman.hpp>
#include <iostream>
using namespace fisherman;

int main() {
  // Bioassay (Racine et al. 1986): deaths out of 5 animals at four log doses. Logistic regression,
  // β = (intercept, slope) with N(0, 10²) priors: the log posterior and its gradient.
  const Eigen::Array4d dose(-0.86, -0.30, -0.05, 0.73), deaths(0, 1, 3, 5);
  const PointwiseTarget posterior(2, [&](const Vector& beta, Vector& gradient) {
    const Eigen::Array4d logit = beta(0) + beta(1) * dose;
    const Eigen::Array4d excess = deaths - 5.0 / (1.0 + (-logit).exp());
    gradient << excess.sum(), (excess * dose).sum();
    gradient -= beta / 100.0;
    return (deaths * logit - 5.0 * logit.exp().log1p()).sum() - beta.squaredNorm() / 200.0;
  });

  // The nearest Gaussian q = N(mean, covariance), in the geometry where q's Fisher matrix is I.
  GaussianVb model(posterior, {.estimator = GradientEstimator::sticking_the_landing});
  const auto start = gaussian_affine(Vector::Zero(2), Matrix::Identity(2, 2));
  State state{start, Dense(start.dimension())};
  const auto outcome = run(state, model, {.measure_until = 0.1},
                           when_predicted_below(0.001) || after_iterations(5000));

  std::cout.precision(2);
  std::cout << describe(outcome.status) << "\nmean " << state.frame.mean().transpose() << "\nsd   "
            << state.frame.covariance().diagonal().cwiseSqrt().transpose() << '\n';
  return outcome.status == Status::converged ? 0 : 1;
}
