// Reduced-rank regression as the command line runs it, on small problems.
#include "fisherman/fit/reduced_rank_path.hpp"

#include <Eigen/LU>
#include <cmath>

#include "expect_laws.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/dense.hpp"
#include "reduced_rank_toy.hpp"
#include "setting_text.hpp"

namespace fisherman::fit_reduced_rank_test {
using namespace reduced_rank_toy;  // NOLINT: the problems of all these files
namespace {

/// Steps and options of the stochastic methods, without a ridge.
ReducedRankSettings settings(ReducedRankMethod method,
                             FisherChoice fisher = FisherChoice::automatic,
                             Carry transport = Carry::frame) {
  ReducedRankSettings s;
  s.method = method;
  s.fisher = fisher;
  s.transport = transport;
  s.ridge = 0.0;
  s.batch = 32;
  s.iterations = 150;
  s.eval_every = 10;
  return s;
}

std::string described(const ReducedRankSettings& s) {
  return setting_text(s, "method") + ' ' + setting_text(s, "fisher") + ' ' +
         setting_text(s, "initial");
}

const std::vector<ReducedRankSettings>& every_scheme() {
  static const std::vector<ReducedRankSettings> all = {
      settings(ReducedRankMethod::ifngd, FisherChoice::decorrelated),
      settings(ReducedRankMethod::ifngd, FisherChoice::columns),
      settings(ReducedRankMethod::ifngd, FisherChoice::blocks),
      settings(ReducedRankMethod::ifngd, FisherChoice::blocks, Carry::paper),
      settings(ReducedRankMethod::ifngd, FisherChoice::dense),
      settings(ReducedRankMethod::rsgd),
      settings(ReducedRankMethod::extrinsic),
      settings(ReducedRankMethod::kfac)};
  return all;
}

TEST(ReducedRank, StartsInTheDirectionsOfTheClassMeans) {
  const auto all = data();
  Matrix means = Matrix::Zero(features, classes);
  Vector count = Vector::Zero(classes);
  const Matrix x = all->design().columns({0, rows});
  const Vector centre = x.rowwise().mean();
  for (Index i = 0; i < rows; ++i) {
    const int k = all->outcomes()[std::size_t(i)];
    means.col(k) += x.col(i) - centre;
    count(k) += 1.0;
  }
  for (Index k = 0; k < classes; ++k) means.col(k) /= count(k);
  for (const Index rank : {1, 2, 3}) {
    const ReducedRank start = means_start(*all, rank);
    const FixedRank& B = start.factor<0>();
    // The spread of the means between the classes, Σ n_k m_k m_kᵀ, has the same leading vectors.
    const Spectrum between = spectrum(means * count.asDiagonal() * means.transpose());
    const Matrix leading = between.P.rightCols(rank);
    EXPECT_LT((leading - B.U() * (B.U().transpose() * leading)).norm(), 1e-12) << rank;
    const Matrix logits = (B.U() * B.S() * B.V().transpose()).transpose() * means;
    EXPECT_NEAR(logits.cwiseAbs().maxCoeff(), 0.5, 1e-12) << rank;
    for (Index k = 0; k < classes - 1; ++k)
      EXPECT_NEAR(start.factor<1>().point()(k), std::log((count(k) + 0.5) / (count(3) + 0.5)),
                  1e-12);
  }
}

TEST(ReducedRank, StartsAsThePaperDoesWhereTheMeansTellTooLittle) {
  // Two classes of four occur, so their means differ in one direction only.
  std::vector<int> y;
  for (Index i = 0; i < rows; ++i) y.push_back(int(i % 2));
  const ClassData two(toy::random_matrix(features, rows, 1), y, classes);
  EXPECT_NE(means_start(two, 1).factor<0>().S(), Matrix::Identity(1, 1));
  EXPECT_EQ(means_start(two, 2).factor<0>().U(), Matrix::Identity(features, 2));
}

TEST(ReducedRank, EverySchemeComesCloseToTheOptimum) {
  const FitSummary best = optimum(data());
  EXPECT_EQ(best.status, Status::converged);
  for (ReducedRankSettings s : every_scheme())
    for (const ReducedRankStart initial : {ReducedRankStart::means, ReducedRankStart::paper}) {
      s.initial = initial;
      ErasedRun run = run_of(s);
      const double before = run.model.objective(run.state.frame).value();
      fisherman::run(run.state, run.model, run.options, run.stop);
      const double after = run.model.objective(run.state.estimate()).value();
      const double gap = (after - best.objective) / (before - best.objective);
      const std::string name = described(s);
      // Eight passes; rsgd, without a metric, is allowed to be slow.
      EXPECT_LT(gap, s.method == ReducedRankMethod::rsgd ? 0.5 : 0.1) << name;
      EXPECT_GT(gap, -1e-3) << name;
      EXPECT_GE(gain_left(run, data(), s), 0.0) << name;
    }
}

// For 3 features, 3 classes and rank 1 the ambient space has as many coordinates, 8, as the frame.
TEST(ReducedRank, TheGainLeftKnowsTheAmbientSpaceFromTheFrame) {
  std::vector<int> y;
  for (Index i = 0; i < rows; ++i) y.push_back(int(i * i % 3));
  const auto small = std::make_shared<const ClassData>(toy::random_matrix(3, rows, 1), y, 3);
  for (const ReducedRankMethod method : {ReducedRankMethod::extrinsic, ReducedRankMethod::ifngd}) {
    const ReducedRankSettings s = settings(method);
    ErasedRun run = make_run(small, s, 1, 0, plan_of(s, rows, 3, 3, 1));
    ASSERT_EQ(run.state.frame.dimension(), 8);
    fisherman::run(run.state, run.model, run.options, after_iterations(20));
    const Multinomial model(small);
    const ReducedRank point = reduced_rank_point(run.state.estimate());
    const Vector g = method == ReducedRankMethod::extrinsic
                         ? model.value_and_gradient(ExtrinsicReducedRank(point)).gradient
                         : model.value_and_gradient(point).gradient;
    EXPECT_DOUBLE_EQ(gain_left(run, small, s), 0.5 * g.dot(run.state.fisher.solve(g)))
        << described(s);
  }
}

TEST(ReducedRank, ThreadsAndResumesDoNotChangeABit) {
  for (const ReducedRankSettings& s : every_scheme()) {
    ErasedRun whole = run_of(s), cut = run_of(s), resumed = run_of(s);
    fisherman::run(whole.state, whole.model, whole.options, after_iterations(60));
    set_threads(2);
    fisherman::run(cut.state, cut.model, cut.options, after_iterations(23));
    restore(resumed.state, saved(cut.state));
    fisherman::run(resumed.state, resumed.model, resumed.options, after_iterations(60));
    set_threads(1);
    EXPECT_EQ(resumed.state.estimate().point(), whole.state.estimate().point()) << described(s);
    ReducedRankSettings other = s;
    other.seed = 2;
    ErasedRun elsewhere = run_of(other);
    fisherman::run(elsewhere.state, elsewhere.model, elsewhere.options, after_iterations(60));
    EXPECT_NE(elsewhere.state.estimate().point(), whole.state.estimate().point());
  }
}

// The ambient operator is never projected: after many iterations it is the inverse of the sum of the very
// scores it was given. The tolerance is for 2,000 low-rank updates of condition 1e5: 1e-16·1e5·√2000.
TEST(ReducedRank, TheLazyOperatorIsTheDenseSumOfItsScores) {
  Multinomial model(data(), {.batch = 8});
  const ReducedRank start = diagonal_start(*data(), 2);
  const Index d = start.dimension();
  State state{start, Dense(d, {.epsilon = 1.0})};
  const StepRule rule{.step_size = 0.1, .kl_radius = 0.1};
  Matrix sum = Matrix::Identity(d, d);
  for (int s = 0; s < 2000; ++s) {
    const Matrix phi = model.scores(state.frame, Draws(state.seed, std::uint64_t(s)));
    sum += phi * phi.transpose();
    advance(state, model, rule);
    ++state.iteration;
  }
  const Matrix expected = 16000.0 * sum.inverse();
  EXPECT_LT((state.fisher.inverse() - expected).norm(), 1e-8 * expected.norm());
}

/// The relative error of a Fisher estimate gathered along a path on which the two singular values, 0.95
/// and 1.05, change places. One class is common and one rare, so that the two columns differ in scale.
template <class Move>
double error_along_a_path(Move move) {
  Multinomial model(data(), {.batch = 64});
  const Matrix S = Vector{{0.95, 1.05}}.asDiagonal();
  ReducedRank frame(FixedRank(Matrix::Identity(features, 2), S, Matrix::Identity(classes - 1, 2)),
                    Euclidean(Vector{{1.5, -2.5, 0.0}}));
  const Index d = frame.dimension(), steps = 300;
  Matrix sum = Matrix::Zero(d, d);
  for (Index s = 0; s < steps; ++s) {
    const Matrix phi = model.scores(frame, Draws(3, std::uint64_t(s)));
    sum += phi * phi.transpose() / double(64 * steps);
    Matrix xi = Matrix::Zero(features, classes - 1);
    xi(0, 0) = 0.1 / double(steps);
    xi(1, 1) = -xi(0, 0);
    Vector ambient = Vector::Zero(xi.size() + classes - 1);
    ambient.head(xi.size()) = as_vector(xi);
    frame = move(frame.retract(frame.pull(Matrix(ambient))));
  }
  const Matrix F = model.fisher_matrix(frame);
  return (sum - F).norm() / F.norm();
}

TEST(ReducedRank, AnEstimateAlongAPathNeedsAlignedFactors) {
  // 19,200 scores at points up to 0.1 apart: an error of a few percent.
  EXPECT_LT(error_along_a_path([](const ReducedRank& f) { return f; }), 0.1);
  // The same points with the factors of a fresh SVD, which change places with the singular values.
  EXPECT_GT(error_along_a_path([](const ReducedRank& f) {
              return ReducedRank(FixedRank(f.factor<0>().matrix(), 2), f.factor<1>());
            }),
            0.3);
}

TEST(ReducedRank, SeparableDataEndFinite) {
  Matrix x(2, 40);
  std::vector<int> y;
  for (Index i = 0; i < 40; ++i) {
    const double angle = 1.5707963 * double(i % 4) + 0.01 * double(i);
    x.col(i) << std::cos(angle), std::sin(angle);
    y.push_back(int(i % 4));
  }
  const auto separable = std::make_shared<const ClassData>(x, y, 4);
  ReducedRankSettings s = settings(ReducedRankMethod::ifngd, FisherChoice::columns);
  s.iterations = 400;
  ErasedRun run = make_run(separable, s, 2, 0, plan_of(s, 40, 2, 4, 2));
  EXPECT_EQ(fisherman::run(run.state, run.model, run.options, run.stop).status,
            Status::iterations_done);
  const Evaluation end = evaluate(*separable, reduced_rank_point(run.state.estimate()));
  EXPECT_EQ(end.accuracy, 1.0);
  EXPECT_TRUE(std::isfinite(end.loss));
  EXPECT_EQ(end.confusion.trace(), 40);
}

TEST(ReducedRank, Misuse) {
  ReducedRankSettings s;
  s.rank = "1,2,3";
  EXPECT_EQ(s.ranks(5, 4), (std::vector<Index>{1, 2, 3}));
  s.rank = "4";
  expect_misuse([&] { s.ranks(5, 4); }, "between 1 and 3");
  for (const char* bad : {"", "2,", "x", "2;3", "2.5"}) {
    s.rank = bad;
    expect_misuse([&] { s.ranks(5, 4); }, "--rank is '");
  }
  s = settings(ReducedRankMethod::extrinsic);
  Table wide;
  auto empty = std::make_shared<SparseRows>();
  empty->columns = 100000;
  wide.sparse = empty;
  expect_misuse([&] { plan_memory(s, wide, 100000, 100, 5); }, "this machine has");
  s = ReducedRankSettings();
  EXPECT_EQ(s.ranks(7, 2), (std::vector<Index>{1}));  // two classes have rank 1
  EXPECT_EQ(s.ranks(7, 10), (std::vector<Index>{5}));
  EXPECT_EQ(s.ridge_values(), (std::vector<double>{1.0}));
  s.ridges = "0.5";
  EXPECT_EQ(s.ridge_values(), (std::vector<double>{0.5}));
  for (const char* bad : {"", "1,", "x", "-1", "nan"}) {
    s.ridges = bad;
    expect_misuse([&] { s.ridge_values(); }, "--ridge is '");
  }
  s.ridges = "1,2";
  expect_misuse([&] { s.ridge_values(); }, "without --cv");
  s.cv = 5;
  EXPECT_EQ(s.ridge_values(), (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(s.ranks(7, 5), (std::vector<Index>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace fisherman::fit_reduced_rank_test
