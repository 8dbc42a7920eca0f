#include <Eigen/LU>

#include "fisherman/core/spectral.hpp"
#include "fisherman/fit/registry.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/manifold/extrinsic.hpp"
#include "fisherman/manifold/factored_rank.hpp"
#include "fisherman/manifold/fixed_rank.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/manifold/grassmann.hpp"
#include "fisherman/manifold/power.hpp"
#include "fisherman/manifold/product.hpp"
#include "fisherman/manifold/spd.hpp"
#include "fisherman/manifold/sphere.hpp"
#include "fisherman/manifold/stiefel.hpp"
#include "random_points.hpp"

namespace fisherman {
namespace manifold_examples {
namespace {

using testing::FrameLawOptions;

/// A metric of symmetric matrices, as one of flat vectors.
FrameLawOptions spd_laws(Index n, int order,
                         std::function<double(const Matrix&, const Matrix&)> g) {
  return {.metric =
              [n, g](const Vector& a, const Vector& b) {
                return g(as_matrix(a.data(), n, n), as_matrix(b.data(), n, n));
              },
          .order = order};
}

/// The same of (mean, covariance): `of_mean` for the mean's part.
FrameLawOptions gaussian_laws(Index n, int order,
                              std::function<double(const Vector&, const Vector&)> of_mean,
                              std::function<double(const Matrix&, const Matrix&)> g) {
  return {.metric =
              [=](const Vector& a, const Vector& b) {
                return of_mean(a.head(n), b.head(n)) +
                       g(as_matrix(a.data() + n, n, n), as_matrix(b.data() + n, n, n));
              },
          .order = order};
}

double dot(const Vector& a, const Vector& b) { return a.dot(b); }
double trace(const Matrix& a, const Matrix& b) { return (a * b).trace(); }

auto affine_metric(const Matrix& sigma, double scale) {
  return [inverse = Matrix(sigma.inverse()), scale](const Matrix& a, const Matrix& b) {
    return scale * (inverse * a * inverse * b).trace();
  };
}

auto wasserstein_metric(const Matrix& sigma) {
  return [s = spectrum(sigma), sigma](const Matrix& a, const Matrix& b) {
    return (lyapunov(s, a) * sigma * lyapunov(s, b)).trace();
  };
}

/// tr(D log[a] D log[b]), D log by divided differences.
auto log_euclidean_metric(const Matrix& sigma) {
  return [s = spectrum(sigma)](const Matrix& a, const Matrix& b) {
    const auto differential = [&s](const Matrix& m) {
      Matrix out = s.P.transpose() * m * s.P;
      for (Index i = 0; i < out.rows(); ++i)
        for (Index j = 0; j < out.cols(); ++j) {
          const double x = s.values(i), y = s.values(j);
          out(i, j) *= i == j ? 1.0 / x : std::log(x / y) / (x - y);
        }
      return out;
    };
    return (differential(a) * differential(b)).trace();
  };
}

using Seed = std::uint64_t;

FrameExample euclidean(const Sizes& n, Seed seed) {
  return {Euclidean(random_vector(n[0], seed)), {.embedded = true, .order = 2}, true};
}

FrameExample gaussian_fisher_rao(const Sizes& n, Seed seed) {
  const Matrix S = random_spd(n[0], seed), inverse = S.inverse();
  const auto of_mean = [inverse](const Vector& a, const Vector& b) { return a.dot(inverse * b); };
  return {gaussian_affine(random_vector(n[0], seed), S),
          gaussian_laws(n[0], 1, of_mean, affine_metric(S, 0.5))};
}

FrameExample gaussian_bw(const Sizes& n, Seed seed) {
  const Matrix S = random_spd(n[0], seed);
  return {gaussian_bures_wasserstein(random_vector(n[0], seed), S),
          gaussian_laws(n[0], 2, dot, wasserstein_metric(S)), true};
}

FrameExample gaussian_flat(const Sizes& n, Seed seed) {
  return {gaussian_euclidean(random_vector(n[0], seed), random_spd(n[0], seed)),
          gaussian_laws(n[0], 1, dot, trace), true};
}

FrameExample spd_affine(const Sizes& n, Seed seed) {
  const Matrix S = random_spd(n[0], seed);
  return {SpdAffine(S), spd_laws(n[0], 2, affine_metric(S, 1.0)), true};
}

FrameExample spd_bw(const Sizes& n, Seed seed) {
  const Matrix S = random_spd(n[0], seed);
  return {SpdBuresWasserstein(S), spd_laws(n[0], 2, wasserstein_metric(S)), true};
}

FrameExample spd_log(const Sizes& n, Seed seed) {
  const Matrix S = random_spd(n[0], seed);
  return {SpdLogEuclidean(S), spd_laws(n[0], 2, log_euclidean_metric(S)), true};
}

FrameExample spd_flat(const Sizes& n, Seed seed) {
  return {SpdEuclidean(random_spd(n[0], seed)), spd_laws(n[0], 1, trace), true};
}

/// Polar is second order; Cayley's on O(n) and on spheres only.
template <StiefelRetraction retraction>
FrameExample stiefel(const Sizes& n, Seed seed) {
  constexpr bool cayley = retraction == StiefelRetraction::cayley;
  const bool square = n[0] == n[1];
  const bool second = retraction == StiefelRetraction::polar || (cayley && (square || n[1] == 1));
  return {Stiefel(random_orthonormal(n[0], n[1], seed), retraction),
          {.embedded = true, .order = second ? 2 : 1, .exp_log = square},
          cayley};
}

FrameExample orthogonal(const Sizes& n, Seed seed) {
  return stiefel<StiefelRetraction::cayley>({n[0], n[0]}, seed);
}

/// Second order as subspaces, but not as the orthonormal bases that stand for them.
template <GrassmannRetraction retraction>
FrameExample grassmann(const Sizes& n, Seed seed) {
  return {Grassmann(random_orthonormal(n[0], n[1], seed), retraction),
          {.embedded = true, .order = 1},
          retraction == GrassmannRetraction::exponential};
}

FrameExample fixed_rank(const Sizes& n, Seed seed) {
  const Matrix X = random_matrix(n[0], n[2], seed) * random_matrix(n[2], n[1], seed + 1000);
  return {FixedRank(X, n[2]), {.embedded = true, .order = 2}, true};
}

FrameExample factored_rank(const Sizes& n, Seed seed) {
  return {FactoredRank(random_matrix(n[0], n[2], seed), random_matrix(n[1], n[2], seed + 1000)),
          {.embedded = true, .order = 1}};
}

FrameExample sphere(const Sizes& n, Seed seed) {
  return {Sphere(random_vector(n[0], seed)), {.embedded = true, .order = 2}, true};
}

FrameExample oblique(const Sizes& n, Seed seed) {
  return {Oblique(random_matrix(n[0], n[1], seed)), {.embedded = true, .order = 2}, true};
}

FrameExample product(const Sizes& n, Seed seed) {
  return {Product(Euclidean(random_vector(n[0], seed)), Sphere(random_vector(n[0], seed + 1000)),
                  Stiefel(random_orthonormal(n[0], n[0], seed))),
          {.embedded = true, .order = 2},
          true};
}

FrameExample power(const Sizes& n, Seed seed) {
  std::vector<Sphere> spheres;
  for (Index k = 0; k < n[1]; ++k)
    spheres.emplace_back(random_vector(n[0], seed + 1000 * std::uint64_t(k)));
  return {Power(std::move(spheres)), {.embedded = true, .order = 2}};
}

FrameExample extrinsic(const Sizes& n, Seed seed) {
  return {Extrinsic(Sphere(random_vector(n[0], seed))), {.embedded = true, .order = 2}};
}

std::vector<Named<FrameExample>> all_manifolds() {
  using S = StiefelRetraction;
  using G = GrassmannRetraction;
  return {
      {"euclidean", "vectors", "n", {5}, euclidean},
      {"gaussian-affine", "Gaussians, Fisher-Rao's metric", "n", {3}, gaussian_fisher_rao},
      {"gaussian-bw", "Gaussians, Bures-Wasserstein metric", "n", {3}, gaussian_bw},
      {"gaussian-euclidean", "Gaussians, entry by entry", "n", {3}, gaussian_flat},
      {"spd-affine", "positive definite matrices, affine-invariant", "n", {4}, spd_affine},
      {"spd-bw", "positive definite matrices, Bures-Wasserstein", "n", {4}, spd_bw},
      {"spd-log-euclidean", "positive definite matrices by their logarithm", "n", {4}, spd_log},
      {"spd-euclidean", "positive definite matrices, entry by entry", "n", {4}, spd_flat},
      {"stiefel", "p orthonormal columns, Cayley's retraction", "n,p", {6, 2}, stiefel<S::cayley>},
      {"stiefel-polar", "the same, polar retraction", "n,p", {6, 2}, stiefel<S::polar>},
      {"stiefel-qr", "the same, QR retraction", "n,p", {6, 2}, stiefel<S::qr>},
      {"orthogonal", "orthogonal matrices", "n", {4}, orthogonal},
      {"grassmann", "p-dimensional subspaces", "n,p", {6, 2}, grassmann<G::exponential>},
      {"grassmann-polar", "the same, polar retraction", "n,p", {6, 2}, grassmann<G::polar>},
      {"grassmann-qr", "the same, QR retraction", "n,p", {6, 2}, grassmann<G::qr>},
      {"fixed-rank", "m×n matrices of rank r", "m,n,r", {6, 5, 2}, fixed_rank},
      {"factored-rank",
       "the same as two factors, in a gauge that moves along",
       "m,n,r",
       {6, 5, 2},
       factored_rank},
      {"sphere", "unit vectors", "n", {4}, sphere},
      {"oblique", "p columns, each a unit vector", "n,p", {4, 3}, oblique},
      {"product", "several side by side: ℝⁿ, a sphere and O(n)", "n", {3}, product},
      {"power", "k of one kind side by side: spheres", "n,k", {4, 3}, power},
      {"extrinsic", "the ambient space of a sphere, as baseline", "n", {4}, extrinsic},
  };
}

}  // namespace
}  // namespace manifold_examples

const std::vector<Named<FrameExample>>& manifolds() {
  static const std::vector<Named<FrameExample>> all = manifold_examples::all_manifolds();
  return all;
}

testing::LawReport check_laws(const FrameExample& example, std::uint64_t seed) {
  testing::FrameLawOptions options = example.laws;
  options.seed = seed;
  testing::LawReport report = testing::check_frame(example.frame, options);
  if (example.transport) report.add(testing::check_transport(example.frame, options));
  return report;
}

}  // namespace fisherman
