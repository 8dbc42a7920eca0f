// Mistakes of a user's that are found at the start of a run, and good models that are not accused.
#include "fisherman/solve/start_checks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "expect_laws.hpp"
#include "fisherman/fit/registry.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/manifold/sphere.hpp"
#include "toy.hpp"

namespace fisherman::solve_start_checks_test {
namespace {

using Verdict = SlopeCheck::Verdict;

/// f and its derivative at single points of a line.
struct Curve {
  const char* name;
  std::function<double(double)> f, slope;
  double largest = 1e12;  // scale
};

std::vector<Curve> curves() {
  return {
      {"parabola", [](double x) { return 0.5 * x * x; }, [](double x) { return x; }},
      {"Laplace", [](double x) { return std::abs(x); },
       [](double x) { return x > 0.0   ? 1.0
                             : x < 0.0 ? -1.0
                                       : 0.0; }},
      {"ReLU", [](double x) { return std::max(0.0, x); },
       [](double x) { return x > 0.0 ? 1.0 : 0.0; }},
      {"Student's", [](double x) { return std::log1p(x * x); },
       [](double x) { return 2.0 * x / (1.0 + x * x); }},
      {"exponential", [](double x) { return std::exp(std::min(x, 300.0)); },
       [](double x) { return x < 300.0 ? std::exp(x) : 0.0; }},
      // Its waves are longer than the shortest distance, up to scales of 1e3.
      {"rough", [](double x) { return x * x + 1e-3 * std::sin(1e4 * x); },
       [](double x) { return 2.0 * x + 10.0 * std::cos(1e4 * x); }, 1e3},
      {"cubic", [](double x) { return x * x * x; }, [](double x) { return 3.0 * x * x; }},
      {"constant", [](double) { return 3.0; }, [](double) { return 0.0; }},
  };
}

TEST(StartChecks, GoodSlopesAreNotAccused) {
  for (const Curve& c : curves())
    for (double scale = 1e-12; scale < 2.0 * c.largest; scale *= 1e3)
      for (double height : {1e-12, 1.0, 1e12})
        for (const double x : {0.0, 1e-6, 1e-3, 0.37, -1.0, 2.5, 40.0})
          for (const bool single : {false, true}) {
            const auto rounded = [&](double v) { return single ? double(float(v)) : v; };
            const auto f = [&](double t) {
              return rounded(height * c.f(rounded(scale * rounded(x + t))));
            };
            const SlopeCheck check =
                check_slope(f, rounded(height * scale * c.slope(rounded(scale * x))));
            EXPECT_NE(check.verdict, Verdict::differs)
                << c.name << " at " << x << ", scale " << scale << ", height " << height
                << (single ? ", float32" : "") << ": " << check.claimed << " for " << check.found;
          }
}

TEST(StartChecks, WrongSlopesAreFound) {
  for (const double factor : {-1.0, 0.5, 2.0, -100.0})
    for (double scale = 1e-12; scale < 2e12; scale *= 1e3)
      for (const double x : {1e-3, 0.37, -1.0, 2.5}) {
        const SlopeCheck check =
            check_slope([&](double t) { return 0.5 * std::pow(scale * (x + t), 2.0); },
                        factor * scale * scale * x);
        EXPECT_EQ(check.verdict, Verdict::differs) << factor << " at " << x << ", scale " << scale;
        EXPECT_NEAR(check.ratio(), factor, 0.03 * std::abs(factor));
      }
  // float32 values too, where they have the digits.
  const SlopeCheck single =
      check_slope([](double t) { return double(float(0.5 * (0.37 + t) * (0.37 + t))); }, -0.37);
  EXPECT_EQ(single.verdict, Verdict::differs);
  // At a kink, at the minimum and on a plain nothing can be said.
  for (const auto& f : std::vector<std::function<double(double)>>{
           [](double t) { return std::abs(t); }, [](double t) { return t * t; },
           [](double) { return 1.0; }, [](double t) { return std::max(0.0, t); }})
    EXPECT_NE(check_slope(f, 0.3).verdict, Verdict::differs);
}

FunctionTarget normal(double sign, double scale = 1.0) {
  return {3, [=](const Matrix& x, Matrix& g) -> Vector {
            g = -sign * x / (scale * scale);
            return -0.5 * x.colwise().squaredNorm() / (scale * scale);
          }};
}

TEST(StartChecks, ADensityOfTheWrongSignIsAnError) {
  const Matrix draws = Draws(1, 0).normals(0, 3, 20);
  for (const double scale : {1e-12, 1e-3, 1.0, 1e12}) {
    EXPECT_TRUE(check_target(normal(1.0, scale), draws).ok());
    const StartReport wrong = check_target(normal(-1.0, scale), draws);
    ASSERT_EQ(wrong.errors.size(), 1U) << scale;
    EXPECT_EQ(wrong.errors[0],
              "The gradient of the log density looks like it has the wrong sign: it is -1.00 times "
              "the finite difference of the log density along a random direction.");
    expect_misuse([&] { wrong.require_no_errors(); }, "wrong sign");
  }
  const StartReport half = check_target(normal(0.5), draws);
  EXPECT_TRUE(half.errors.empty());
  ASSERT_EQ(half.warnings.size(), 1U);
  EXPECT_NE(half.warnings[0].find("wrong by a factor: it is 0.50 times"), std::string::npos);
  const FunctionTarget other(3, [](const Matrix& x, Matrix& g) -> Vector {
    g = -x;
    g.row(1) *= 3.0;
    return -0.5 * x.colwise().squaredNorm();
  });
  const StartReport unlike = check_target(other, draws);
  ASSERT_EQ(unlike.warnings.size(), 1U);
  EXPECT_NE(unlike.warnings[0].find("does not match"), std::string::npos);
  const FunctionTarget infinite(3, [](const Matrix& x, Matrix& g) -> Vector {
    g = x;
    return x.row(0).array().log();
  });
  const StartReport bad = check_target(infinite, draws);
  ASSERT_EQ(bad.errors.size(), 1U);
  EXPECT_NE(bad.errors[0].find("not finite at"), std::string::npos);
}

TEST(StartChecks, ADensityMayBeFiniteAtSomeDrawsOnly) {
  const Matrix draws = Draws(1, 0).normals(0, 3, 20);
  const auto half = [](double sign) {
    return FunctionTarget(3, [=](const Matrix& x, Matrix& g) -> Vector {
      g = -x;
      g.row(0) += x.row(0).cwiseInverse();
      g *= sign;
      return x.row(0).array().log() - 0.5 * x.colwise().squaredNorm().array();
    });
  };
  EXPECT_TRUE(check_target(half(1.0), draws, {.everywhere = false}).ok());
  const StartReport wrong = check_target(half(-1.0), draws, {.everywhere = false});
  ASSERT_EQ(wrong.errors.size(), 1U);
  EXPECT_NE(wrong.errors[0].find("wrong sign"), std::string::npos);
  EXPECT_TRUE(check_target(half(-1.0), draws, {.everywhere = false, .gradients = false}).ok());
  const FunctionTarget never(3, [](const Matrix& x, Matrix& g) -> Vector {
    g = x;
    return Vector::Constant(x.cols(), std::nan(""));
  });
  const StartReport nowhere = check_target(never, draws, {.everywhere = false});
  ASSERT_EQ(nowhere.errors.size(), 1U);
  EXPECT_NE(nowhere.errors[0].find("20 of 20 draws"), std::string::npos);
  EXPECT_NE(nowhere.errors[0].find("never finite"), std::string::npos);
}

/// A model whose gradient is a multiple of what it should be.
struct Off {
  toy::Attraction inner;
  double factor;
  double level = 0.0;
  Vector gradient(const AnyFrame& f, const Draws& d) const { return factor * inner.gradient(f, d); }
  double objective(const AnyFrame& f) const { return inner.objective(f) + level; }
};

StartReport checked(const Off& off, const AnyFrame& frame) {
  AnyModel model = AnyModel::of<AnyFrame>(off);
  return check_model(model, frame);
}

TEST(StartChecks, AModelOfTheWrongSignIsAnError) {
  for (const auto& m : manifolds()) {
    const AnyFrame frame = m.make(m.usual, 3).frame;
    for (const double noise : {0.0, 0.01, 0.3}) {
      const toy::Attraction model{frame.point() + toy::random_vector(frame.point().size(), 7), 1,
                                  noise};
      EXPECT_TRUE(checked({model, 1.0}, frame).ok()) << m.name << ", noise " << noise;
      const StartReport wrong = checked({model, -1.0}, frame);
      ASSERT_EQ(wrong.errors.size(), 1U) << m.name << ", noise " << noise;
      EXPECT_NE(wrong.errors[0].find("wrong sign"), std::string::npos) << wrong.errors[0];
      const StartReport third = checked({model, 1.0 / 3.0}, frame);
      EXPECT_TRUE(third.errors.empty()) << m.name;
      EXPECT_EQ(third.warnings.size(), 1U) << m.name << ", noise " << noise;
    }
    // At the optimum, and in noise that drowns the gradient, there is nothing to say.
    const toy::Attraction here{frame.point(), 1, 0.0}, loud{frame.point(), 1, 1e3};
    EXPECT_TRUE(checked({here, 1.0}, frame).ok()) << m.name;
    EXPECT_TRUE(checked({loud, 1.0}, frame).ok()) << m.name;
  }
}

TEST(StartChecks, ScalesOfAModelDoNotMatter) {
  for (const double size : {1e-12, 1e-6, 1.0, 1e6, 1e12}) {
    const AnyFrame frame = Euclidean(Vector(size * toy::random_vector(5, 1)));
    const toy::Attraction model{size * toy::random_vector(5, 2), 1, 0.0};
    EXPECT_TRUE(checked({model, 1.0}, frame).ok()) << size;
    EXPECT_EQ(checked({model, -1.0}, frame).errors.size(), 1U) << size;
  }
}

TEST(StartChecks, WhatIsNotFiniteIsSaid) {
  const AnyFrame frame = Euclidean(Vector::Ones(3));
  const toy::Attraction model{Vector::Zero(3), 1, 0.0};
  const StartReport objective = checked({model, 1.0, NAN}, frame);
  ASSERT_EQ(objective.errors.size(), 1U);
  EXPECT_EQ(objective.errors[0], "The objective is not finite at the start.");
  const StartReport gradient = checked({model, INFINITY}, frame);
  ASSERT_EQ(gradient.errors.size(), 1U);
  EXPECT_EQ(gradient.errors[0], "The gradient is not finite at the start.");
}

/// The unit sphere with a mistake in it: a redundant frame that projects.
struct BrokenSphere {
  enum class Mistake { none, off, stands_still, shifted, slow, transpose };
  Vector x;
  Mistake mistake;
  Index dimension() const { return x.size(); }
  Vector point() const { return x; }
  Matrix pull(const Matrix& E) const {
    const Matrix projected = E - x * (x.transpose() * E);
    return mistake == Mistake::transpose ? Matrix(2.0 * projected) : projected;
  }
  Vector push(const Vector& v) const { return v - x * x.dot(v); }
  BrokenSphere retract(const Vector& v) const {
    const Vector u = push(v);
    switch (mistake) {
      case Mistake::off:
        return {x + u, mistake};
      case Mistake::stands_still:
        return *this;
      case Mistake::shifted:
        return {(x + u + Vector::Unit(x.size(), 0)).normalized(), mistake};
      case Mistake::slow:
        return {(x + 0.5 * u).normalized(), mistake};
      default:
        return {(x + u).normalized(), mistake};
    }
  }
};

TEST(StartChecks, ABrokenRetractionIsFound) {
  using Mistake = BrokenSphere::Mistake;
  const Vector x = toy::random_vector(6, 4).normalized();
  const auto report = [&](Mistake mistake) {
    const StartReport r = check_manifold(BrokenSphere{x, mistake});
    return r.errors.empty() ? r.warnings.empty() ? "" : r.warnings[0] : r.errors[0];
  };
  EXPECT_EQ(report(Mistake::none), "");
  EXPECT_NE(report(Mistake::off).find("leaves the manifold"), std::string::npos);
  EXPECT_NE(report(Mistake::stands_still).find("set out along push(v)"), std::string::npos);
  EXPECT_NE(report(Mistake::shifted).find("retract(0) is not the point"), std::string::npos);
  EXPECT_NE(report(Mistake::slow).find("set out along push(v)"), std::string::npos);
  EXPECT_NE(report(Mistake::transpose).find("pull is not the transpose"), std::string::npos);
}

TEST(StartChecks, OurOwnManifoldsAreNotAccused) {
  for (const auto& m : manifolds())
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const StartReport report = check_manifold(m.make(m.usual, seed).frame, seed);
      for (const std::string& said : report.errors) ADD_FAILURE() << m.name << ": " << said;
      for (const std::string& said : report.warnings) ADD_FAILURE() << m.name << ": " << said;
    }
}

}  // namespace
}  // namespace fisherman::solve_start_checks_test
