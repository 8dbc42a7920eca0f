#include "fisherman/model/likelihood.hpp"

#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "fisherman/model/normal_quadrature.hpp"
#include "fisherman/model/scalar_prior.hpp"

namespace fisherman::model_likelihood_test {
namespace {

/// Outcomes and trials that a likelihood knows.
std::vector<std::pair<double, double>> outcomes_of(const Likelihood& l) {
  if (l.binary()) return {{0, 1}, {1, 1}, {0, 7}, {3, 7}, {7, 7}};
  if (!l.trouble(0.5, 1).empty()) return {{0, 1}, {1, 1}, {4, 1}, {250, 1}};
  if (!l.trouble(-1.0, 1).empty()) return {{0.02, 1}, {1.0, 1}, {37.0, 1}};
  return {{-3.0, 1}, {0.4, 1}, {25.0, 1}};
}

Vector usual_extra(const Likelihood& l) {
  return l.extra().size() == 2 ? Vector{{0.3, 1.2}}
                               : Vector::Constant(Index(l.extra().size()), 0.3);
}

/// The whole Jet as one row, as expect() has it.
Vector flat(const Jet& jet, Index extras) {
  Vector out(Likelihood::columns_for(1 + extras));
  out(0) = jet.value;
  for (Index k = 0; k <= extras; ++k) out(1 + k) = jet.d[std::size_t(k)];
  for (Index k = 0; k < (1 + extras) * (2 + extras) / 2; ++k)
    out(2 + extras + k) = jet.dd[std::size_t(k)];
  return out;
}

TEST(Likelihood, DerivativesAreThoseOfTheValue) {
  for (const auto& l : scalar_likelihoods())
    for (const auto& [y, trials] : outcomes_of(*l))
      for (const double eta : {-3.0, -0.2, 0.9, 2.5}) {
        const auto extras = Index(l->extra().size());
        Vector at(1 + extras);
        at << eta, usual_extra(*l);
        const auto jet = [&, y = y, trials = trials](const Vector& x) {
          return l->at(y, trials, x(0), x.data() + 1);
        };
        const Jet here = jet(at);
        constexpr double h = 1e-5;
        for (Index k = 0; k <= extras; ++k) {
          Vector up = at, down = at;
          up(k) += h, down(k) -= h;
          const Jet high = jet(up), low = jet(down);
          const auto close = [&](double analytic, double numeric, double size) {
            // Central differences: h² of the third derivative, and rounding over h.
            EXPECT_NEAR(analytic, numeric, 1e-7 * (1.0 + size))
                << l->name() << " y " << y << " eta " << eta << " k " << k;
          };
          close(here.d[std::size_t(k)], (high.value - low.value) / (2 * h),
                std::abs(here.value) + std::abs(here.d[std::size_t(k)]));
          for (Index j = k; j <= extras; ++j)  // derivative in k of the slope in j
            close(here.dd[std::size_t(j * (j + 1) / 2 + k)],
                  (high.d[std::size_t(j)] - low.d[std::size_t(j)]) / (2 * h),
                  std::abs(here.d[std::size_t(j)]) +
                      std::abs(here.dd[std::size_t(j * (j + 1) / 2 + k)]));
        }
      }
}

// The constants are right: probabilities add up to 1. Densities are integrated over log y, or y itself.
TEST(Likelihood, IsAProbabilityDistribution) {
  for (const auto& l : scalar_likelihoods()) {
    const Vector psi = usual_extra(*l);
    const double eta = 0.7;
    double total = 0.0, mean = 0.0;
    const auto add = [&](double y, double trials, double share) {
      const double p = share * std::exp(l->at(y, trials, eta, psi.data()).value);
      total += p;
      mean += p * y / trials;
    };
    if (l->binary())
      for (int y = 0; y <= 7; ++y) add(y, 7, 1.0);
    else if (!l->trouble(0.5, 1).empty())
      for (int y = 0; y < 400; ++y) add(y, 1, 1.0);
    else if (!l->trouble(-1.0, 1).empty())
      for (double u = -40.0; u < 8.0; u += 0.001) add(std::exp(u), 1, 0.001 * std::exp(u));
    else  // y = sinh u reaches far into heavy tails
      for (double u = -30.0; u < 30.0; u += 0.001) add(std::sinh(u), 1, 0.001 * std::cosh(u));
    EXPECT_NEAR(total, 1.0, 1e-9) << l->name();
    EXPECT_NEAR(mean, l->mean(eta), 1e-6) << l->name();
  }
}

/// Quadrature of at() on a fine grid in all dimensions.
Vector brute_force(const ScalarLikelihood& l, double y, double trials, const Vector& mean,
                   const Matrix& covariance) {
  const Index d = mean.size(), extras = d - 1;
  const Matrix L = Eigen::LLT<Matrix>(covariance).matrixL();
  const NormalRule rule = d == 1 ? trapezoidal(4000, 0.0025) : trapezoidal(53, 0.15);
  Vector sum = Vector::Zero(Likelihood::columns_for(d)), z(d);
  const Index n = rule.z.size();
  const Index all = d == 1 ? n : d == 2 ? n * n : n * n * n;
  for (Index node = 0; node < all; ++node) {
    double weight = 1.0;
    for (Index k = 0, left = node; k < d; ++k, left /= n) {
      z(k) = rule.z(left % n);
      weight *= rule.weight(left % n);
    }
    if (weight < 1e-25) continue;
    const Vector at = mean + L * z;
    sum += weight * flat(l.at(y, trials, at(0), at.data() + 1), extras);
  }
  return sum;
}

TEST(Likelihood, ExpectationsEqualBruteForceQuadrature) {
  for (const auto& l : scalar_likelihoods())
    for (const auto& [y, trials] : outcomes_of(*l))
      for (const double deviation : {0.05, 0.4, 1.1}) {
        const auto extras = Index(l->extra().size());
        Vector mean(1 + extras);
        mean << 0.6, usual_extra(*l);
        Matrix root = Matrix::Zero(1 + extras, 1 + extras);  // of the covariance
        root(0, 0) = deviation;
        for (Index k = 0; k < extras; ++k) {
          root(k + 1, 0) = 0.1 * (k == 0 ? 1.0 : -1.0);
          root(k + 1, k + 1) = 0.25;
        }
        const Matrix covariance = root * root.transpose();
        PredictorNormals normals{mean.head(1), covariance.topLeftCorner(1, 1),
                                 covariance.block(0, 1, 1, extras), mean.tail(extras),
                                 covariance.bottomRightCorner(extras, extras)};
        Matrix ours(1, l->columns());
        l->expect({Vector::Constant(1, y), Vector::Constant(1, trials), {}}, 0, normals, ours);
        const Vector exact = brute_force(*l, y, trials, mean, covariance);
        for (Index k = 0; k < exact.size(); ++k)
          EXPECT_NEAR(ours(0, k), exact(k), 1e-10 * (1.0 + exact.cwiseAbs().maxCoeff()))
              << l->name() << " y " << y << " sd " << deviation << " column " << k;
      }
}

TEST(Likelihood, ExpectationsAtAPointAreTheFunctionItself) {
  for (const auto& l : scalar_likelihoods())
    for (const auto& [y, trials] : outcomes_of(*l)) {
      const auto extras = Index(l->extra().size());
      const Vector psi = usual_extra(*l);
      Matrix out(1, l->columns());
      l->expect({Vector::Constant(1, y), Vector::Constant(1, trials), {}}, 0,
                {Vector::Constant(1, -0.4), Vector::Zero(1), Matrix::Zero(1, extras), psi,
                 Matrix::Zero(extras, extras)},
                out);
      const Vector exact = flat(l->at(y, trials, -0.4, psi.data()), extras);
      for (Index k = 0; k < exact.size(); ++k)
        EXPECT_NEAR(out(0, k), exact(k), 1e-12 * (1.0 + exact.cwiseAbs().maxCoeff()))
            << l->name() << k;
    }
}

// Far from the outcome, and for wide normals: nothing overflows that has a finite value.
TEST(Likelihood, ExpectationsAreFiniteFarAway) {
  for (const auto& l : scalar_likelihoods()) {
    const auto extras = Index(l->extra().size());
    for (const double mean : {-30.0, 0.0, 30.0})
      for (const double deviation : {1e-6, 1.0, 8.0}) {
        Matrix out(1, l->columns());
        l->expect(
            {Vector::Ones(1), Vector::Ones(1), {}}, 0,
            {Vector::Constant(1, mean), Vector::Constant(1, deviation * deviation),
             Matrix::Zero(1, extras), usual_extra(*l), 0.01 * Matrix::Identity(extras, extras)},
            out);
        EXPECT_TRUE(out.allFinite()) << l->name() << ' ' << mean << ' ' << deviation;
        EXPECT_LE(out(0, 0), 1.0) << l->name();
      }
    Matrix out(1, l->columns());
    EXPECT_THROW(l->expect({Vector::Ones(1), {}, {}}, 0,
                           {Vector::Constant(1, NAN), Vector::Ones(1), Matrix::Zero(1, extras),
                            usual_extra(*l), Matrix::Zero(extras, extras)},
                           out),
                 NotFinite)
        << l->name();
  }
}

// 4,000 draws: a standard error of the mean is 1/63 of a standard deviation, and five of them are the tolerance.
TEST(Likelihood, DrawsHaveItsMeanAndAreReproducible) {
  for (const auto& l : scalar_likelihoods()) {
    const double eta = 1.1, trials = l->binary() ? 5.0 : 1.0;
    const Vector psi = l->extra().size() == 2 ? Vector{{0.3, 2.5}} : usual_extra(*l);
    Vector y(4000);
    for (Index k = 0; k < y.size(); ++k) {
      RandomSequence random(7, std::uint64_t(k));
      y(k) = l->draw(trials, eta, psi.data(), random);
      ASSERT_EQ(l->trouble(y(k), trials), "") << l->name() << ' ' << y(k);
    }
    RandomSequence again(7, 12);
    EXPECT_EQ(l->draw(trials, eta, psi.data(), again), y(12)) << l->name();
    const double mean = y.mean(), sd = std::sqrt((y.array() - mean).square().mean());
    EXPECT_NEAR(mean, trials * l->mean(eta), 5.0 * sd / std::sqrt(4000.0)) << l->name();
  }
}

TEST(RandomSequence, CountsHaveTheirProbabilities) {
  // 20,000 draws: the share of an outcome of probability p has the standard error √(p(1−p)/20000); five of them.
  const auto check = [](auto draw, auto probability, int most) {
    std::vector<int> seen(std::size_t(most) + 1, 0);
    for (int k = 0; k < 20000; ++k) {
      RandomSequence random(3, std::uint64_t(k));
      const double y = draw(random);
      if (y <= most) ++seen[std::size_t(y)];
    }
    for (int y = 0; y <= most; ++y) {
      const double p = probability(y);
      EXPECT_NEAR(seen[std::size_t(y)] / 20000.0, p, 5.0 * std::sqrt(p * (1 - p) / 20000.0) + 1e-9)
          << y;
    }
  };
  check([](RandomSequence& r) { return r.poisson(2.3); },
        [](int y) { return std::exp(y * std::log(2.3) - 2.3 - std::lgamma(y + 1.0)); }, 8);
  check([](RandomSequence& r) { return r.binomial(6, 0.7); },
        [](int y) {
          return std::exp(std::lgamma(7.0) - std::lgamma(y + 1.0) - std::lgamma(7.0 - y) +
                          y * std::log(0.7) + (6 - y) * std::log(0.3));
        },
        6);
  RandomSequence random(1, 1);
  EXPECT_NEAR(random.poisson(1e9), 1e9, 3e5);  // ten standard deviations
}

TEST(Likelihood, KnowsItsOutcomes) {
  const auto trouble = [](const char* name, double y, double trials = 1.0) {
    return !likelihood(name)->trouble(y, trials).empty();
  };
  EXPECT_TRUE(trouble("logistic", 0.5));
  EXPECT_TRUE(trouble("probit", 4, 3));
  EXPECT_FALSE(trouble("cloglog", 3, 3));
  EXPECT_TRUE(trouble("poisson", -1));
  EXPECT_TRUE(trouble("negative-binomial", 1.5));
  EXPECT_TRUE(trouble("gamma", 0.0));
  EXPECT_TRUE(trouble("exponential", -2.0));
  EXPECT_TRUE(trouble("gaussian", INFINITY));
  EXPECT_FALSE(trouble("student-t", -1e9));
  EXPECT_THROW(likelihood("weibull"), Misuse);
}

TEST(NormalQuadrature, SpecialFunctionsAgreeWithDifferences) {
  for (const double x : {-60.0, -36.0, -34.9, -8.0, -1.0, 0.0, 2.0, 9.0}) {
    constexpr double h = 1e-4;
    const auto low = log_normal_distribution(x - h), high = log_normal_distribution(x + h),
               here = log_normal_distribution(x);
    EXPECT_NEAR(here.slope, (high.value - low.value) / (2 * h), 1e-6 * (1 + std::abs(here.slope)))
        << x;
    EXPECT_NEAR(here.curvature, (high.slope - low.slope) / (2 * h), 1e-6) << x;
  }
  // On both sides of where the series takes over.
  EXPECT_NEAR(
      log_normal_distribution(-35.0 - 1e-9).value - log_normal_distribution(-35.0 + 1e-9).value,
      -35.03 * 2e-9, 1e-9);
  for (const double x : {1e-3, 0.3, 1.0, 5.5, 11.9, 12.1, 400.0}) {
    const double h = 1e-4 * x;
    const LogGamma low = log_gamma(x - h), high = log_gamma(x + h), here = log_gamma(x);
    EXPECT_NEAR(here.slope, (high.value - low.value) / (2 * h), 1e-6 * (1 + std::abs(here.slope)))
        << x;
    EXPECT_NEAR(here.curvature, (high.slope - low.slope) / (2 * h), 1e-6 * (1 + here.curvature))
        << x;
  }
  EXPECT_NEAR(log_gamma(1.0).slope, -0.57721566490153286, 1e-14);
  EXPECT_NEAR(log_gamma(1.0).curvature, M_PI * M_PI / 6, 1e-13);
}

template <class Prior>
void expect_consistent(const Prior& prior, double reach) {
  for (const double mean : {-0.8, 0.3, 1.7}) {
    constexpr double h = 1e-4;
    const ScalarJet here = prior.at(mean), up = prior.at(mean + h), down = prior.at(mean - h);
    EXPECT_NEAR(here.slope, (up.value - down.value) / (2 * h), 1e-6);
    for (const double deviation : {0.3, 1.5}) {
      const NormalRule fine = trapezoidal(20000, 0.0005);
      double exact = 0.0;
      for (Index k = 0; k < fine.z.size(); ++k)
        exact += fine.weight(k) * prior.at(mean + deviation * fine.z(k)).value;
      const double v = deviation * deviation;
      const ScalarJet e = prior.expected(mean, v), more = prior.expected(mean + h, v),
                      less = prior.expected(mean - h, v);
      EXPECT_NEAR(e.value, exact, reach);
      EXPECT_NEAR(e.slope, (more.value - less.value) / (2 * h), 1e-6 * (1 + std::abs(e.slope)));
      EXPECT_NEAR(e.curvature, (more.slope - less.slope) / (2 * h),
                  1e-6 * (1 + std::abs(e.curvature)));
    }
  }
}

TEST(Priors, ExpectationsEqualQuadratureAndTheirOwnDifferences) {
  using C = CoefficientPrior::Family;
  for (const C family : {C::normal, C::student_t, C::flat})
    expect_consistent(CoefficientPrior{family, 0.4, 1.3, 4.0}, 1e-10);
  // The grid itself is wrong by the square of its spacing where the function has a kink.
  expect_consistent(CoefficientPrior{C::laplace, 0.4, 1.3}, 1e-6);
  using S = ScalePrior::Family;
  for (const S family : {S::half_normal, S::half_t, S::exponential, S::gamma, S::lognormal})
    expect_consistent(ScalePrior{family, 1.7, 2.5}, 1e-9);
}

TEST(Priors, AreProbabilityDensities) {
  using C = CoefficientPrior::Family;
  for (const C family : {C::normal, C::student_t, C::laplace}) {
    double total = 0.0;
    for (double u = -25.0; u < 25.0; u += 0.001)
      total += 0.001 * std::cosh(u) *
               std::exp(CoefficientPrior{family, 0.4, 1.3, 4.0}.at(std::sinh(u)).value);
    EXPECT_NEAR(total, 1.0, 1e-5) << int(family);
  }
  using S = ScalePrior::Family;
  for (const S family : {S::half_normal, S::half_t, S::exponential, S::gamma, S::lognormal}) {
    double total = 0.0;
    for (double t = -60.0; t < 60.0; t += 0.001)
      total += 0.001 * std::exp(ScalePrior{family, 1.7, 2.5}.at(t).value);
    EXPECT_NEAR(total, 1.0, 1e-8) << int(family);
  }
}

}  // namespace
}  // namespace fisherman::model_likelihood_test
