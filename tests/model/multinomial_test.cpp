#include "fisherman/model/multinomial.hpp"

#include <cmath>

#include "expect_laws.hpp"
#include "fisherman/core/parallel.hpp"
#include "toy.hpp"

namespace fisherman::model_multinomial_test {
namespace {

constexpr Index features = 6, classes = 5, rows = 96;

std::shared_ptr<const ClassData> data(bool single = false) {
  const Matrix x = toy::random_matrix(features, rows, 1);
  std::vector<int> y;
  for (const Index k : Draws(2, 0).integers(0, rows, classes)) y.push_back(int(k));
  if (single)
    return std::make_shared<const ClassData>(Eigen::MatrixXf(x.cast<float>()), y, classes);
  return std::make_shared<const ClassData>(x, y, classes);
}

ReducedRank point(Index rank = 2) {
  const Matrix B =
      0.5 * toy::random_matrix(features, rank, 3) * toy::random_matrix(rank, classes - 1, 4);
  return ReducedRank(FixedRank(B, rank), Euclidean(0.3 * toy::random_vector(classes - 1, 5)));
}

/// The model as its formula stands, one row at a time.
Vector log_probabilities(const ReducedRank& f, const Vector& x) {
  Vector eta = Vector::Zero(classes);
  eta.head(classes - 1) = f.factor<0>().matrix().transpose() * x + f.factor<1>().point();
  return eta.array() - std::log(eta.array().exp().sum());
}

double plain_objective(const ClassData& d, const ReducedRank& f) {
  double sum = 0.0;
  for (Index i = 0; i < d.rows(); ++i)
    sum -= log_probabilities(f, d.design().columns({i, 1}).col(0))(d.outcomes()[std::size_t(i)]);
  return sum / double(d.rows());
}

TEST(Multinomial, ObjectiveIsTheMeanNegativeLogLikelihood) {
  const Multinomial model(data());
  EXPECT_NEAR(model.objective(point()), plain_objective(*data(), point()), 1e-13);
  const Multinomial single(data(true));  // data rounded to 24 bits: 6e-8 of numbers of order 1
  EXPECT_NEAR(single.objective(point()), plain_objective(*data(), point()), 1e-6);
}

TEST(Multinomial, LossIsExactWhereProbabilitiesUnderflow) {
  const auto one = std::make_shared<const ClassData>(Matrix(Matrix::Ones(1, 1)), std::vector{1}, 2);
  const Matrix B = Matrix::Constant(1, 1, 2000.0);
  EXPECT_EQ(Multinomial(one).objective(ReducedRank(FixedRank(B, 1), Euclidean(Vector::Zero(1)))),
            2000.0);
}

TEST(Multinomial, ExactGradientIsTheDerivative) {
  const Multinomial model(data());
  for (const Index rank : {1, 2, 4}) {
    const ReducedRank f = point(rank);
    const Vector g = model.value_and_gradient(f).gradient;
    for (std::uint64_t k = 0; k < 4; ++k) {
      const Vector v = f.pull(Matrix(f.push(toy::random_vector(f.dimension(), 10 + k))));
      const double h = 1e-5;
      const double slope =
          (model.objective(f.retract(Vector(h * v))) - model.objective(f.retract(Vector(-h * v)))) /
          (2 * h);
      // Central differences: h²|f'''| ~ 1e-9 and rounding 1e-16/h ~ 1e-11, times |v|³.
      EXPECT_NEAR(g.dot(v), slope, 1e-8 * std::pow(v.norm(), 3));
    }
    const ExtrinsicReducedRank ambient(f);
    EXPECT_LT((f.pull(Matrix(model.value_and_gradient(ambient).gradient)) - g).norm(), 1e-13);
  }
}

TEST(Multinomial, MinibatchesOfAPassAddUpToTheExactGradient) {
  Multinomial model(data(), {.batch = 16});
  const ReducedRank f = point();
  for (const int pass : {0, 3}) {
    Vector mean = Vector::Zero(f.dimension());
    for (int k = 0; k < 6; ++k)
      mean += model.gradient(f, Draws(7, std::uint64_t(6 * pass + k))) / 6;
    EXPECT_LT((mean - model.value_and_gradient(f).gradient).norm(), 1e-13);
  }
  // Passes go through the rows in orders of their own.
  EXPECT_GT((model.gradient(f, Draws(7, 0)) - model.gradient(f, Draws(7, 6))).norm(), 1e-3);
  // A minibatch may reach into the next pass, or be larger than the data.
  Multinomial large(data(), {.batch = 5 * rows});
  EXPECT_LT((large.gradient(f, Draws(7, 0)) - model.value_and_gradient(f).gradient).norm(), 1e-13);
}

TEST(Multinomial, ExtrinsicGradientsAndScoresPullToTheIntrinsicOnes) {
  Multinomial model(data(), {.batch = 8});
  const ReducedRank f = point();
  const ExtrinsicReducedRank ambient(f);
  const Draws draws(3, 4);
  EXPECT_LT((f.pull(Matrix(model.gradient(ambient, draws))) - model.gradient(f, draws)).norm(),
            1e-13);
  EXPECT_LT((f.pull(model.scores(ambient, draws)) - model.scores(f, draws)).norm(), 1e-12);
}

TEST(Multinomial, FisherMatrixIsTheSumOverAllRowsAndLabels) {
  const Multinomial model(data());
  const ReducedRank f = point();
  Matrix expected = Matrix::Zero(f.dimension(), f.dimension());
  for (Index i = 0; i < rows; ++i) {
    const Vector x = data()->design().columns({i, 1}).col(0);
    const Vector p = log_probabilities(f, x).array().exp();
    for (Index label = 0; label < classes; ++label) {
      Vector w = -p.head(classes - 1);
      if (label < classes - 1) w(label) += 1.0;
      const Matrix outer = x * w.transpose();
      Vector E(outer.size() + w.size());
      E << as_vector(outer), w;
      const Vector phi = f.pull(Matrix(E));
      expected += p(label) * phi * phi.transpose() / double(rows);
    }
  }
  EXPECT_LT((model.fisher_matrix(f) - expected).norm(), 1e-13 * expected.norm() * 10);
}

TEST(Multinomial, ScoresHaveMeanZeroAndTheFisherMatrixAsSecondMoment) {
  // Over whole passes every row is drawn equally often: 400 passes of 6 minibatches.
  Multinomial model(data(), {.batch = 16});
  const ReducedRank f = point();
  const Matrix F = model.fisher_matrix(f);
  Vector sum = Vector::Zero(f.dimension());
  Matrix second = Matrix::Zero(F.rows(), F.cols()), fourth = second;
  const int batches = 6 * 400;
  const double count = 16.0 * batches;
  for (int k = 0; k < batches; ++k) {
    const Matrix phi = model.scores(f, Draws(11, std::uint64_t(k)));
    sum += phi.rowwise().sum();
    second += phi * phi.transpose() / count;
    fourth += phi.cwiseAbs2() * phi.cwiseAbs2().transpose() / count;
  }
  // Five standard errors; the redundant directions have neither mean nor spread.
  const Vector error = (F.diagonal() / count).cwiseSqrt();
  EXPECT_LT(((sum / count).array() / (error.array() + 1e-12)).abs().maxCoeff(), 5.0);
  const Matrix spread = ((fourth - second.cwiseAbs2()) / count).cwiseMax(0.0).cwiseSqrt();
  EXPECT_LT(((second - F).array() / (spread.array() + 1e-12)).abs().maxCoeff(), 5.0);
}

TEST(Multinomial, OuterScoresAverageOverTheLabels) {
  Multinomial model(data(), {.batch = 16, .scores = 5});
  const ReducedRank f = point();
  const FixedRank& B = f.factor<0>();
  const Index r = B.rank(), k = classes - 1;
  const Draws draws(3, 7);
  const OuterScores outer = scores_as<OuterScores>(model, f, draws);
  const Matrix scores = model.scores(f, draws);
  ASSERT_EQ(outer.block, (OuterBlock{r * r, features, r}));
  ASSERT_EQ(outer.x.cols(), 5);
  Matrix rest(r * r + k * r + k, 5);
  rest << scores.topRows(r * r), scores.bottomRows(k * r + k);
  EXPECT_LT((outer.rest - rest).norm(), 1e-14);
  for (Index i = 0; i < 5; ++i) {
    // Whatever label was sampled, its U_p is x cᵀ with this x.
    const auto Z = as_matrix(scores.col(i).data() + r * r, features, r);
    const Vector x = outer.x.col(i), c = Z.transpose() * x / x.squaredNorm();
    EXPECT_LT((Z - x * c.transpose()).norm(), 1e-13);
    // x is (I − UUᵀ) of a row of the data: find it, and go through its labels one by one.
    Index row = -1;
    for (Index j = 0; j < rows; ++j) {
      const Vector at = data()->design().columns({j, 1}).col(0);
      if ((at - B.U() * (B.U().transpose() * at) - x).norm() < 1e-12) row = j;
    }
    ASSERT_GE(row, 0);
    const Vector p = log_probabilities(f, data()->design().columns({row, 1}).col(0)).array().exp();
    Matrix moment = Matrix::Zero(r, r);
    for (Index y = 0; y < classes; ++y) {
      Vector w = -p.head(k);
      if (y < k) w(y) += 1.0;
      moment += p(y) * (B.V().transpose() * w) * (B.V().transpose() * w).transpose();
    }
    EXPECT_LT((as_matrix(outer.moments.col(i).data(), r, r) - moment).norm(), 1e-14);
  }
}

TEST(Multinomial, FewerScoresThanRowsAreTheFirstOnes) {
  Multinomial all(data(), {.batch = 16}), some(data(), {.batch = 16, .scores = 5});
  const ReducedRank f = point();
  const Draws draws(2, 9);
  EXPECT_LT((some.scores(f, draws) - all.scores(f, draws).leftCols(5)).norm(), 1e-13);
  EXPECT_EQ(some.gradient(f, draws), all.gradient(f, draws));
}

TEST(Multinomial, ThreadsDoNotChangeABit) {
  const Index n = 3000;
  std::vector<int> y;
  for (const Index k : Draws(2, 0).integers(0, n, classes)) y.push_back(int(k));
  const auto many =
      std::make_shared<const ClassData>(toy::random_matrix(features, n, 1), y, classes);
  const Multinomial model(many);
  const double value = model.objective(point());
  const Vector g = model.value_and_gradient(point()).gradient;
  const Matrix F = model.fisher_matrix(point());
  set_threads(2);
  EXPECT_EQ(model.objective(point()), value);
  EXPECT_EQ(model.value_and_gradient(point()).gradient, g);
  EXPECT_EQ(model.fisher_matrix(point()), F);
  set_threads(1);
}

TEST(Multinomial, Misuse) {
  expect_misuse([] { ClassData(Matrix(Matrix::Ones(2, 3)), {0, 1}, 2); }, "3 rows, but 2 classes");
  expect_misuse([] { ClassData(Matrix(Matrix::Ones(2, 2)), {0, 2}, 2); }, "has class 2");
  expect_misuse([] { ClassData(Matrix(Matrix::Ones(2, 2)), {0, 0}, 1); }, "two classes");
  expect_misuse([] { ClassData(Matrix(Matrix::Constant(2, 2, NAN)), {0, 1}, 2); }, "NaN");
  expect_misuse([] { Multinomial(data(), {.batch = 0}); }, "minibatch has 0 rows");
  expect_misuse([] { Multinomial(data(), {.batch = 4, .scores = 5}); }, "5 scores");
}

}  // namespace
}  // namespace fisherman::model_multinomial_test
