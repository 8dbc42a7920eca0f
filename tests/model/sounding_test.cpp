// Soundings: blocks of gradients at a Gaussian, against closed forms.
#include "fisherman/model/sounding.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "fisherman/core/packing.hpp"
#include "fisherman/model/gaussian_blocks.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "toy.hpp"

namespace fisherman::model_sounding_test {
namespace {

/// −log p = ½xᵀAx − bᵀx + Σ cubeᵢxᵢ³ + Σ fourthᵢxᵢ⁴
struct Polynomial {
  Matrix A;
  Vector b, cube, fourth;

  Index dimension() const { return b.size(); }
  Vector log_density(const Matrix& x, Matrix& gradients) const {
    Vector out(x.cols());
    for (Index k = 0; k < x.cols(); ++k) {
      const Vector v = x.col(k);
      out(k) = -(0.5 * v.dot(A * v) - b.dot(v) + cube.dot(v.array().cube().matrix()) +
                 fourth.dot(v.array().pow(4).matrix()));
      gradients.col(k) =
          -(A * v - b +
            (3.0 * cube.array() * v.array().square() + 4.0 * fourth.array() * v.array().cube())
                .matrix());
    }
    return out;
  }

  // Under N(m, S): E x² = m²+s, E x³ = m³+3ms, E x⁴ = m⁴+6m²s+3s².
  double nelbo(const Vector& m, const Matrix& S) const {
    const Vector s = S.diagonal();
    double out = 0.5 * (m.dot(A * m) + (A * S).trace()) - b.dot(m);
    for (Index i = 0; i < m.size(); ++i)
      out += cube(i) * (std::pow(m(i), 3) + 3.0 * m(i) * s(i)) +
             fourth(i) * (std::pow(m(i), 4) + 6.0 * m(i) * m(i) * s(i) + 3.0 * s(i) * s(i));
    const Matrix L = Eigen::LLT<Matrix>(S).matrixL();
    return out - L.diagonal().array().log().sum() -
           0.5 * double(m.size()) * (1.0 + std::log(2.0 * std::numbers::pi));
  }
  Vector slope(const Vector& m, const Matrix& S) const {
    const Vector s = S.diagonal();
    return A * m - b +
           (3.0 * cube.array() * (m.array().square() + s.array()) +
            4.0 * fourth.array() * (m.array().cube() + 3.0 * m.array() * s.array()))
               .matrix();
  }
  Matrix curvature(const Vector& m, const Matrix& S) const {
    const Vector s = S.diagonal();
    return A + Matrix((6.0 * cube.array() * m.array() +
                       12.0 * fourth.array() * (m.array().square() + s.array()))
                          .matrix()
                          .asDiagonal());
  }
};

Polynomial polynomial(Index d, double fourth) {
  return {toy::random_spd(d, 1), toy::random_vector(d, 2), 0.1 * toy::random_vector(d, 3),
          Vector::Constant(d, fourth)};
}

TEST(Sounding, HasNoNoiseWhereTheDensityIsCubic) {
  for (const Index d : {1, 2, 5, 12}) {
    const Polynomial p = polynomial(d, 0.0);
    const Vector m = toy::random_vector(d, 4);
    const Matrix S = toy::random_spd(d, 5), L = Eigen::LLT<Matrix>(S).matrixL();
    const Sounding s = GaussianBlocks(p).sound(gaussian_affine(m, S), Draws(1, 0));
    EXPECT_EQ(s.gradients, 2 * d + 1);
    EXPECT_NEAR(s.value, p.nelbo(m, S), 1e-9 * double(d)) << d;
    EXPECT_LT((s.slope - L.transpose() * p.slope(m, S)).norm(), 1e-10 * double(d)) << d;
    const Matrix exact = L.transpose() * p.curvature(m, S) * L;
    EXPECT_LT((s.curvature - exact).norm(), 1e-10 * double(d)) << d;
    EXPECT_LT(s.noise(), 1e-18);
    EXPECT_LT(s.error, 1e-8);
  }
}

TEST(Sounding, IsRightOnAverageForAQuartic) {
  const Index d = 4, blocks = 4000;
  const Polynomial p = polynomial(d, 0.05);
  const Vector m = toy::random_vector(d, 4);
  const Matrix S = toy::random_spd(d, 5), L = Eigen::LLT<Matrix>(S).matrixL();
  const GaussianBlocks model(p);
  const GaussianAffine q = gaussian_affine(m, S);
  Vector wanted(d + svec_size(d));
  wanted << L.transpose() * p.slope(m, S),
      svec(L.transpose() * p.curvature(m, S) * L - Matrix::Identity(d, d)) / std::sqrt(2.0);
  Vector sum = Vector::Zero(wanted.size()), squares = sum;
  double values = 0.0, value_squares = 0.0, errors = 0.0;
  for (Index k = 0; k < blocks; ++k) {
    const Sounding s = model.sound(q, Draws(7, std::uint64_t(k)));
    const Vector g = s.gradient() - wanted;
    sum += g;
    squares += g.cwiseAbs2();
    const double off = s.value - p.nelbo(m, S);
    values += off;
    value_squares += off * off;
    errors += s.error * s.error;
  }
  const double n = double(blocks);
  // Means of `blocks` independent numbers: five standard errors, exceeded once in two million.
  for (Index i = 0; i < sum.size(); ++i)
    EXPECT_LT(std::abs(sum(i) / n), 5.0 * std::sqrt(squares(i) / n / n) + 1e-12) << i;
  EXPECT_LT(std::abs(values / n), 5.0 * std::sqrt(value_squares / n / n));
  // The error that a sounding states is about the one that it has.
  EXPECT_GT(errors / value_squares, 0.3);
  EXPECT_LT(errors / value_squares, 5.0);
}

TEST(Sounding, ANewtonStepLandsOnAGaussianTarget) {
  const Index d = 6;
  const Polynomial p{toy::random_spd(d, 1), toy::random_vector(d, 2), Vector::Zero(d),
                     Vector::Zero(d)};
  const GaussianAffine start =
      gaussian_affine(toy::random_vector(d, 3), toy::random_spd(d, 4), SpdRetraction::exponential);
  const Sounding s = GaussianBlocks(p).sound(start, Draws(1, 0));
  double t = 1.0;
  const GaussianAffine there = start.retract(s.step(t, 1e6));
  EXPECT_EQ(t, 1.0);
  const Matrix inverse = p.A.inverse();
  EXPECT_LT((there.mean() - inverse * p.b).norm(), 1e-9);
  EXPECT_LT((there.covariance() - inverse).norm(), 1e-9);
  // In a trust region it goes part of the way, and no further than that.
  const Vector part = s.step(t, 0.1);
  EXPECT_LT(t, 1.0);
  EXPECT_LT(part.norm(), 0.2);
}

TEST(Sounding, SeveralTellWhatIsStillToGainWithoutBias) {
  const Index d = 5;
  const Polynomial p = polynomial(d, 0.05);
  const GaussianAffine q = gaussian_affine(Vector::Zero(d), Matrix::Identity(d, d));
  const GaussianBlocks model(p);
  double gains = 0.0, squares = 0.0, noises = 0.0, skew = 0.0;
  Vector gradient = Vector::Zero(q.dimension());
  const Index rounds = 600;
  for (Index r = 0; r < rounds; ++r) {
    std::vector<Sounding> three;
    for (Index k = 0; k < 3; ++k)
      three.push_back(model.sound(q, Draws(3, std::uint64_t(3 * r + k))));
    const GainEstimate e = gain_of(three);
    gains += e.gain;
    squares += e.gain * e.gain;
    noises += e.noise;
    skew += three[0].noise();
    gradient += mean(three).gradient();
  }
  const double n = double(rounds), exact = 0.5 * (gradient / n).squaredNorm();
  const double error = std::sqrt((squares / n - gains * gains / n / n) / n);
  EXPECT_LT(std::abs(gains / n - exact), 5.0 * error + noises / n / (3.0 * n));
  // The skew part alone tells the noise, within a factor of two.
  EXPECT_GT(skew / noises, 0.5);
  EXPECT_LT(skew / noises, 2.0);
}

TEST(Sounding, HessiansAreThoseOfTheDensity) {
  const Index d = 5;
  const Polynomial p = polynomial(d, 0.0);
  const Vector m = toy::random_vector(d, 4);
  const GaussianAffine q = gaussian_affine(m, 1e-6 * toy::random_spd(d, 5));
  std::int64_t spent = 0;
  const Vector found = GaussianBlocks(p).hessian(q, 0.5, spent);
  EXPECT_EQ(spent, d + 1);
  // At a point: the mean curvature of a Gaussian without width. Cubes leave an error of the step, 1e-4 here.
  EXPECT_LT((smat(found, d) - p.curvature(0.5 * m, Matrix::Zero(d, d))).norm(), 1e-3);
}

TEST(Sounding, WithoutNoiseIsNearerToTheTruthThanTheMean) {
  // The curvature wanted is a sum of shapes, and a rest; soundings have noise in all of it.
  const Index d = 30, size = svec_size(d);
  const Matrix L = toy::random_spd(d, 1).llt().matrixL(), A = toy::random_spd(d, 2) / double(d);
  const Matrix small = 0.02 * toy::random_spd(d, 3) / double(d);
  const Matrix shape = L.transpose().inverse() * A * L.inverse();
  const Matrix truth = 0.3 * Matrix::Identity(d, d) + 2.0 * A + small;
  for (const Index n : {1, 3}) {
    std::vector<Sounding> many;
    for (Index k = 0; k < n; ++k) {
      Sounding s;
      s.root = L;
      s.slope = toy::random_vector(d, 20 + std::uint64_t(k)) * 0.01;
      s.curvature = truth + 0.05 * toy::random_matrix(d, d, 10 + std::uint64_t(k));
      many.push_back(s);
    }
    const Sounding plain = mean(many), sure = without_noise(many, svec(shape));
    const auto error = [&](const Sounding& s) {
      return (0.5 * (s.curvature + s.curvature.transpose()) - truth).norm();
    };
    EXPECT_LT(error(sure), 0.3 * error(plain)) << n;
    EXPECT_LT(sure.slope.norm(), plain.slope.norm());
  }
  Sounding one;
  one.root = L;
  one.slope = Vector::Zero(d);
  one.curvature = truth - small;
  EXPECT_LT(unlike_share(one, svec(shape)), 1e-12);
  one.curvature = Matrix::Identity(d, d) + toy::random_spd(d, 7);
  EXPECT_GT(unlike_share(one, svec(Matrix(Matrix::Identity(d, d) + shape))), 0.01);
  EXPECT_THROW(without_noise({one}, Vector::Zero(size + 1)), Misuse);
}

TEST(Sounding, RadiiHaveTheDistributionOfChi) {
  for (const Index degrees : {3, 8, 102}) {
    const Index n = 2000;
    const Vector r = chi_radii(degrees, Draws(1, 0).uniforms(0, n, 1));
    // E r² = degrees and E r⁴ = degrees(degrees + 2); strata of 1/n leave errors of about n^-3/2 of the spread.
    EXPECT_NEAR(r.squaredNorm() / double(n), double(degrees), 1e-3 * double(degrees));
    EXPECT_NEAR(r.array().pow(4).mean() / double(degrees * (degrees + 2)), 1.0, 5e-3);
    EXPECT_GT(r.minCoeff(), 0.0);
  }
}

TEST(Sounding, PointsWithoutAValueAreLeftOut) {
  const Index d = 20;
  const auto target = [&](double share) {
    return FunctionTarget(d, [share, d](const Matrix& x, Matrix& g) {
      g = -x;
      Vector out = -0.5 * x.colwise().squaredNorm().transpose();
      for (Index k = 1; k < x.cols(); ++k)
        if (double((k * 7) % d) < share * double(d)) out(k) = std::nan("");
      return out;
    });
  };
  const GaussianAffine q = gaussian_affine(Vector::Ones(d), 2.0 * Matrix::Identity(d, d));
  const Sounding s = GaussianBlocks(target(0.05)).sound(q, Draws(1, 0));
  EXPECT_EQ(s.failed, 1);
  EXPECT_TRUE(s.gradient().allFinite());
  EXPECT_THROW(GaussianBlocks(target(0.5)).sound(q, Draws(1, 0)), NotFinite);
}

}  // namespace
}  // namespace fisherman::model_sounding_test
