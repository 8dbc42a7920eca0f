// The reduced-rank fit that goes to the optimum: its two phases, its certificate, its standard errors.
#include "expect_laws.hpp"
#include "fisherman/core/parallel.hpp"
#include "reduced_rank_toy.hpp"

namespace fisherman::fit_reduced_rank_optimum_test {
using namespace reduced_rank_toy;  // NOLINT: the problems of all these files
namespace {

// The sums over all rows, the gradients and the optimum do not depend on how rows are stored.
TEST(ReducedRank, SparseAndDenseRowsHaveTheSameOptimum) {
  const auto [dense, sparse] = thinned(400, 6);
  std::vector<int> y;
  for (Index i = 0; i < 400; ++i)
    y.push_back(int((i + (dense.x(i, 0) > 0.0 ? 1 : 0) + (dense.x(i, 1) > 0.5 ? 2 : 0)) % 3));
  ReducedRankSettings s;
  s.tolerance = 1e-12;
  std::vector<Matrix> found;
  for (const Table* table : {&dense, &sparse}) {
    const FeatureMap map = FeatureMap::of(*table, FeatureScale::standardize, true);
    const auto some = class_rows(*table, y, all_rows(400), 3, map, false);
    ErasedRun run = make_run(some, s, 2, 0, plan_memory(s, *table, 6, 3, 2));
    const FitSummary end = PlainDriver().drive(run);
    EXPECT_EQ(end.status, Status::converged);
    found.push_back(reduced_rank_point(run.state.estimate()).factor<0>().matrix());
  }
  EXPECT_LT((found[0] - found[1]).norm(), 1e-5 * found[0].norm());
}

/// Six classes around random means in six features: at rank 1 the directions of the means lead to a local optimum.
std::shared_ptr<const ClassData> six_classes() {
  constexpr Index p = 6, n = 600;
  const Matrix means = 2.0 * Draws(1, 1).normals(0, p, 6);
  Matrix x = Draws(1, 2).normals(0, p, n);
  std::vector<int> y;
  for (Index i = 0; i < n; ++i) {
    y.push_back(int(i % 6));
    x.col(i) += means.col(i % 6);
  }
  x.colwise() -= Vector(x.rowwise().mean());
  return std::make_shared<const ClassData>(std::move(x), y, 6);
}

TEST(ReducedRank, TheSearchedStartLeadsToABetterOptimumThanTheMeans) {
  const auto from = six_classes();
  ReducedRankSettings s;
  const auto end = [&](ReducedRankStart initial, Index start) {
    s.initial = initial;
    ErasedRun run = make_run(from, s, 1, start, plan_of(s, 600, 6, 6, 1));
    return PlainDriver().drive(run).objective;
  };
  const double best = end(ReducedRankStart::automatic, 0);
  EXPECT_EQ(best, end(ReducedRankStart::search, 0));
  EXPECT_LT(best, end(ReducedRankStart::means, 0) - 0.01);
  for (Index start = 1; start <= 4; ++start)
    EXPECT_LT(best, end(ReducedRankStart::automatic, start) + 1e-4) << start;
}

TEST(ReducedRank, TheSearchIsTheSameWithAnyNumberOfThreads) {
  const auto from = six_classes();
  const FeatureMoments known = feature_moments(from->design());
  const FeatureMoments apart{known.variance, {}};  // as with very many features
  for (const FeatureMoments* features : {&known, &apart}) {
    const ReducedRank one = searched_start(*from, 2, *features, 3);
    set_threads(3);
    const ReducedRank three = searched_start(*from, 2, *features, 3);
    set_threads(1);
    EXPECT_EQ(one.point(), three.point());
  }
  // Nothing to choose among where the rank is full, and not six times the work.
  EXPECT_GT(tried_starts(*from, 2), 1);
  EXPECT_EQ(tried_starts(*from, 5), 1);
  EXPECT_EQ(searched_start(*from, 5, known, 1).point(), searched_start(*from, 5, known, 2).point());
}

TEST(ReducedRank, TheSearchIsForTheMethodThatGoesToTheOptimum) {
  ReducedRankSettings s;
  s.method = ReducedRankMethod::ifngd;
  EXPECT_EQ(s.initial_choice(), ReducedRankStart::means);
  s.initial = ReducedRankStart::search;
  EXPECT_THROW(run_of(s), Misuse);
}

// Each phase, and the step from one to the other: stopped there, saved and resumed, with another number of threads.
TEST(ReducedRank, TwoPhasesGoOnBitForBit) {
  ReducedRankSettings s;
  s.batch = 32;
  s.passes = 2.0;  // 38 iterations
  const auto fresh = [&] { return run_of(s); };
  ErasedRun whole = fresh();
  ASSERT_EQ(whole.stochastic, 38);
  const FitSummary end = PlainDriver().drive(whole);
  EXPECT_EQ(end.status, Status::converged);
  ASSERT_GT(end.iterations, 45);
  for (const std::int64_t cut : {5, 38, 39, 45}) {
    ErasedRun first = fresh(), second = fresh();
    set_threads(2);
    const FitSummary stopped =
        drive(first, Stop([&](const Record& r) {
                return r.iteration >= cut ? std::optional(Status::interrupted) : std::nullopt;
              }),
              {});
    EXPECT_EQ(stopped.status, Status::interrupted) << cut;
    EXPECT_EQ(stopped.iterations, cut);
    restore(second.state, saved(first.state));
    const FitSummary resumed = PlainDriver().drive(second);
    set_threads(1);
    EXPECT_EQ(resumed.status, Status::converged) << cut;
    EXPECT_EQ(second.state.estimate().point(), whole.state.estimate().point()) << cut;
    EXPECT_EQ(resumed.iterations, end.iterations) << cut;
  }
}

// Where the optimum is known to more digits: what a converged run says is left covers what is left.
TEST(ReducedRank, TheCertificateHoldsWhereTheOptimumIsKnown) {
  for (const double ridge : {0.0, 1.0})
    for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6}) {
      ReducedRankSettings s;
      s.ridge = ridge;
      s.tolerance = tolerance;
      ErasedRun rough = run_of(s);
      const FitSummary end = PlainDriver().drive(rough);
      EXPECT_EQ(end.status, Status::converged);
      s.tolerance = 1e-13;
      ErasedRun exact = run_of(s);
      const double left = end.objective - PlainDriver().drive(exact).objective;
      EXPECT_LT(left, gain_left(rough, data(), s)) << ridge << ' ' << tolerance;
      EXPECT_LT(gain_left(rough, data(), s), tolerance);
    }
}

// A weak prior changes nothing, and a strong one leaves its own standard deviation, up to the factor that comparing a class
// with another one makes.
TEST(ReducedRank, TheRidgeCountsInTheStandardErrors) {
  ReducedRank point = diagonal_start(*data(), 2);
  optimum(data(), &point);
  const auto none = Uncertainty::of(data(), point), weak = Uncertainty::of(data(), point, 1e-6),
             strong = Uncertainty::of(data(), point, 1e6);
  ASSERT_TRUE(none && weak && strong);
  EXPECT_LT((none->coefficients() - weak->coefficients()).norm(),
            1e-6 * none->coefficients().norm());
  // A prior of variance 1e-6 for each of the class-centred coefficients leaves little of the 600 rows' say.
  EXPECT_LT(strong->coefficients().maxCoeff(), 3e-3);
  EXPECT_GT(strong->coefficients().maxCoeff(), 3e-4);

  // The covariance undoes rows·F + ridge·Q on tangent vectors, with Q(v, v) = |dB̃|² by its definition.
  const double ridge = 50.0;
  const auto both = Uncertainty::of(data(), point, ridge);
  ASSERT_TRUE(both);
  const Index d = point.dimension(), size = features * (classes - 1);
  Matrix moved(features * classes, d);  // B̃ along each coordinate, less its mean over the classes
  for (Index j = 0; j < d; ++j) {
    const Vector ambient = point.push(Vector::Unit(d, j));
    Matrix all = Matrix::Zero(features, classes);
    all.leftCols(classes - 1) = as_matrix(ambient.head(size).eval().data(), features, classes - 1);
    all.colwise() -= Vector(all.rowwise().mean());
    moved.col(j) = as_vector(all);
  }
  const Matrix F =
      double(rows) * Multinomial(data()).fisher_matrix(point) + ridge * moved.transpose() * moved;
  const Vector v = point.pull(Matrix(point.push(toy::random_vector(d, 3))));
  EXPECT_LT((both->covariance() * (F * v) - v).norm(), 1e-9 * v.norm());
}

}  // namespace
}  // namespace fisherman::fit_reduced_rank_optimum_test
