// The Fisher information of factors: what the model tells of it, and the operator that is made of that, against sums over
// all rows and labels.
#include "fisherman/fisher/factored.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "expect_laws.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/fit/reduced_rank.hpp"
#include "toy.hpp"

namespace fisherman::fisher_factored_test {
namespace {

constexpr Index p = 6, K = 4, k = K - 1, r = 2, n = 90;

std::shared_ptr<const ClassData> data() {
  std::vector<int> y;
  for (const Index c : Draws(2, 0).integers(0, n, K)) y.push_back(int(c));
  return std::make_shared<const ClassData>(toy::random_matrix(p, n, 1), y, K);
}

FactoredReducedRank point() {
  return FactoredReducedRank(
      FactoredRank(0.5 * toy::random_matrix(p, r, 3), toy::random_matrix(k, r, 4)),
      Euclidean(0.3 * toy::random_vector(k, 5)));
}

/// E[φφᵀ] by its definition, with the ridge's quadratic form: the mean over rows of the sum over labels.
Matrix information(const FactoredReducedRank& f, double ridge) {
  const FactoredRank& B = f.factor<0>();
  Matrix F = Matrix::Zero(f.dimension(), f.dimension());
  for (Index i = 0; i < n; ++i) {
    const Vector x = data()->design().columns({i, 1}).col(0), z = B.L().transpose() * x;
    const Vector q = probabilities(B.R() * z + f.factor<1>().point());
    for (Index label = 0; label < K; ++label) {
      Vector w = -q.head(k);
      if (label < k) w(label) += 1.0;
      Vector phi(f.dimension());
      const Matrix D = x * (B.R().transpose() * w).transpose(), E = w * z.transpose();
      phi << B.pull_products(D, E), w;
      F += q(label) * phi * phi.transpose() / double(n);
    }
  }
  // tr(dB C dBᵀ) with dB = DRᵀ + LEᵀ, D and E apart.
  const Matrix C = Matrix::Identity(k, k).array() - 1.0 / double(K);
  const Matrix P = Matrix::Identity(k, k) - B.R() * B.R().transpose();
  const Matrix RCR = B.R().transpose() * C * B.R(), LL = B.L().transpose() * B.L();
  for (Index a = 0; a < r; ++a)
    for (Index b = 0; b < r; ++b) {
      F.block(a * p, b * p, p, p).diagonal().array() += ridge / double(n) * RCR(a, b);
      F.block(r * p + a * k, r * p + b * k, k, k) += ridge / double(n) * LL(a, b) * P * C * P;
    }
  return F;
}

TEST(FactorInformation, IsTheSumOverAllRowsAndLabels) {
  for (const double ridge : {0.0, 3.0}) {
    Multinomial model(data(), {.ridge = ridge});
    const FactoredReducedRank f = point();
    const Matrix F = information(f, ridge);
    const FactorInformation found = scores_as<FactorInformation>(model, f, Draws(1, 0));
    for (Index j = 0; j < p; ++j) {
      Matrix own(r, r);
      for (Index a = 0; a < r; ++a)
        for (Index b = 0; b < r; ++b) own(a, b) = F(a * p + j, b * p + j);
      EXPECT_LT((own - as_matrix(found.features.col(j).data(), r, r)).norm(), 1e-13);
    }
    EXPECT_LT((F.bottomRightCorner(k * r + k, k * r + k) - found.classes).norm(), 1e-13);
    EXPECT_LT((F.bottomRightCorner(k, k) - found.means.W).norm(), 1e-13);
    EXPECT_LT((found.gauge - f.factor<0>().R()).norm(), 1e-15);
    const SpreadInformation spread = scores_as<SpreadInformation>(model, f, Draws(1, 0));
    EXPECT_EQ(spread.features.size(), 0);
    EXPECT_EQ(spread.classes, found.classes);
  }
}

TEST(Multinomial, FactorsHaveTheGradientAndTheScoresOfTheMatrix) {
  for (const double ridge : {0.0, 5.0}) {
    Multinomial model(data(), {.batch = 30, .ridge = ridge});
    const FactoredReducedRank f = point();
    const ReducedRank same = as_fixed_rank(f);
    EXPECT_NEAR(model.objective(f), model.objective(same), 1e-13);
    const ValueAndGradient at = model.value_and_gradient(f);
    EXPECT_NEAR(at.value, model.objective(f), 1e-13);
    for (std::uint64_t s = 0; s < 3; ++s) {
      const Vector v = toy::random_vector(f.dimension(), 20 + s);
      const double h = 1e-5;
      const double slope =
          (model.objective(f.retract(Vector(h * v))) - model.objective(f.retract(Vector(-h * v)))) /
          (2.0 * h);
      EXPECT_NEAR(at.gradient.dot(f.push(v)), slope, 1e-8 * std::pow(v.norm(), 3));
    }
    // The same for the manifold's own frame and the ambient one.
    const Vector g = model.value_and_gradient(same).gradient;
    const Vector v = same.pull(Matrix(same.push(toy::random_vector(same.dimension(), 9))));
    const double h = 1e-5;
    const double slope = (model.objective(same.retract(Vector(h * v))) -
                          model.objective(same.retract(Vector(-h * v)))) /
                         (2.0 * h);
    EXPECT_NEAR(g.dot(v), slope, 1e-8 * std::pow(v.norm(), 3));
    EXPECT_LT((same.pull(Matrix(model.value_and_gradient(ExtrinsicReducedRank(same)).gradient)) - g)
                  .norm(),
              1e-13);
    Vector mean = Vector::Zero(f.dimension());
    for (std::uint64_t s = 0; s < 3; ++s) mean += model.gradient(f, Draws(7, s)) / 3.0;
    EXPECT_LT((mean - at.gradient).norm(), 1e-13);
    EXPECT_LT((as_factored(same).factor<0>().L() * as_factored(same).factor<0>().R().transpose() -
               f.factor<0>().L() * f.factor<0>().R().transpose())
                  .norm(),
              1e-13);
  }
}

TEST(Multinomial, TheRidgeDoesNotCareWhichClassIsTheLast) {
  // Coefficients of all classes, then against the last, and against the first.
  const Matrix all = toy::random_matrix(p, K, 8);
  const auto penalty = [&](Index last) {
    Matrix B(p, k);
    for (Index c = 0, to = 0; c < K; ++c)
      if (c != last) B.col(to++) = all.col(c) - all.col(last);
    return Multinomial(data(), {.ridge = 2.0})
        .penalty({B, Matrix::Identity(k, k), Vector::Zero(k)});
  };
  const Matrix centred = all.colwise() - all.rowwise().mean();
  EXPECT_NEAR(penalty(K - 1), centred.squaredNorm() / double(n), 1e-12);
  EXPECT_NEAR(penalty(0), penalty(K - 1), 1e-12);
}

std::shared_ptr<const FeatureMoments> moments() {
  return std::make_shared<const FeatureMoments>(feature_moments(data()->design()));
}

TEST(FactoredFisher, IsSymmetricAndPositiveAtEveryStageAndComesBackFromAFile) {
  Multinomial model(data(), {.batch = 30, .ridge = 1.0});
  const FactoredReducedRank f = point();
  FactoredFisher fisher(moments(), K, r, {.stochastic = 3});
  const Index d = f.dimension();
  for (const std::uint64_t s : {0, 1, 2, 3, 4, 33}) {
    fisher.learn(model, f, Draws(1, s));
    Matrix H(d, d);
    for (Index j = 0; j < d; ++j) H.col(j) = fisher.solve(Vector::Unit(d, j));
    EXPECT_LT((H - H.transpose()).norm(), 1e-12 * H.norm()) << s;
    EXPECT_EQ(Eigen::LLT<Matrix>(H).info(), Eigen::Success) << s;
    Writer out;
    fisher.save(out);
    FactoredFisher again(moments(), K, r, {.stochastic = 3});
    Reader in(out.bytes());
    again.load(in);
    const Vector g = toy::random_vector(d, 6);
    EXPECT_EQ(again.solve(g), fisher.solve(g)) << s;
  }
}

// What it leaves out is what D and E have in common, and what features share beyond their mean correlation. Where both are
// nothing, it is the inverse, but for its damping: one class-independent W (all probabilities equal) and L = 0.
TEST(FactoredFisher, IsTheInverseWhereNothingIsLeftOut) {
  Multinomial model(data());
  const FactoredReducedRank flat(FactoredRank(Matrix::Zero(p, r), toy::random_matrix(k, r, 4)),
                                 Euclidean(Vector::Zero(k)));
  const Matrix F = information(flat, 0.0);
  FactoredFisher fisher(moments(), K, r, {});
  fisher.learn(model, flat, Draws(1, 0));
  Matrix F_D = F.topLeftCorner(p * r, p * r);
  // With the damping: 1 % of the mean variance on the diagonal of E[xxᵀ], 0.3 % of each correlation, 1e-4 in RᵀWR.
  Vector g = Vector::Zero(flat.dimension());
  g.head(p * r) = toy::random_vector(p * r, 6);
  const Vector exact = F_D.inverse() * g.head(p * r), found = fisher.solve(g).head(p * r);
  EXPECT_LT((found - exact).norm(), 0.03 * exact.norm());
  g.setZero();
  g.tail(k) = toy::random_vector(k, 7);
  const Vector turned = fisher.solve(g).tail(k);
  EXPECT_LT((F.bottomRightCorner(k, k) * turned - g.tail(k)).norm(), 1e-5 * g.norm());
}

TEST(FactoredFisher, Misuse) {
  FactoredFisher fisher(moments(), K, r, {});
  expect_misuse([&] { fisher.absorb(Matrix::Ones(fisher.dimension(), 1)); }, "no factors");
  expect_misuse([&] { fisher.solve(Vector::Ones(3)); }, "gradient");
}

}  // namespace
}  // namespace fisherman::fisher_factored_test
