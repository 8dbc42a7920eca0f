// Reduced-rank regression as the command line runs it, on small problems.
#include "fisherman/fit/reduced_rank_path.hpp"

#include <Eigen/LU>
#include <cmath>

#include "expect_laws.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/kronecker.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/npy.hpp"
#include "setting_text.hpp"
#include "toy.hpp"

namespace fisherman::fit_reduced_rank_test {
namespace {

constexpr Index features = 5, classes = 4, rows = 600;

/// Labels drawn from a model of rank 2.
std::shared_ptr<const ClassData> data(Index n = rows) {
  const Matrix x = toy::random_matrix(features, n, 1);
  const Matrix B = toy::random_matrix(features, 2, 2) * toy::random_matrix(2, classes - 1, 3);
  const Matrix p = probabilities(B.transpose() * x);
  const Matrix u = Draws(4, 0).uniforms(0, n, 1);
  std::vector<int> y;
  for (Index i = 0; i < n; ++i) {
    double below = 0.0;
    int k = 0;
    while (k < classes - 1 && u(i) >= (below += p(k, i))) ++k;
    y.push_back(k);
  }
  return std::make_shared<const ClassData>(x, y, classes);
}

/// The plan for a table of this size.
MemoryPlan plan_of(const ReducedRankSettings& s, Index n, Index p, Index k, Index rank) {
  Table table;
  table.x = Matrix::Zero(n, p);
  return plan_memory(s, table, p, k, rank);
}

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

ErasedRun run_of(const ReducedRankSettings& s, Index rank = 2, Index start = 0) {
  return make_run(data(), s, rank, start, plan_of(s, rows, features, classes, rank));
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

/// The optimum of rank 2, to the last digits.
FitSummary optimum(const std::shared_ptr<const ClassData>& from, ReducedRank* point = nullptr) {
  ReducedRankSettings s;
  s.ridge = 0.0;
  s.tolerance = 1e-12;
  ErasedRun run =
      make_run(from, s, 2, 0, plan_of(s, from->rows(), from->features(), from->classes(), 2));
  const FitSummary end = PlainDriver().drive(run);
  if (point != nullptr) *point = reduced_rank_point(run.state.estimate());
  return end;
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

TEST(Kronecker, IsTheDenseInverseForOneColumnAndForIndependentFactors) {
  const Matrix x = toy::random_matrix(6, 40, 1);
  // One column: Z = x, E[ZᵀZ] = E|Z|², so that only the left factor is left. Its ε is Dense's.
  Kronecker one(6, 1, {.epsilon = 1e-5});
  Dense dense(6, {.epsilon = 1e-5});
  one.absorb(x);
  dense.absorb(x);
  const Vector g = toy::random_vector(6, 2);
  EXPECT_LT((one.solve(g) - dense.solve(g)).norm(), 1e-6 * dense.solve(g).norm());
  // All pairs of x with c from a set where |c| is constant: F = E[xxᵀ] ⊗ E[ccᵀ].
  Matrix c(2, 3);
  c << 1.0, 0.6, 0.0, 0.0, 0.8, -1.0;
  Matrix scores(12, 120);
  for (Index i = 0; i < 40; ++i)
    for (Index j = 0; j < 3; ++j) {
      const Matrix Z = x.col(i) * c.col(j).transpose();
      scores.col(3 * i + j) = as_vector(Z);
    }
  Kronecker two(6, 2, {.epsilon = 1e-5});
  two.absorb(scores.leftCols(50));
  two.absorb(scores.rightCols(70));
  const Matrix F = scores * scores.transpose() / 120.0;
  const Vector h = toy::random_vector(12, 3);
  // ε is 1e-6 of the sums, on either side; a smaller one would cancel 1/ε in the first update.
  EXPECT_LT((F * two.solve(h) - h).norm(), 1e-5 * h.norm());
  EXPECT_EQ(two.count(), 120);
}

Table table_of(Matrix x, std::vector<std::string> names) {
  Table out;
  out.x = std::move(x);
  out.names = std::move(names);
  return out;
}

TEST(FeatureMap, DropsConstantsAndRestoresThem) {
  Matrix x(3, 4);
  x << 0, 1, 255, 7, 0, 3, 0, 7, 0, 5, 10, 7;
  const Table table = table_of(x, {"a", "b", "c", "d"});
  const FeatureMap pixels = FeatureMap::of(table, FeatureScale::pixel, false);
  EXPECT_EQ(pixels.kept, (std::vector<Index>{1, 2, 3}));
  const Matrix design = pixels.design(table, {2, 0}, false).columns({0, 2});
  EXPECT_EQ(design(0, 0), 5.0 / 255.0);
  EXPECT_EQ(design(1, 1), 1.0);
  EXPECT_EQ(pixels.restored(Matrix::Ones(3, 2)).rowwise().sum(), (Vector{{0.0, 2.0, 2.0, 2.0}}));
  const FeatureMap standard =
      FeatureMap::of(table, FeatureScale::standardize, false);  // the constant 7 goes too
  EXPECT_EQ(standard.kept, (std::vector<Index>{1, 2}));
  EXPECT_EQ(FeatureMap::of(table, FeatureScale::pixel, true).kept, standard.kept);
  const Matrix z = standard.design(table, {0, 1, 2}, false).columns({0, 3});
  EXPECT_LT(z.rowwise().sum().norm(), 1e-14);
  EXPECT_NEAR(z.row(0).squaredNorm(), 3.0, 1e-13);
  expect_misuse(
      [&] {
        standard.design(table_of(x.leftCols(2), {"a", "b"}), {0}, false);
      },
      "2 columns");
  expect_misuse(
      [] {
        FeatureMap::of(table_of(Matrix::Ones(3, 2), {"a", "b"}), FeatureScale::standardize, false);
      },
      "nothing to fit");
}

/// A table of which a third is not zero, and the same as sparse rows.
std::pair<Table, Table> thinned(Index n, Index p) {
  Matrix x = toy::random_matrix(n, p, 3);
  const Matrix keep = Draws(5, 0).uniforms(0, n, p);
  auto rows_ = std::make_shared<SparseRows>();
  rows_->columns = p;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < p; ++j)
      if (keep(i, j) < 0.3) {
        rows_->column.push_back(std::int32_t(j));
        rows_->value.push_back(x(i, j));
      } else {
        x(i, j) = 0.0;
      }
    rows_->close_row();
  }
  std::vector<std::string> names;
  for (Index j = 0; j < p; ++j) names.push_back(sentence("f", j + 1));
  Table dense = table_of(x, names), sparse = table_of(Matrix(), names);
  sparse.sparse = rows_;
  return {dense, sparse};
}

TEST(FeatureMap, OfSparseRowsIsTheSame) {
  const auto [dense, sparse] = thinned(40, 6);
  for (const FeatureScale how : {FeatureScale::standardize, FeatureScale::none})
    for (const bool centred : {false, true}) {
      const FeatureMap a = FeatureMap::of(dense, how, centred),
                       b = FeatureMap::of(sparse, how, centred);
      EXPECT_EQ(a.kept, b.kept);
      EXPECT_LT((a.shift - b.shift).norm() + (a.scale - b.scale).norm(), 1e-14);
      const DesignRows x = a.design(dense, {3, 1, 7}, false),
                       y = b.design(sparse, {3, 1, 7}, false);
      EXPECT_TRUE(y.sparse());
      EXPECT_LT((x.columns({0, 3}) - y.columns({0, 3})).norm(), 1e-13);
    }
}

// Whole numbers up to 255 are not pixels: only an image is divided by 255 unasked.
TEST(FeatureMap, IsOfPixelsForImagesOnly) {
  ReducedRankSettings some;
  Table table = table_of(Matrix::Identity(2, 2), {"a", "b"}), images = table;
  images.images = true;
  EXPECT_EQ(some.scaling(table), FeatureScale::standardize);
  EXPECT_EQ(some.scaling(images), FeatureScale::pixel);
  EXPECT_EQ(some.scaling(thinned(4, 3).second), FeatureScale::none);
  some.scale = FeatureScale::pixel;
  EXPECT_EQ(some.scaling(table), FeatureScale::pixel);
  some.scale = FeatureScale::none;
  EXPECT_EQ(some.scaling(images), FeatureScale::none);
  expect_misuse([&] { FeatureMap::of(table, FeatureScale::automatic, false); },
                "pixel|standardize|none");
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

// A feature that is above its least value in one class only, and one below its largest: the third varies in both.
TEST(ReducedRank, FeaturesOfOneClassAreNamed) {
  Matrix x(3, 6);
  x << 0, 0, 0, 2, 0, 1,  //
      5, 5, 1, 5, 2, 5,   //
      1, 2, 3, 4, 5, 6;
  const ClassData some(x, {0, 0, 0, 1, 0, 1}, 2);
  EXPECT_EQ(one_class_features(some), (std::vector<Index>{0, 1}));
}

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

TEST(ReducedRank, CrossValidationChoosesTheSimplestThatIsGoodEnough) {
  ReducedRankSettings s;
  s.cv = 4;
  PlainDriver driver;
  const auto cv = cross_validate(*data(2000), s, {1, 2, 3}, {0.1, 1.0, 1e6}, driver);
  ASSERT_TRUE(cv);
  ASSERT_EQ(cv->trials.size(), 9U);
  const auto& best = cv->trials[cv->best];
  const auto& chosen = cv->trials[cv->chosen];
  EXPECT_EQ(chosen.rank, 2);  // the labels were drawn from a model of rank 2
  EXPECT_LE(chosen.loss, best.loss + best.error);
  for (const auto& one : cv->trials) {
    EXPECT_GE(one.loss, best.loss);
    const bool simpler =
        one.rank < chosen.rank || (one.rank == chosen.rank && one.ridge > chosen.ridge);
    if (simpler) {
      EXPECT_GT(one.loss, best.loss + best.error);
    }
    // A prior of variance 1e-6 leaves the classes' shares alone.
    if (one.ridge == 1e6) {
      EXPECT_GT(one.loss, best.loss + 0.1);
    }
  }
  set_threads(2);
  const auto again = cross_validate(*data(2000), s, {1, 2, 3}, {1e6, 1.0, 0.1}, driver);
  set_threads(1);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(again->trials[k].loss, cv->trials[k].loss);
  s.cv = 1;
  expect_misuse([&] { cross_validate(*data(), s, {1}, {1.0}, driver); }, "between 2 and 600");
}

TEST(ClassLabels, AreOrderedByValueAndKnownAgain) {
  const auto [y, names] = class_labels({"10", "9", "x", "9.0", "10"}, "file");
  EXPECT_EQ(names, (std::vector<std::string>{"9", "10", "x"}));
  EXPECT_EQ(y, (std::vector<int>{1, 0, 2, 0, 1}));
  EXPECT_EQ(class_labels({"x", "9"}, names, "file"), (std::vector<int>{2, 0}));
  const auto fails = [](const auto& body, const std::string& part) {
    try {
      body();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  fails([&] { class_labels({"9", "y"}, names, "file"); }, "row 2: the label 'y' is none of the 3");
  fails([] { class_labels({"1", "1.0"}, "file"); }, "two classes are needed");
  fails([] { class_labels({}, "file"); }, "no labels");
}

TEST(Npy, WhatIsWrittenIsReadBack) {
  const Matrix x = toy::random_matrix(7, 3, 1);
  const std::string bytes = npy_bytes(x);
  MemorySource source("memory", bytes);
  EXPECT_EQ(parse_npy(source).x, x);
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
