// Rates of convergence, over 20 fixed seeds. The mean of 20 squared distances in 10 dimensions scatters
// by √(2/200) = 10%, which moves a slope fitted over a factor of 16 by about 0.05: a third of the bands.
// An average that leaves out the first iterations is fitted against the number of points it holds.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "fisherman/fisherman.hpp"
#include "toy.hpp"

namespace fisherman::slow_rates_test {
namespace {

/// The least-squares slope of log y against log x.
double fitted_slope(const std::vector<double>& x, const std::vector<double>& y) {
  double mx = 0, my = 0, xy = 0, xx = 0;
  const double n = double(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) mx += std::log(x[k]) / n, my += std::log(y[k]) / n;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xy += (std::log(x[k]) - mx) * (std::log(y[k]) - my);
    xx += (std::log(x[k]) - mx) * (std::log(x[k]) - mx);
  }
  return xy / xx;
}

TEST(Fisher, ApproachesTheExactOperatorAtTheMonteCarloRate) {
  const Index n = 3;
  const Vector mean = toy::random_vector(n, 1);
  const Matrix S = toy::random_spd(n, 2);
  const PointwiseTarget unused(n, [](const Vector&, Vector&) { return 0.0; });
  const GaussianVb model(unused, {.scores = 250});
  const auto check = [&](const auto& frame, const char* name) {
    const Index d = frame.dimension();
    const FisherOperator fisher = gaussian_fisher(frame);
    Matrix exact(d, d);
    for (Index k = 0; k < d; ++k) exact.col(k) = fisher.apply(Vector::Unit(d, k));
    std::vector<double> counts, errors;
    for (Index blocks = 1; blocks <= 256; blocks *= 4) {
      double error = 0.0;
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Dense dense(d, {.epsilon = 1.0});
        for (Index k = 0; k < blocks; ++k)
          dense.absorb(model.scores(frame, Draws(seed, std::uint64_t(k))));
        error += (dense.inverse().inverse() - exact).squaredNorm() / 12.0;
      }
      counts.push_back(double(blocks));
      errors.push_back(std::sqrt(error));
    }
    EXPECT_NEAR(fitted_slope(counts, errors), -0.5, 0.1) << name;
  };
  check(gaussian_euclidean(mean, S), "euclidean");
  check(gaussian_bures_wasserstein(mean, S), "bw");
  check(gaussian_affine(mean, S), "affine");
}

/// Maximum likelihood for the covariance of N(0, Σ) from a stream of samples of N(0, Σ*): the loss
/// is geodesically convex and Σ* is its optimum.
struct CovarianceStream {
  Matrix root;

  template <class F>
  Vector gradient(const F& f, const Draws& draws) const {
    return loss_gradient(f, root * draws.normals(0, root.rows(), 1));
  }
  template <class F>
  Matrix scores(const F& f, const Draws& draws) const {
    const Matrix L = f.matrix().llt().matrixL();
    return -loss_gradient(f, L * draws.normals(1, root.rows(), 1));
  }
  template <class F>
  static Vector loss_gradient(const F& f, const Matrix& y) {  // ½(Σ⁻¹ − Σ⁻¹yyᵀΣ⁻¹)
    const Matrix inverse = f.matrix().inverse();
    const Matrix a = inverse * y, E = 0.5 * (inverse - a * a.transpose());
    return f.pull(Matrix(as_vector(E)));
  }
};

struct Slopes {
  double last, averaged;
};

template <class F>
Slopes distance_slopes(const Matrix& optimum, const RunOptions& options) {
  constexpr std::int64_t left_out = 200;
  const F at_optimum(optimum);
  const std::vector<double> marks = {1000, 2000, 4000, 8000, 16000};
  std::vector<double> last(marks.size()), averaged(marks.size());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CovarianceStream model{optimum.llt().matrixL()};
    State s{F(Matrix(0.7 * optimum)), Dense(at_optimum.dimension(), {.epsilon = 5.0}), seed,
            Average({.on = true, .start = left_out})};
    const auto observe = [&](const Record& r, const State<F, Dense>& now) {
      for (std::size_t k = 0; k < marks.size(); ++k) {
        const double m = marks[k];
        if (double(r.iteration) > 0.9 * m &&
            double(r.iteration) <= m) {  // a window, to average noise
          last[k] += std::pow(now.frame.distance(at_optimum), 2) / (0.1 * m);
          if (double(r.iteration) == m)
            averaged[k] += std::pow(now.estimate().distance(at_optimum), 2);
        }
      }
    };
    run(s, model, options, after_iterations(16000), {observe});
  }
  std::vector<double> held;
  for (const double m : marks) held.push_back(m - double(left_out));
  return {fitted_slope(marks, last), fitted_slope(held, averaged)};
}

TEST(Rates, MeanSquaredDistanceFallsLikeTheStepSizeAndWithAveragingLikeOneOverS) {
  Matrix optimum = toy::random_spd(4, 3);
  RunOptions options{.rule = {.step_size = 0.5, .delay = 10.0, .decay = 0.75}};
  options.evaluate_every = 0;
  const Slopes affine = distance_slopes<SpdAffine>(optimum, options);
  EXPECT_NEAR(affine.last, -0.75, 0.1);
  EXPECT_NEAR(affine.averaged, -1.0, 0.15);
  const Slopes bw = distance_slopes<SpdBuresWasserstein>(optimum, options);
  EXPECT_NEAR(bw.last, -0.75, 0.1);
  EXPECT_NEAR(bw.averaged, -1.0, 0.15);
}

}  // namespace
}  // namespace fisherman::slow_rates_test
