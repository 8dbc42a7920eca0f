// The likelihood of several classes: its nodes, its expectations and their derivatives.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "fisherman/core/random.hpp"
#include "fisherman/model/likelihood.hpp"
#include "fisherman/model/logistic_quadrature.hpp"
#include "toy.hpp"

namespace fisherman::multinomial_likelihood_test {
namespace {

PredictorNormals one_row(const Vector& mean, const Matrix& V) {
  const Index m = mean.size();
  PredictorNormals out{mean.transpose(), Matrix(1, m * (m + 1) / 2), Matrix(1, 0), {}, {}};
  for (Index k = 0; k < m; ++k)
    for (Index l = 0; l <= k; ++l) out.variance(0, packed_at(k, l)) = V(k, l);
  return out;
}

Vector expected(const Likelihood& l, double y, const Vector& mean, const Matrix& V) {
  Matrix out(1, l.columns());
  l.expect({Vector::Constant(1, y), {}, {}}, 0, one_row(mean, V), out);
  return out.row(0);
}

/// Of log p and of all probabilities: a product of fine trapezoidal rules.
struct BruteForce {
  double log_p = 0.0;
  Vector p, squares;

  BruteForce(const Likelihood& l, double y, const Vector& mean, const Matrix& V) {
    const Index m = mean.size();
    const Matrix L = Eigen::LLT<Matrix>(V).matrixL();
    const NormalRule rule = m == 2 ? trapezoidal(150, 0.05) : trapezoidal(35, 0.2);
    const Index n = rule.z.size();
    Index all = 1;
    for (Index k = 0; k < m; ++k) all *= n;
    p = squares = Vector::Zero(m + 1);
    Vector z(m);
    for (Index node = 0; node < all; ++node) {
      double weight = 1.0;
      for (Index k = 0, left = node; k < m; ++k, left /= n) {
        z(k) = rule.z(left % n);
        weight *= rule.weight(left % n);
      }
      if (weight < 1e-20) continue;
      const Vector eta = mean + L * z;
      log_p += weight * l.log_p(y, 1.0, eta.data(), nullptr);
      for (Index c = 0; c <= m; ++c) {
        const double one = std::exp(l.log_p(double(c), 1.0, eta.data(), nullptr));
        p(c) += weight * one;
        squares(c) += weight * one * one;
      }
    }
  }
};

TEST(NormalNodes, HaveTheMomentsOfTheNormal) {
  for (const Index m : {2, 3, 4, 9, 40})
    for (const Index count : {64, 1024}) {
      const NormalNodes nodes = normal_nodes(m, count);
      EXPECT_GT(nodes.weight.minCoeff(), 0.0);
      EXPECT_NEAR(nodes.weight.sum(), 1.0, 1e-13);
      EXPECT_LT((nodes.z.transpose() * nodes.weight).cwiseAbs().maxCoeff(), 1e-13) << m;
      const Matrix second = nodes.z.transpose() * nodes.weight.asDiagonal() * nodes.z;
      EXPECT_LT((second - Matrix::Identity(m, m)).cwiseAbs().maxCoeff(), 1e-12) << m;
      EXPECT_EQ(nodes.z, normal_nodes(m, count).z);
    }
  EXPECT_EQ(normal_nodes(2).weight.size(), 1024);
  EXPECT_EQ(normal_nodes(3).weight.size(), 1000);
  for (const Index m : {2, 3}) {
    const NormalNodes nodes = normal_nodes(m);
    const auto z = nodes.z.array();
    EXPECT_NEAR((z.col(0).pow(4) * z.col(1).pow(2)).matrix().dot(nodes.weight), 3.0, 1e-11);
    EXPECT_NEAR((z.col(0).pow(8) * z.col(1).pow(6)).matrix().dot(nodes.weight), 1575.0, 1e-8);
  }
  EXPECT_THROW(normal_nodes(0), Misuse);
}

// An objective of fixed nodes has exact derivatives, which the solver needs: h² of the third derivative, and rounding over h.
TEST(Multinomial, DerivativesAreThoseOfTheSumOverNodes) {
  for (const Index classes : {2, 3, 4, 6, 11})
    for (const double size : {0.01, 1.0, 9.0}) {
      const Index m = classes - 1;
      const auto l = multinomial_likelihood(classes);
      const Vector mean = toy::random_vector(m, 3);
      const Matrix V = size * toy::random_spd(m, 4);
      const Vector here = expected(*l, 1.0, mean, V);
      for (Index k = 0; k < m; ++k) {
        const double h = 1e-5;
        Vector up = mean, down = mean;
        up(k) += h, down(k) -= h;
        EXPECT_NEAR(here(1 + k),
                    (expected(*l, 1.0, up, V)(0) - expected(*l, 1.0, down, V)(0)) / (2 * h), 1e-8);
        for (Index j = 0; j <= k; ++j) {
          const double step = 1e-5 * size;
          Matrix more = V, less = V;
          more(k, j) += step, less(k, j) -= step;
          if (j != k) more(j, k) += step, less(j, k) -= step;
          const double slope =
              (expected(*l, 1.0, mean, more)(0) - expected(*l, 1.0, mean, less)(0)) / (2 * step);
          EXPECT_NEAR((j == k ? 0.5 : 1.0) * here(1 + m + packed_at(k, j)), slope,
                      1e-8 + 1e-10 / size)
              << classes << ' ' << size << ' ' << k << ' ' << j;
        }
      }
    }
}

// What the nodes cost in accuracy, as docs/cli.md says it: by the width of the linear predictors.
TEST(Multinomial, ExpectationsAreCloseToQuadrature) {
  for (const Index classes : {3, 4})
    for (const double sd : {0.5, 1.0, 2.0}) {
      const Index m = classes - 1;
      const auto l = multinomial_likelihood(classes);
      const Vector mean = sd * toy::random_vector(m, 5);
      Matrix V = toy::random_spd(m, 6);
      V *= sd * sd * double(m) / V.trace();
      const BruteForce exact(*l, 1.0, mean, V);
      const double error = std::abs(expected(*l, 1.0, mean, V)(0) - exact.log_p);
      EXPECT_LT(error, classes == 3 ? (sd < 2.0 ? 1e-9 : 1e-5) : (sd < 2.0 ? 1e-5 : 1e-3))
          << classes << ' ' << sd;
      const ClassProbabilities p = class_probabilities(one_row(mean, V));
      EXPECT_NEAR(p.mean.sum(), 1.0, 1e-12);
      EXPECT_LT((p.mean.transpose() - exact.p).cwiseAbs().maxCoeff(), sd < 2.0 ? 1e-4 : 3e-3);
      const Vector deviation = (exact.squares - exact.p.cwiseAbs2()).cwiseSqrt();
      EXPECT_LT((p.deviation.transpose() - deviation).cwiseAbs().maxCoeff(),
                sd < 2.0 ? 1e-3 : 1e-2);
    }
}

TEST(Multinomial, MoreNodesAreCloser) {
  for (const Index classes : {3, 4, 7}) {
    const Index m = classes - 1;
    const Vector mean = toy::random_vector(m, 7);
    const Matrix V = 4.0 * toy::random_spd(m, 8);
    const auto value = [&](Index nodes) {
      return expected(*multinomial_likelihood(classes, nodes), 0.0, mean, V)(0);
    };
    const double reference = value(1 << 18);
    EXPECT_LT(std::abs(value(1 << 14) - reference), 0.5 * std::abs(value(256) - reference))
        << classes;
  }
}

TEST(Multinomial, WithTwoClassesIsLogistic) {
  const auto l = multinomial_likelihood(2), logistic = likelihood("logistic");
  EXPECT_EQ(l->finer(), nullptr);
  EXPECT_EQ(l->approximation(), "");
  for (const double y : {0.0, 1.0})
    for (const double sd : {0.0, 0.3, 5.0}) {
      const Vector mean = Vector::Constant(1, 0.7);
      const Matrix V = Matrix::Constant(1, 1, sd * sd);
      EXPECT_LT((expected(*l, y, mean, V) - expected(*logistic, y, mean, V)).cwiseAbs().maxCoeff(),
                1e-15);
      const ProbabilityMoments p = probability_moments(0.7, sd);
      EXPECT_DOUBLE_EQ(class_probabilities(one_row(mean, V)).mean(0, 1), p.mean);
    }
}

// log p, its slopes and curvature at points, from sum() and add_curvature(), and with weights.
TEST(Multinomial, DerivativesAtPointsAreThoseOfTheValue) {
  constexpr Index classes = 4, m = classes - 1;
  const auto l = multinomial_likelihood(classes);
  const Matrix eta = Draws(1, 0).normals(0, 4, m);
  const Outcomes o{Vector{{0, 3, 1, 2}}, {}, Vector{{1.0, 0.5, 2.0, 0.0}}};
  Matrix slopes = eta;
  const double value = l->sum(o, 0, slopes, nullptr, nullptr);
  double by_row = 0.0;
  for (Index i = 0; i < 4; ++i) {
    const Vector at = eta.row(i);
    by_row += o.weights(i) * l->log_p(o.y(i), 1.0, at.data(), nullptr);
  }
  EXPECT_NEAR(value, by_row, 1e-13);
  Matrix curvature = Matrix::Zero(4, m * (m + 1) / 2);
  l->add_curvature(o, 0, eta, nullptr, curvature);
  constexpr double h = 1e-5;
  for (Index k = 0; k < m; ++k) {
    Matrix up = eta, down = eta;
    up.col(k).array() += h, down.col(k).array() -= h;
    const double high = l->sum(o, 0, up, nullptr, nullptr),
                 low = l->sum(o, 0, down, nullptr, nullptr);  // these are slopes now
    EXPECT_NEAR(slopes.col(k).sum(), (high - low) / (2 * h), 1e-9);
    for (Index j = 0; j <= k; ++j)
      EXPECT_LT((curvature.col(packed_at(k, j)) - (up.col(j) - down.col(j)) / (2 * h))
                    .cwiseAbs()
                    .maxCoeff(),
                1e-9);
  }
}

// A row of zeros has V = 0; a covariance that is nearly singular, or that rounding made so, has an expectation too.
TEST(Multinomial, DegenerateNormalsHaveExpectations) {
  constexpr Index m = 3;
  const auto l = multinomial_likelihood(m + 1);
  const Vector mean{{0.3, -0.4, 1.0}};
  const Vector at_point = expected(*l, 2.0, mean, Matrix::Zero(m, m));
  EXPECT_DOUBLE_EQ(at_point(0), l->log_p(2.0, 1.0, mean.data(), nullptr));
  Matrix curvature = Matrix::Zero(1, m * (m + 1) / 2);
  l->add_curvature({Vector::Constant(1, 2.0), {}, {}}, 0, mean.transpose(), nullptr, curvature);
  EXPECT_LT((at_point.tail(6) - curvature.row(0).transpose()).cwiseAbs().maxCoeff(), 1e-15);
  for (const double tiny : {1e-22, 1e-18, 1e-12}) {  // continuous, up to rounding over √V
    const Vector near = expected(*l, 2.0, mean, tiny * toy::random_spd(m, 9));
    EXPECT_LT((near - at_point).cwiseAbs().maxCoeff(), 1e-5) << tiny;
  }
  const ClassProbabilities p = class_probabilities(one_row(mean, Matrix::Zero(m, m)));
  EXPECT_NEAR(std::log(p.mean(0, 2)), at_point(0), 1e-14);
  EXPECT_LT(p.deviation.maxCoeff(), 1e-15);
  const Vector v{{1.0, 2.0, -1.0}};
  const Vector singular = expected(*l, 2.0, mean, v * v.transpose());
  const Vector nearly = expected(*l, 2.0, mean, v * v.transpose() + 1e-9 * Matrix::Identity(m, m));
  EXPECT_TRUE(singular.allFinite());
  EXPECT_NEAR(singular(0), nearly(0), 1e-6);
  const Vector far = expected(*l, 0.0, 1e3 * mean, 1e4 * toy::random_spd(m, 9));
  EXPECT_TRUE(far.allFinite());
  EXPECT_LT(far(0), 0.0);
  EXPECT_THROW(expected(*l, 0.0, Vector{{0, NAN, 0}}, Matrix::Identity(m, m)), NotFinite);
  EXPECT_THROW(expected(*l, 0.0, mean, INFINITY * Matrix::Identity(m, m)), NotFinite);
}

// 20,000 draws: five standard errors of a share.
TEST(Multinomial, DrawsHaveTheProbabilities) {
  const auto l = multinomial_likelihood(3);
  const Vector eta{{0.5, -1.0}};
  Vector count = Vector::Zero(3);
  constexpr int draws = 20000;
  RandomSequence random(3, 1);
  for (int s = 0; s < draws; ++s) count(Index(l->sample(1.0, eta.data(), nullptr, random))) += 1.0;
  for (Index c = 0; c < 3; ++c) {
    const double p = std::exp(l->log_p(double(c), 1.0, eta.data(), nullptr));
    EXPECT_NEAR(count(c) / draws, p, 5.0 * std::sqrt(p * (1 - p) / draws)) << c;
  }
  EXPECT_EQ(l->trouble(2.0, 1.0), "");
  EXPECT_EQ(l->trouble(3.0, 1.0), "must be a whole number from 0 to 2");
  EXPECT_NE(l->trouble(0.5, 1.0), "");
  EXPECT_THROW(multinomial_likelihood(1), Misuse);
}

}  // namespace
}  // namespace fisherman::multinomial_likelihood_test
