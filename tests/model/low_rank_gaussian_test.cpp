// Gaussians of diagonal plus low rank, against dense ones and against finite differences.
#include "fisherman/model/low_rank_gaussian.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "expect_laws.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/model/flow_vb.hpp"
#include "fisherman/solve/gaussian_start.hpp"
#include "fisherman/solve/run.hpp"
#include "toy.hpp"

namespace fisherman::model_low_rank_test {
namespace {

LowRankFrame some_frame(Index d, Index r) {
  return {toy::random_vector(d, 1), (0.5 * toy::random_vector(d, 2)).array().exp(),
          0.8 * toy::random_matrix(d, r, 3)};
}

Matrix dense(const LowRankFrame& q) {
  Matrix out = q.factor() * q.factor().transpose();
  out.diagonal() += q.scale().cwiseAbs2();
  return out;
}

/// N(middle, covariance), normalised.
FunctionTarget normal_target(const Vector& middle, const Matrix& covariance) {
  const Eigen::LLT<Matrix> llt(covariance);
  const Matrix L = llt.matrixL(), precision = llt.solve(Matrix::Identity(L.rows(), L.rows()));
  const double constant =
      L.diagonal().array().log().sum() + 0.5 * double(L.rows()) * std::log(2.0 * std::numbers::pi);
  return {middle.size(), [=](const Matrix& x, Matrix& gradients) {
            const Matrix apart = x.colwise() - middle;
            gradients = -precision * apart;
            return Vector(0.5 * apart.cwiseProduct(gradients).colwise().sum().transpose().array() -
                          constant);
          }};
}

TEST(LowRankGaussian, IsTheDenseGaussian) {
  const Index d = 7, r = 3;
  const LowRankFrame q = some_frame(d, r);
  const LowRankGaussian family(d, r);
  const Matrix S = dense(q), precision = S.inverse(), ys = 2.0 * toy::random_matrix(d, 5, 4);
  EXPECT_LT((q.variances() - S.diagonal()).norm(), 1e-12);
  EXPECT_LT((q.precision_diagonal() - precision.diagonal()).norm(), 1e-10);
  EXPECT_LT((q.precision_times(ys) - precision * ys).norm(), 1e-10);
  Matrix unused(d, 5);
  const Vector expected = normal_target(q.mean(), S).log_density(ys, unused);
  EXPECT_LT((family.log_density(q, ys) - expected).norm(), 1e-10);
  const auto sample = family.sample(q, toy::random_matrix(d + r, 5, 6));
  EXPECT_LT((sample.log_q - family.log_density(q, sample.ys)).norm(), 1e-10);
}

TEST(LowRankGaussian, PushPullAndLiftGoTogether) {
  const LowRankFrame q = some_frame(6, 2);
  const Vector v = toy::random_vector(q.dimension(), 8), E = toy::random_vector(q.dimension(), 9);
  EXPECT_NEAR(q.pull(E).col(0).dot(v), E.dot(q.push(v)), 1e-11);
  EXPECT_LT((q.lift(q.push(v)) - v).norm(), 1e-11);
  const double h = 1e-6;
  EXPECT_LT(((q.retract(h * v).point() - q.point()) / h - q.push(v)).norm(), 1e-7);
  EXPECT_EQ(q.restored(q.state()).point(), q.point());
}

// Central differences at h = 1e-5 of functions of size 10: an error of some 1e-9.
TEST(LowRankGaussian, ScoresAndGradientsAgreeWithFiniteDifferences) {
  const Index d = 5, r = 2;
  const double h = 1e-5;
  const LowRankFrame q = some_frame(d, r);
  const LowRankGaussian family(d, r);
  const FunctionTarget target(d, [](const Matrix& x, Matrix& gradients) {
    gradients = -x.array().sinh();
    return Vector(-x.array().cosh().colwise().sum().transpose());
  });
  const Matrix normals = toy::random_matrix(d + r, 3, 5);
  const auto sample = family.sample(q, normals);
  const Matrix scores = family.scores(q, sample);
  Matrix slopes(d, 3), unused(d, 3);
  target.log_density(sample.ys, slopes);
  const Vector gradient = family.gradient(q, sample, slopes);
  const auto loss = [&](const LowRankFrame& there) {
    const auto moved = family.sample(there, normals);
    return (moved.log_q - target.log_density(moved.ys, unused)).mean();
  };
  for (Index i = 0; i < q.dimension(); ++i) {
    const Vector step = h * Vector::Unit(q.dimension(), i);
    const LowRankFrame ahead = q.retract(step), behind = q.retract(Vector(-step));
    const Vector slope =
        (family.log_density(ahead, sample.ys) - family.log_density(behind, sample.ys)) / (2.0 * h);
    EXPECT_LT((slope - scores.row(i).transpose()).norm(), 1e-7 * (1.0 + slope.norm())) << i;
    const double by_loss = (loss(ahead) - loss(behind)) / (2.0 * h);
    EXPECT_NEAR(by_loss, gradient(i), 1e-7 * (1.0 + std::abs(by_loss))) << i;
  }
}

TEST(LowRankGaussian, ScoresHaveMeanZeroAndThoseOfTheMeanTheIdentityAsFisherMatrix) {
  const Index d = 4, r = 2, draws = 40000;
  const LowRankFrame q = some_frame(d, r);
  const LowRankGaussian family(d, r);
  const Matrix scores =
      family.scores(q, family.sample(q, Draws(5, 0).normals(0, family.normals(), draws)));
  const Vector mean = scores.rowwise().mean();
  const Vector error = ((scores.colwise() - mean).rowwise().squaredNorm().array() / draws).sqrt() /
                       std::sqrt(double(draws));
  // 16 coordinates: beyond 5 standard errors once in 10⁵ times.
  EXPECT_LT(mean.cwiseQuotient(error).cwiseAbs().maxCoeff(), 5.0);
  const Matrix of_mean = scores.topRows(d) * scores.topRows(d).transpose() / double(draws);
  EXPECT_LT((of_mean - Matrix::Identity(d, d)).cwiseAbs().maxCoeff(), 5.0 * std::sqrt(2.0 / draws));
}

TEST(LowRankGaussian, FindsAGaussianOfItsOwnKind) {
  const Index d = 40, r = 3;
  const LowRankFrame truth = some_frame(d, r);
  const FunctionTarget target = normal_target(truth.mean(), dense(truth));
  const LowRankStart start = low_rank_start(target, Vector::Zero(d), r, 1);
  State state(LowRankFrame(start.mean, start.s, start.F), Identity(d * (r + 2)), 1,
              Average({.on = true, .start = 50, .power = 2.0}));
  FlowVb model(target, LowRankGaussian(d, r), {.landing = true});
  RunOptions options;
  options.rule = {.step_size = 0.5, .decay = 0.7, .kl_radius = 1.0};
  run(state, model, options, after_iterations(1500));
  const LowRankFrame q = state.estimate();
  const Matrix precision = dense(truth).inverse();
  const Vector apart = q.mean() - truth.mean();
  const double kl =
      0.5 * ((precision * dense(q)).trace() - double(d) + apart.dot(precision * apart) +
             truth.log_determinant() - q.log_determinant());
  EXPECT_GE(kl, 0.0);
  EXPECT_LT(kl, 0.05);
}

TEST(SecantPairs, TheDiagonalIsThatOfTheInverse) {
  const Index n = 6;
  const Matrix A = toy::random_spd(n, 3);
  const auto identity = [](const Vector& g) -> Vector { return g; };
  SecantPairs pairs;
  for (std::uint64_t k = 0; k < 4; ++k) {
    const Vector step = toy::random_vector(n, 20 + k);
    pairs.remember(step, A * step, 1.0, 10, identity);
  }
  Matrix H(n, n);
  for (Index j = 0; j < n; ++j) H.col(j) = pairs.times(Vector::Unit(n, j), identity);
  const Matrix precision = H.inverse();
  EXPECT_LT((pairs.precision_diagonal() - precision.diagonal()).norm(),
            1e-9 * precision.diagonal().norm());
}

TEST(LowRankGaussian, RefusesARankThatIsNotLow) {
  EXPECT_THROW(LowRankGaussian(4, 4), Misuse);
  EXPECT_THROW(LowRankGaussian(4, 0), Misuse);
}

}  // namespace
}  // namespace fisherman::model_low_rank_test
