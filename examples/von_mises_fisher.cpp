// The mean direction of a von Mises-Fisher distribution, by maximum likelihood on the sphere.
//
//   density   f(y; μ) ∝ exp(κ μᵀy) on the unit sphere of ℝ³, κ known
//   loss      L(μ) = −κ μᵀȳ, the mean negative log-likelihood without constants
//   optimum   μ̂ = ȳ/‖ȳ‖, the direction of the data's mean: known, so this program checks itself.
#include <cmath>
#include <iostream>

#include "fisherman/fisherman.hpp"
#include "fisherman/testing/model_laws.hpp"

using namespace fisherman;

constexpr double kappa = 10.0;
// E μᵀy. The Fisher information is κ·mean_cosine in every tangent direction.
const double mean_cosine = 1.0 / std::tanh(kappa) - 1.0 / kappa;

// `count` draws from the distribution around μ. In 3-d the cosine w = μᵀy has a closed inverse
// distribution function, so no draw is ever rejected. Two streams: one for the cosines, one for
// where the draws lie around μ.
Matrix sample(const Vector& mu, const Draws& draws, std::uint32_t stream, Index count) {
  const Matrix u = draws.uniforms(stream, 1, count);
  Matrix y = draws.normals(stream + 1, 3, count);
  for (Index k = 0; k < count; ++k) {
    const double w = 1.0 + std::log(u(k) + (1.0 - u(k)) * std::exp(-2.0 * kappa)) / kappa;
    y.col(k) -= mu * mu.dot(y.col(k));
    y.col(k) = w * mu + std::sqrt(1.0 - w * w) * y.col(k).normalized();
  }
  return y;
}

struct VonMisesFisher {
  Matrix data;  // 3×N
  Index rows;   // of a minibatch

  enum Stream : std::uint32_t { for_rows, for_scores };  // sample() takes for_scores + 1 as well

  // The log-density of y has the ambient gradient κy. The frame projects it; we need not.
  Matrix scores(const Sphere& mu, const Draws& draws) const {
    return mu.pull(kappa * sample(mu.point(), draws, for_scores, 4));
  }
  Vector gradient(const Sphere& mu, const Draws& draws) const {
    Vector mean = Vector::Zero(3);
    for (const Index i : draws.integers(for_rows, rows, data.cols())) mean += data.col(i);
    return mu.pull(-kappa * mean / double(rows));
  }
  double objective(const Sphere& mu) const {
    return -kappa * mu.point().dot(data.rowwise().mean());
  }
};

int main() {
  const Vector truth = Vector::Ones(3).normalized();
  const VonMisesFisher model{.data = sample(truth, Draws(2024, 0), 0, 1000), .rows = 20};
  const Sphere optimum(model.data.rowwise().mean());  // scaled to norm one by the sphere

  // Starts a quarter turn off. The sphere's frame is redundant: 3 coordinates for 2 dimensions.
  const Sphere start(Vector{{1.0, -1.0, 0.0}});
  auto laws = testing::check_gradient(model, start);  // is it the derivative of the objective?
  laws.add(testing::check_scores(model, start));      // is their mean zero?
  if (!laws.ok()) return std::cerr << laws, 1;

  const Index iterations = 2000;
  State state{start, Dense(start.dimension()), 7};

  // τ = 2/(2+s). A natural gradient needs no tuning: any c/(c₁+s) with c > ½ converges at the best
  // rate, with c²/(2c−1) times the variance of the maximum likelihood estimate from as many rows.
  run(state, model, {.rule = {.step_size = 1.0, .delay = 2.0, .decay = 1.0}},
      after_iterations(iterations));
  const Sphere estimate = state.estimate();

  // What 𝐇⁻¹ has learnt from scores alone, along a direction that is tangent at the estimate.
  const Vector along = estimate.pull(Vector::Unit(3, 0)).normalized();
  const double learnt = along.dot(state.fisher.solve(along)), known = 1.0 / (kappa * mean_cosine);

  // Rows are drawn with replacement, so the estimate keeps a random error about the optimum: with
  // c = 2, a variance of 4/3 · known / (rows · iterations) in both directions; three standard
  // errors.
  const double error = estimate.distance(optimum);
  const double tolerance =
      3.0 * std::sqrt(4.0 / 3.0 * 2.0 * known / double(model.rows * iterations));
  std::cout << "estimate              " << estimate.point().transpose() << '\n'
            << "normalised mean       " << optimum.point().transpose() << '\n'
            << "angle between them    " << error << " (at most " << tolerance << ")\n"
            << "angle to the truth    " << estimate.distance(Sphere(truth)) << '\n'
            << "inverse Fisher        " << learnt << " learnt, " << known << " in closed form\n";
  if (!(error < tolerance)) {
    std::cerr << "The estimate is not the normalised mean of the data.\n";
    return 1;
  }
  // 8000 scores: a relative error of about √(2/8000); three of those.
  if (!(std::abs(learnt / known - 1.0) < 3.0 * std::sqrt(2.0 / 8000.0))) {
    std::cerr << "The learnt Fisher information is not the known one.\n";
    return 1;
  }
}
