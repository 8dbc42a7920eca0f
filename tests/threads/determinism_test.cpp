// Same seed, same bits: for 1 and 2 threads, and for a run stopped and continued from its
// checkpoint; on every manifold with every Fisher approximation.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "fisherman/fisherman.hpp"
#include "toy.hpp"

namespace fisherman::threads_determinism_test {
namespace {

using Erased = State<AnyFrame, AnyFisher>;

struct Case {
  std::string name;
  AnyFrame frame;
  AnyModel model;
};

template <Frame F>
Case attraction(std::string name, const F& frame) {
  const Vector target =
      Vector(frame.point()) + 0.3 * toy::random_vector(Vector(frame.point()).size(), 77);
  return {std::move(name), frame, AnyModel::of<F>(toy::Attraction{target, 3})};
}

std::vector<Case> manifolds() {
  const Matrix S = toy::random_spd(4, 1), W = toy::random_orthonormal(5, 2, 2);
  const Vector x = toy::random_vector(4, 3);
  const FixedRank low_rank(toy::random_matrix(5, 4, 4), 2);
  const Stiefel O(toy::random_orthonormal(3, 3, 5));
  return {attraction("euclidean", Euclidean(x)),
          attraction("spd euclidean", SpdEuclidean(S)),
          attraction("spd bures-wasserstein", SpdBuresWasserstein(S)),
          attraction("spd affine", SpdAffine(S)),
          attraction("spd log-euclidean", SpdLogEuclidean(S)),
          attraction("gaussian euclidean", gaussian_euclidean(x, S)),
          attraction("gaussian bures-wasserstein", gaussian_bures_wasserstein(x, S)),
          attraction("gaussian affine", gaussian_affine(x, S)),
          attraction("stiefel cayley", Stiefel(W)),
          attraction("stiefel qr", Stiefel(W, StiefelRetraction::qr)),
          attraction("stiefel polar", Stiefel(W, StiefelRetraction::polar)),
          attraction("orthogonal", O),
          attraction("grassmann exp", Grassmann(W)),
          attraction("grassmann qr", Grassmann(W, GrassmannRetraction::qr)),
          attraction("grassmann polar", Grassmann(W, GrassmannRetraction::polar)),
          attraction("sphere", Sphere(x)),
          attraction("oblique", Oblique(toy::random_matrix(4, 3, 6))),
          attraction("fixed rank", low_rank),
          attraction("extrinsic fixed rank", Extrinsic(low_rank)),
          attraction("product", Product(O, Euclidean(x), SpdAffine(S)))};
}

std::vector<std::pair<std::string, AnyFisher>> approximations(Index d) {
  return {
      {"identity", Identity(d)},
      {"dense", Dense(d, {.epsilon = 5.0})},
      {"dense with a floor", Dense(d, {.epsilon = 5.0, .floor = {.level = 0.1}})},
      {"dense single", DenseSingle(d, {.epsilon = 5.0})},
      {"window", Window(d, {.size = 10, .epsilon = 5.0})},
      {"blocks", BlockDiagonal<AnyFisher>({Dense(1), Window(d - 1, {.size = 7, .epsilon = 5.0})})}};
}

/// Those that follow no transport but the frame's.
std::vector<std::pair<std::string, AnyFisher>> approximations_in_frames(Index d) {
  auto all = approximations(d);
  all.emplace_back("adam", Adam(d));
  all.emplace_back("kronecker", Kronecker(d, 1, {.epsilon = 5.0}));
  return all;
}

const RunOptions options{.rule = {.step_size = 0.2, .delay = 20.0, .decay = 0.6},
                         .evaluate_every = 1};

/// Every column of the trace that is not a time, and the final point, as bits.
std::vector<double> bits(const Erased& s, const Trace& trace) {
  std::vector<double> out;
  for (const Record& r : trace.records())
    for (const double v : {double(r.iteration), r.objective, r.predicted, r.step, r.kl,
                           r.gradient_norm, r.step_norm, double(r.rejected), double(r.clips)})
      out.push_back(v);
  const Vector end = s.estimate().point();
  out.insert(out.end(), end.data(), end.data() + end.size());
  return out;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

Erased start(const AnyFrame& frame, const AnyFisher& fisher) {
  return {frame, fisher, 9, Average({.on = true, .start = 5})};
}

std::vector<double> whole_run(const Case& c, const AnyFisher& fisher, const RunOptions& how,
                              int iterations) {
  Erased s = start(c.frame, fisher);
  Trace trace;
  AnyModel model = c.model;
  run(s, model, how, after_iterations(iterations), {trace.observer()});
  return bits(s, trace);
}

std::vector<double> interrupted_run(const Case& c, const AnyFisher& fisher, const RunOptions& how,
                                    int stop, int iterations) {
  const auto file =
      std::filesystem::temp_directory_path() / ("fisherman-resume-" + std::to_string(getpid()));
  Trace trace;
  AnyModel model = c.model;
  {
    Erased s = start(c.frame, fisher);
    run(s, model, how, after_iterations(stop), {trace.observer()});
    write_checkpoint(file, saved(s));
  }
  Erased s = start(c.frame, fisher);
  restore(s, read_checkpoint(file));
  std::filesystem::remove(file);
  run(s, model, how, after_iterations(iterations), {trace.observer()});
  return bits(s, trace);
}

/// The same bits with two threads, and after a resume.
void expect_the_same_bits(const Case& c, const AnyFisher& fisher) {
  set_threads(1);
  const auto one = whole_run(c, fisher, options, 30);
  EXPECT_TRUE(same(one, interrupted_run(c, fisher, options, 11, 30)));
  set_threads(2);
  EXPECT_TRUE(same(one, whole_run(c, fisher, options, 30)));
  set_threads(1);
}

TEST(Determinism, ThreadsAndResumesDoNotChangeABit) {
  int combinations = 0;
  for (const Case& c : manifolds())
    for (const auto& [name, fisher] : approximations_in_frames(c.frame.dimension())) {
      set_threads(1);
      const auto one = whole_run(c, fisher, options, 40);
      set_threads(2);
      EXPECT_TRUE(same(one, whole_run(c, fisher, options, 40)))
          << c.name << ", " << name << ": threads";
      EXPECT_TRUE(same(one, interrupted_run(c, fisher, options, 17, 40)))
          << c.name << ", " << name << ": resume";
      EXPECT_FALSE(std::isnan(one[one.size() - 1]));
      ++combinations;
    }
  set_threads(1);
  EXPECT_EQ(combinations, 20 * 8);
}

TEST(Determinism, HoldsWithThePaperTransports) {
  RunOptions paper = options;
  paper.carry = Carry::paper;
  for (const Case& c : manifolds()) {
    if (c.name == "gaussian affine" || c.name == "stiefel qr" || c.name == "stiefel polar" ||
        c.name == "grassmann qr" || c.name == "grassmann polar")
      continue;  // no such transport
    for (const auto& [name, fisher] : approximations(c.frame.dimension())) {
      if (c.name == "fixed rank" && (name == "window" || name == "blocks")) continue;  // no inverse
      set_threads(1);
      const auto one = whole_run(c, fisher, paper, 25);
      set_threads(2);
      EXPECT_TRUE(same(one, whole_run(c, fisher, paper, 25)))
          << c.name << ", " << name << ": threads";
      EXPECT_TRUE(same(one, interrupted_run(c, fisher, paper, 9, 25)))
          << c.name << ", " << name << ": resume";
    }
  }
  set_threads(1);
}

TEST(Determinism, HoldsForATransportOfManyColumns) {  // 91: more than one task of the transport
  RunOptions paper = options;
  paper.carry = Carry::paper;
  const Case c = attraction("bures-wasserstein", SpdBuresWasserstein(toy::random_spd(13, 1)));
  set_threads(1);
  const auto one = whole_run(c, Dense(91), paper, 10);
  set_threads(2);
  EXPECT_TRUE(same(one, whole_run(c, Dense(91), paper, 10)));
  set_threads(1);
}

TEST(Determinism, HoldsForTheExactOperator) {
  const auto q = gaussian_bures_wasserstein(toy::random_vector(3, 1), toy::random_spd(3, 2));
  const PointwiseTarget target(3, [](const Vector& b, Vector& g) {
    g = -b;
    return -0.5 * b.squaredNorm();
  });
  const Case c{"gaussian", q,
               AnyModel::of<GaussianBuresWasserstein>(GaussianVb(target, {.draws = 5}))};
  expect_the_same_bits(c, Exact(q.dimension()));
}

TEST(Determinism, HoldsForScoresThatAreKeptAsFactors) {
  const Matrix X = toy::random_matrix(700, 3, 1);  // more than one group of rows
  const Vector y = (X.col(0).array() > 0.0).cast<double>();
  const NeuralTarget target(X, y, {.hidden = 2});
  const OrthogonalFlow family(target.dimension(), {});
  const auto frame = family.start(0.1 * toy::random_vector(target.dimension(), 2));
  const FlowVb<NeuralTarget, OrthogonalFlow> model(target, family, {.draws = 6, .scores = 6});
  const Case c{"flow", frame, AnyModel::of<OrthogonalFlow::Frame>(model)};
  expect_the_same_bits(c, FactoredWindow(family.score_shape(), {.size = 15, .epsilon = 15.0}));
}

TEST(Determinism, HoldsForScoresThatAreOuterProducts) {
  const Index p = 6, k = 3, r = 2, rows = 1100;  // more than one group of rows
  std::vector<int> classes;
  for (Index i = 0; i < rows; ++i) classes.push_back(int(i * i % (k + 1)));
  const auto data =
      std::make_shared<const ClassData>(toy::random_matrix(p, rows, 1), classes, k + 1);
  const ReducedRank start(FixedRank(toy::random_matrix(p, k, 2), r), Euclidean(Vector::Zero(k)));
  const Case c{"reduced rank", start,
               AnyModel::of<ReducedRank>(Multinomial(data, {.batch = 64, .scores = 8}))};
  expect_the_same_bits(
      c, Decorrelated({r * r, p, r}, {r * r, k * r, k}, {.epsilon = 5.0, .every = 2}));
}

TEST(Determinism, HoldsForOperatorsOfManyTiles) {
  const Index d = 700;
  const Euclidean x(Vector::Zero(d));
  for (const Index batch : {1, 9}) {
    const Case c{"large", x, AnyModel::of<Euclidean>(toy::Attraction{Vector::Ones(d), batch})};
    set_threads(1);
    const auto one = whole_run(c, Dense(d), options, 40);
    for (const int threads : {2, 3}) {
      set_threads(threads);
      EXPECT_TRUE(same(one, whole_run(c, Dense(d), options, 40)))
          << batch << " scores, " << threads << " threads";
    }
  }
  set_threads(1);
}

TEST(ParallelFor, RunsEachTaskOnceAndPassesExceptionsOn) {
  set_threads(3);
  std::vector<std::atomic<int>> hits(100);
  for (int repeat = 0; repeat < 50; ++repeat) parallel_for(100, [&](std::size_t i) { ++hits[i]; });
  for (const auto& h : hits) EXPECT_EQ(h, 50);
  EXPECT_THROW(parallel_for(10,
                            [](std::size_t i) {
                              if (i == 7) throw Misuse("seven");
                            }),
               Misuse);
  std::atomic<int> inner = 0;  // nested and concurrent batches are run by their callers
  parallel_for(4, [&](std::size_t) { parallel_for(5, [&](std::size_t) { ++inner; }); });
  EXPECT_EQ(inner, 20);
  std::thread other([&] { parallel_for(50, [&](std::size_t) { ++inner; }); });
  parallel_for(50, [&](std::size_t) { ++inner; });
  other.join();
  EXPECT_EQ(inner, 120);
  EXPECT_EQ(threads(), 3);
  EXPECT_THROW(set_threads(-1), Misuse);
  EXPECT_THROW(parallel_for(2, [](std::size_t) { set_threads(1); }), Misuse);
  set_threads(1);
}

}  // namespace
}  // namespace fisherman::threads_determinism_test
