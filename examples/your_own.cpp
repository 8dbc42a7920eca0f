// A manifold and a model of your own, in one file: the normal distributions N(μ, σ²) as the upper
// half plane {(μ, σ) : σ > 0} with Fisher's metric, fitted to data by maximum likelihood.
#include <cmath>
#include <iostream>

#include "fisherman/fisherman.hpp"
#include "fisherman/testing/frame_laws.hpp"

using fisherman::Draws, fisherman::Index, fisherman::Matrix, fisherman::Vector;

// The metric is (dμ² + 2dσ²)/σ², so the tangent vectors (σ, 0) and (0, σ/√2) are orthonormal: they
// are the frame. It is a smooth function of the point, so nothing else has to be moved along.
class HalfPlane {
 public:
  HalfPlane(double mu, double sigma) : mu_(mu), sigma_(sigma), basis_(sigma, sigma / std::sqrt(2)) {
    if (!std::isfinite(mu) || !std::isfinite(sigma) || sigma <= 0.0)
      throw fisherman::NotFinite("(mu, sigma) has left the half plane");  // a shorter step is tried
  }
  double mu() const { return mu_; }
  double sigma() const { return sigma_; }

  Index dimension() const { return 2; }
  Vector point() const { return Vector{{mu_, sigma_}}; }
  Matrix pull(const Matrix& E) const { return basis_.asDiagonal() * E; }
  Vector push(const Vector& v) const { return basis_.cwiseProduct(v); }
  HalfPlane retract(const Vector& v) const {
    const double t = v(1) / std::sqrt(2);
    return {mu_ + sigma_ * v(0), sigma_ * (1.0 + t + 0.5 * t * t)};  // above 0 for every t
  }

 private:
  double mu_, sigma_;
  Eigen::Vector2d basis_;
};

struct Normal {
  Vector data;

  // ∇ log q(y) with respect to (μ, σ), a column for each y, in the frame's coordinates
  static Matrix scores_at(const HalfPlane& q, const Vector& y) {
    const Vector z = (y.array() - q.mu()) / q.sigma();
    Matrix E(2, y.size());
    E << z.transpose(), (z.array().square() - 1.0).matrix().transpose();
    return q.pull(E / q.sigma());
  }
  Matrix scores(const HalfPlane& q, const Draws& draws) const {  // y from the model, not the data
    return scores_at(q, (q.sigma() * draws.normals(0, 8, 1)).array() + q.mu());
  }
  Vector gradient(const HalfPlane& q, const Draws& draws) const {  // a minibatch of 20
    return -scores_at(q, data(draws.integers(1, 20, data.size()))).rowwise().mean();
  }
};

int main() {
  const HalfPlane start(0.0, 2.0);
  const auto metric = [](const Vector& u, const Vector& v) {  // at σ = 2
    return (u(0) * v(0) + 2.0 * u(1) * v(1)) / 4.0;
  };
  const auto laws = fisherman::testing::check_frame(start, {.metric = metric});
  if (!laws.ok()) return std::cerr << laws, 1;

  const Normal model{(3.0 * Draws(42, 0).normals(0, 500, 1)).array() + 10.0};
  fisherman::State state{start, fisherman::Dense(start.dimension()), 1};
  run(state, model, {.rule = {.step_size = 1.0, .delay = 2.0, .decay = 1.0}},
      fisherman::after_iterations(1000));
  const HalfPlane fit = state.estimate();

  const double mean = model.data.mean();  // the optimum: the data's mean and standard deviation
  const double deviation = std::sqrt((model.data.array() - mean).square().mean());
  std::cout << "fitted   " << fit.mu() << ", " << fit.sigma() << "\noptimum  " << mean << ", "
            << deviation << "\nlearnt inverse Fisher (the truth is I)\n"
            << state.fisher.inverse() << '\n';
  // Steps 2/(2+s) on 20 rows each leave, in units of σ, a variance of 4/3 · 1/20000 in μ and half
  // as much in σ: three standard errors.
  const double off = std::hypot(fit.mu() - mean, fit.sigma() - deviation) / deviation;
  if (!(off < 3.0 * std::sqrt(4.0 / 3.0 * 1.5 / 20000.0)))
    return std::cerr << "The fit is " << off << " deviations from the optimum.\n", 1;
}
