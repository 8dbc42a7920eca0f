// What "converged" says of every method of minimize, on problems whose minimum is known.
#include "fisherman/fit/minimize.hpp"

#include <gtest/gtest.h>

#include "fisherman/fit/driver.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/manifold/sphere.hpp"
#include "fisherman/manifold/stiefel.hpp"
#include "setting_text.hpp"
#include "toy.hpp"

namespace fisherman::fit_minimize_test {
namespace {

const Stop never([](const Record&) { return std::optional<Status>(); });

/// ½Σλₖxₖ² with the Fisher information of N(x, Λ⁻¹), and gradients with noise.
struct Bowl {
  Vector curvature;
  double noise = 0.0;
  Vector gradient(const AnyFrame& x, const Draws& draws) const {
    return x.pull(Matrix(curvature.cwiseProduct(x.point()) +
                         noise * draws.normals(0, curvature.size(), 1).col(0)));
  }
  Matrix scores(const AnyFrame& x, const Draws& draws) const {
    return x.pull(
        Matrix(curvature.cwiseSqrt().asDiagonal() * draws.normals(1, curvature.size(), 10)));
  }
  double objective(const AnyFrame& x) const {
    return 0.5 * x.point().dot(curvature.cwiseProduct(x.point()));
  }
  FisherOperator fisher(const AnyFrame&) const {
    return {[c = curvature](const Vector& v) -> Vector { return c.cwiseProduct(v); },
            [c = curvature](const Vector& v) -> Vector { return v.cwiseQuotient(c); }};
  }
};

/// −½ tr XᵀAX with A = diag(1 … n)·scale.
struct Rayleigh {
  Index n, p;
  double scale;
  Matrix image(const AnyFrame& x) const {
    const Vector eigenvalues = scale * Vector::LinSpaced(n, 1.0, double(n));
    return eigenvalues.asDiagonal() * as_matrix(x.point().data(), n, p);
  }
  Vector gradient(const AnyFrame& x, const Draws&) const {
    return x.pull(Matrix(-as_vector(image(x))));
  }
  double objective(const AnyFrame& x) const { return -0.5 * x.point().dot(as_vector(image(x))); }
  double best() const { return -0.5 * scale * Vector::LinSpaced(n, 1.0, double(n)).tail(p).sum(); }
};

template <class M>
FitSummary minimised(const AnyFrame& start, const M& model, const MinimizeSettings& s) {
  ErasedRun run = make_run(start, AnyModel::of<AnyFrame>(model), s);
  return drive(run, never, {});
}

using Method = MinimizeMethod;

MinimizeSettings settings(MinimizeMethod method, double step_size = 0.0) {
  MinimizeSettings s;
  s.method = method;
  s.step_size = step_size;
  return s;
}

constexpr double tolerance = 0.01;  // what is left to the method

TEST(Minimize, ConvergedHoldsOnBowlsOfAnyShape) {
  int converged = 0;
  std::vector<MinimizeSettings> all;
  for (const Method method : {Method::gd, Method::adam, Method::ngd, Method::ifngd, Method::ifngd})
    all.push_back(settings(method));
  all.back().fisher = FisherChoice::window;
  for (const MinimizeSettings& s : all)
    for (const double scale : {1e-3, 1e-2, 0.1, 1.0})
      for (const double condition : {1.0, 30.0, 1000.0})
        for (const double distance : {1.0, 10.0}) {
          Vector curvature(4);
          for (Index k = 0; k < 4; ++k)
            curvature(k) = scale * std::pow(condition, -double(k) / 3.0);
          const Bowl bowl{curvature};
          const FitSummary end = minimised(Euclidean(Vector::Constant(4, distance)), bowl, s);
          if (end.status != Status::converged) continue;
          ++converged;
          EXPECT_LT(end.objective, 1.5 * tolerance)
              << setting_text(s, "method") << ", fisher " << setting_text(s, "fisher") << ", scale "
              << scale << ", condition " << condition << ", from " << distance << " after "
              << end.iterations;
        }
  EXPECT_GT(converged, 60);
}

TEST(Minimize, ConvergedHoldsOnSpheresAndFrames) {
  int converged = 0;
  for (const Method method : {Method::gd, Method::adam})
    for (const double scale : {1e-2, 0.1, 1.0})
      for (const Index p : {1, 3}) {
        const Rayleigh model{12, p, scale};
        const Matrix X = toy::random_orthonormal(12, p, 5);
        const AnyFrame start = p == 1 ? AnyFrame(Sphere(X.col(0))) : AnyFrame(Stiefel(X));
        const FitSummary end =
            minimised(start, model, settings(method, method == Method::gd ? 0.1 : 0.0));
        if (end.status != Status::converged) continue;
        ++converged;
        EXPECT_LT(end.objective - model.best(), 1.5 * tolerance)
            << setting_text(settings(method), "method") << ", scale " << scale << ", p " << p
            << " after " << end.iterations;
      }
  EXPECT_GE(converged, 6);
}

// One run ends a little nearer or farther by chance; several together do not.
TEST(Minimize, ConvergedHoldsWithNoise) {
  int converged = 0;
  for (const Method method : {Method::gd, Method::adam, Method::ngd, Method::ifngd})
    for (const double noise : {0.01, 0.1, 0.5, 2.0})
      for (const double condition : {1.0, 30.0}) {
        const Bowl bowl{Vector{{1.0, 1.0 / condition}}, noise};
        double sum = 0.0;
        int runs = 0;
        for (int seed = 1; seed <= 10; ++seed) {
          MinimizeSettings s = settings(method);
          s.seed = seed;
          const FitSummary end = minimised(Euclidean(Vector::Constant(2, 3.0)), bowl, s);
          if (end.status != Status::converged) continue;
          sum += end.objective;
          ++runs;
        }
        EXPECT_LT(sum, 2.0 * tolerance * std::max(runs, 4))
            << setting_text(settings(method), "method") << ", noise " << noise << ", condition "
            << condition << ", " << runs << " runs";
        converged += runs;
      }
  EXPECT_GT(converged, 60);
}

}  // namespace
}  // namespace fisherman::fit_minimize_test
