#include "fisherman/solve/gaussian_start.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <numbers>

#include "fisherman/core/random.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/solve/descend.hpp"

namespace fisherman {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index probe_pairs = 4;
constexpr std::int64_t most_start_iterations = 300;
constexpr double too_wide = 1e3;          // nats: such a Gaussian comes last
constexpr double start_tolerance = 0.05;  // nats of the mode's height, by the curvature as learnt

/// −log p as a model on ℝᵈ that counts.
struct Height {
  const FunctionTarget& target;
  Index* evaluations;

  Vector gradient(const Euclidean& x, const Draws&) { return value_and_gradient(x).gradient; }
  ValueAndGradient value_and_gradient(const Euclidean& x) {
    Matrix slope(x.dimension(), 1);
    const double value = target.log_density(Matrix(x.point()), slope)(0);
    ++*evaluations;
    if (!std::isfinite(value) || !slope.allFinite())
      throw NotFinite("the log density is not finite");
    return {-value, -slope.col(0)};
  }
};

/// Roughly, from antithetic pairs, which have no error from the slope.
double rough_nelbo(const FunctionTarget& target, const Vector& mean, const Matrix& covariance,
                   std::uint64_t seed, Index& evaluations) {
  const Eigen::LLT<Matrix> llt(covariance);
  if (llt.info() != Eigen::Success) return infinity;
  const Matrix L = llt.matrixL();
  const Index d = mean.size();
  const Matrix steps = L * Draws(seed, 0).normals(77, d, probe_pairs);
  Matrix points(d, 2 * probe_pairs);
  points << (steps.colwise() + mean), ((-steps).colwise() + mean);
  const Vector values = -log_densities(target, points);
  evaluations += 2 * probe_pairs;
  // Where some draws have no density, the Gaussian is too wide, but it may be the best that there is.
  const Index finite = values.array().isFinite().count();
  if (2 * finite < values.size()) return infinity;
  const double value =
      values.array().isFinite().select(values.array(), 0.0).sum() / double(finite) +
      (finite < values.size() ? too_wide : 0.0);
  const double log_det = L.diagonal().array().log().sum();
  const double out = value - log_det - 0.5 * double(d) * (1.0 + std::log(2.0 * std::numbers::pi));
  return std::isfinite(out) ? out : infinity;
}

bool is_power_of_two(std::int64_t n) { return n >= 2 && (n & (n - 1)) == 0; }

}  // namespace

Vector start_point(Index dimension, std::uint64_t seed, Index n) {
  if (n == 0) return Vector::Zero(dimension);
  return ((4.0 * Draws(seed, std::uint64_t(n)).uniforms(78, dimension, 1)).array() - 2.0).matrix();
}

GaussianStart gaussian_start(const FunctionTarget& target, const Vector& from, std::uint64_t seed) {
  const Index d = target.dimension();
  GaussianStart best{from, Matrix::Identity(d, d), infinity, 0};
  Height height{target, &best.evaluations};
  State state(Euclidean(from), Identity(d), seed);
  const auto probe = [&](const Vector& at, const Matrix& covariance) {
    const double nelbo = rough_nelbo(target, at, covariance, seed, best.evaluations);
    if (nelbo < best.nelbo) {
      best.mean = at;
      best.covariance = covariance;
      best.nelbo = nelbo;
    }
    return nelbo;
  };
  Vector widest = from;  // where a round Gaussian is tried if none that was learnt will do
  double lowest = infinity;
  int worse = 0;  // looks in a row at Gaussians that were far from the best
  const auto look = [&](const auto& s) {
    Matrix H(d, d);
    for (Index j = 0; j < d; ++j)
      H.col(j) = s.secants.times(Vector::Unit(d, j), [](const Vector& g) -> Vector { return g; });
    H = 0.5 * (H + H.transpose()).eval();
    worse = probe(s.frame.point(), H) > best.nelbo + 10.0 + double(d) ? worse + 1 : 0;
  };
  const Observer<State<Euclidean, Identity>> observe = [&](const Record& r, const auto& s) {
    if (s.objective < lowest && r.iteration <= 8) {
      lowest = s.objective;
      widest = s.frame.point();
    }
    if (!s.secants.empty() && (r.last || is_power_of_two(r.iteration))) look(s);
  };
  DescentOptions options;
  options.memory = most_start_iterations;
  options.distrust = 1.0;
  const Stop leaves_the_mass(
      [&](const Record&) { return worse >= 2 ? std::optional(Status::stalled) : std::nullopt; });
  descend(state, height, options,
          when_predicted_below(start_tolerance) || leaves_the_mass ||
              after_iterations(most_start_iterations),
          {observe});
  if (!std::isfinite(best.nelbo))
    for (const double s : {1.0, 0.3, 0.1, 0.01}) probe(widest, s * s * Matrix::Identity(d, d));
  return best;
}

void require_a_start(const FunctionTarget& target, std::uint64_t seed, Index starts) {
  const Index d = target.dimension();
  for (Index n = 0; n < starts; ++n) {
    Matrix slope(d, 1);
    try {
      const double value = target.log_density(Matrix(start_point(d, seed, n)), slope)(0);
      if (std::isfinite(value) && slope.allFinite()) return;
    } catch (const NotFinite&) {
    }
  }
  throw Misuse(sentence("the log density, or its gradient, is not finite near any of the ", starts,
                        " points that were tried to start from"));
}

}  // namespace fisherman
