#include "fisherman/solve/gaussian_start.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
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
constexpr double least_factor = 0.1;      // in units of s: at 0 a factor has no gradient
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

/// Roughly, from antithetic pairs at mean ± steps, which have no error from the slope.
double rough_nelbo(const FunctionTarget& target, const Vector& mean, const Matrix& steps,
                   double log_det, Index& evaluations) {
  const Index d = mean.size();
  Matrix points(d, 2 * steps.cols());
  points << (steps.colwise() + mean), ((-steps).colwise() + mean);
  const Vector values = -log_densities(target, points);
  evaluations += points.cols();
  // Where some draws have no density, the Gaussian is too wide, but it may be the best that there is.
  const Index finite = values.array().isFinite().count();
  if (2 * finite < values.size()) return infinity;
  const double value =
      values.array().isFinite().select(values.array(), 0.0).sum() / double(finite) +
      (finite < values.size() ? too_wide : 0.0);
  const double out =
      value - 0.5 * log_det - 0.5 * double(d) * (1.0 + std::log(2.0 * std::numbers::pi));
  return std::isfinite(out) ? out : infinity;
}

double rough_nelbo(const FunctionTarget& target, const Vector& mean, const Matrix& covariance,
                   std::uint64_t seed, Index& evaluations) {
  const Eigen::LLT<Matrix> llt(covariance);
  if (llt.info() != Eigen::Success) return infinity;
  const Matrix L = llt.matrixL();
  return rough_nelbo(target, mean, L * Draws(seed, 0).normals(77, mean.size(), probe_pairs),
                     2.0 * L.diagonal().array().log().sum(), evaluations);
}

bool is_power_of_two(std::int64_t n) { return n >= 2 && (n & (n - 1)) == 0; }

const auto as_it_is = [](const Vector& g) -> Vector { return g; };

/// Descends to a mode, and lets `look` judge Gaussians on the way, by their rough NELBO, of which best.nelbo is the lowest. If
/// none will do, `round` is asked to try N(at, s²I).
template <class Best, class Look, class Round>
void walk_to_mode(const FunctionTarget& target, const Vector& from, std::uint64_t seed, Best& best,
                  Look look, Round round) {
  const Index d = target.dimension();
  Height height{target, &best.evaluations};
  State state(Euclidean(from), Identity(d), seed);
  Vector widest = from;  // where a round Gaussian is tried if none that was learnt will do
  double lowest = infinity;
  int worse = 0;  // looks in a row at Gaussians that were far from the best
  const Observer<State<Euclidean, Identity>> observe = [&](const Record& r, const auto& s) {
    if (s.objective < lowest && r.iteration <= 8) {
      lowest = s.objective;
      widest = s.frame.point();
    }
    if (s.secants.empty() || !(r.last || is_power_of_two(r.iteration))) return;
    const double nelbo = look(s.frame.point(), s.secants);
    worse = nelbo > best.nelbo + 10.0 + double(d) ? worse + 1 : 0;
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
    for (const double s : {1.0, 0.3, 0.1, 0.01}) round(widest, s);
}

}  // namespace

Vector start_point(Index dimension, std::uint64_t seed, Index n) {
  if (n == 0) return Vector::Zero(dimension);
  return ((4.0 * Draws(seed, std::uint64_t(n)).uniforms(78, dimension, 1)).array() - 2.0).matrix();
}

GaussianStart gaussian_start(const FunctionTarget& target, const Vector& from, std::uint64_t seed) {
  const Index d = target.dimension();
  GaussianStart best{from, Matrix::Identity(d, d), infinity, 0};
  const auto probe = [&](const Vector& at, const Matrix& covariance) {
    const double nelbo = rough_nelbo(target, at, covariance, seed, best.evaluations);
    if (nelbo < best.nelbo) {
      best.mean = at;
      best.covariance = covariance;
      best.nelbo = nelbo;
    }
    return nelbo;
  };
  walk_to_mode(
      target, from, seed, best,
      [&](const Vector& at, const SecantPairs& secants) {
        Matrix H(d, d);
        for (Index j = 0; j < d; ++j) H.col(j) = secants.times(Vector::Unit(d, j), as_it_is);
        return probe(at, 0.5 * (H + H.transpose()));
      },
      [&](const Vector& at, double s) { probe(at, s * s * Matrix::Identity(d, d)); });
  return best;
}

LowRankStart low_rank_start(const FunctionTarget& target, const Vector& from, Index rank,
                            std::uint64_t seed) {
  const Index d = target.dimension();
  const Draws draws(seed, 0);
  const Matrix normals = draws.normals(77, d + rank, probe_pairs);
  LowRankStart best{from, Vector::Ones(d), Matrix::Zero(d, rank), infinity, 0};
  const auto probe = [&](const Vector& at, const Vector& s, const Matrix& G, double log_det) {
    const Matrix steps = s.asDiagonal() * (normals.topRows(d) + G * normals.bottomRows(rank));
    const double nelbo = rough_nelbo(target, at, steps, log_det, best.evaluations);
    if (nelbo < best.nelbo) {
      best.mean = at;
      best.s = s;
      best.F = s.asDiagonal() * G;
      best.nelbo = nelbo;
    }
    return nelbo;
  };
  const auto spread = [&](const Matrix& U, const Vector& squares, const Vector& at,
                          const Vector& s) {
    const Vector used = squares.cwiseMax(least_factor * least_factor);
    return probe(at, s, U * used.cwiseSqrt().asDiagonal(),
                 2.0 * s.array().log().sum() + used.array().log1p().sum());
  };
  // More directions than asked for make the iteration faster.
  const Matrix first = thin_qr(draws.normals(79, d, std::min(d, rank + 4))).Q;
  walk_to_mode(
      target, from, seed, best,
      [&](const Vector& at, const SecantPairs& secants) {
        const Vector precision = secants.precision_diagonal();
        if (!(precision.minCoeff() > 0.0) || !precision.allFinite()) return infinity;
        const Vector s = precision.cwiseSqrt().cwiseInverse();
        // The largest eigenvalues of diag(s)⁻¹H diag(s)⁻¹.
        Matrix U = first, image(d, first.cols());
        for (int sweep = 0; sweep < 10; ++sweep) {
          for (Index k = 0; k < U.cols(); ++k)
            image.col(k) = secants.times(U.col(k).cwiseQuotient(s), as_it_is).cwiseQuotient(s);
          if (sweep < 9) U = thin_qr(image).Q;
        }
        Matrix small = U.transpose() * image;
        small = 0.5 * (small + small.transpose()).eval();
        const Eigen::SelfAdjointEigenSolver<Matrix> eigen(small);
        if (eigen.info() != Eigen::Success) return infinity;
        return spread(U * eigen.eigenvectors().rightCols(rank),
                      eigen.eigenvalues().tail(rank).array() - 1.0, at, s);
      },
      [&](const Vector& at, double s) {
        spread(first.leftCols(rank), Vector::Zero(rank), at, Vector::Constant(d, s));
      });
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
