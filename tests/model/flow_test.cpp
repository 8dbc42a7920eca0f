// The flow families against finite differences of their own densities, against importance sampling, and
// the whole method against the paper's recursion in ambient numbers.
#include <Eigen/LU>

#include "../fisher/psi_recursion.hpp"
#include "expect_laws.hpp"
#include "fisherman/core/packing.hpp"
#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fisher/window.hpp"
#include "fisherman/model/flow_vb.hpp"
#include "fisherman/model/neural.hpp"
#include "fisherman/model/orthogonal_flow.hpp"
#include "fisherman/model/sylvester_flow.hpp"
#include "fisherman/solve/run.hpp"
#include "fisherman/testing/model_laws.hpp"
#include "toy.hpp"

namespace fisherman::model_flow_test {
namespace {

/// Smooth, not Gaussian, with a gradient by hand: −Σ cosh(βᵢ − cᵢ) − ½(β₁β₂)².
struct Bowl {
  Index d;
  Index dimension() const { return d; }
  Vector log_density(const Matrix& betas, Matrix& gradients) const {
    Vector values(betas.cols());
    for (Index k = 0; k < betas.cols(); ++k) {
      const auto b = betas.col(k).array();
      const Eigen::ArrayXd c = Eigen::ArrayXd::LinSpaced(d, -0.5, 0.7);
      const double both = b(0) * b(1);
      values(k) = -(b - c).cosh().sum() - 0.5 * both * both;
      gradients.col(k) = -(b - c).sinh();
      gradients(0, k) -= both * b(1);
      gradients(1, k) -= both * b(0);
    }
    return values;
  }
};

/// Somewhere in the middle of the manifold.
template <class F>
F wandered(const F& start, double length, std::uint64_t seed) {
  F frame = start;
  for (std::uint64_t k = 0; k < 3; ++k) {
    const Vector v = toy::random_vector(frame.dimension(), seed + k);
    frame = frame.retract(Vector(length / v.norm() * v));
  }
  return frame;
}

/// The normals that the reparameterised gradient follows to a frame close by. A Gaussian's draws move by
/// dy = du + ½UΣ⁻¹(y−μ), the path of least noise; a Cholesky factor would turn them besides.
Matrix followed(const OrthogonalFlow::Frame&, const OrthogonalFlow::Frame&, const Matrix& normals) {
  return normals;
}
Matrix followed(const SylvesterFlow::Frame& from, const SylvesterFlow::Frame& to,
                const Matrix& normals) {
  const Matrix S = from.factor<0>().covariance(), L = S.llt().matrixL();
  const Matrix next = to.factor<0>().covariance(), next_L = next.llt().matrixL();
  const Matrix moved = L * normals + 0.5 * (next - S) * S.llt().solve(L * normals);
  return next_L.triangularView<Eigen::Lower>().solve(moved);
}

template <class Check>
void in_all_families(Index d, Check check) {
  const Vector centre = 0.3 * toy::random_vector(d, 1);
  for (const bool scaled : {false, true})
    for (const bool free_w1 : {false, true}) {
      const OrthogonalFlow family(d, {.scaled = scaled, .free_w1 = free_w1});
      check(family, wandered(family.start(centre, scaled ? 1.5 : 1.0), 1.0, 2),
            sentence(scaled ? "scaled" : "paper", free_w1 ? ", W1 free" : ""));
    }
  for (const auto& [rank, layers] : {std::pair<Index, Index>{1, 3}, {2, 2}, {d, 1}, {1, 0}}) {
    const SylvesterFlow family(d, {.rank = rank, .layers = layers});
    check(family, wandered(family.start(centre, 0.7, 3), 1.0, 2),
          sentence("sylvester, rank ", rank, ", ", layers, " layers"));
  }
}

// Central differences at h = 1e-5 of functions of size 10 with third derivatives of size 10³: an error of
// about 1e-10/6·10³ + 1e-15/h, some 1e-8, below the 1e-7 that is asked for.
TEST(FlowFamily, DensityScoresAndGradientsAgreeWithFiniteDifferences) {
  const Index d = 4;
  const double h = 1e-5;
  in_all_families(d, [&](const auto& family, const auto& frame, const std::string& name) {
    const Bowl target{d};
    const Matrix normals = toy::random_matrix(d, 3, 5);
    const auto sample = family.sample(frame, normals);
    EXPECT_LT((sample.log_q - family.log_density(frame, sample.ys)).norm(), 1e-9) << name;
    const Matrix scores = family.scores(frame, sample);
    Matrix slopes(d, 3), unused(d, 3);
    target.log_density(sample.ys, slopes);
    const Vector gradient = family.gradient(frame, sample, slopes);
    const auto loss = [&](const auto& there) {
      const auto moved = family.sample(there, followed(frame, there, normals));
      return (moved.log_q - target.log_density(moved.ys, unused)).mean();
    };
    double of_scores = 0.0, of_gradient = 0.0;
    for (Index i = 0; i < frame.dimension(); ++i) {
      const Vector step = h * Vector::Unit(frame.dimension(), i);
      const auto ahead = frame.retract(step), behind = frame.retract(Vector(-step));
      const Vector slope =
          (family.log_density(ahead, sample.ys) - family.log_density(behind, sample.ys)) /
          (2.0 * h);
      of_scores = std::max(
          of_scores, ((slope - scores.row(i).transpose()).array() / (1.0 + slope.array().abs()))
                         .abs()
                         .maxCoeff());
      const double by_loss = (loss(ahead) - loss(behind)) / (2.0 * h);
      of_gradient =
          std::max(of_gradient, std::abs(by_loss - gradient(i)) / (1.0 + std::abs(by_loss)));
    }
    EXPECT_LT(of_scores, 1e-7) << name;
    EXPECT_LT(of_gradient, 1e-7) << name;
  });
}

TEST(FlowFamily, ScoresHaveMeanZeroAndTheClosedFormIsTheirSecondMoment) {
  in_all_families(3, [&](const auto& family, const auto& frame, const std::string& name) {
    if constexpr (std::is_same_v<std::decay_t<decltype(family)>, OrthogonalFlow>)
      if (family.options().free_w1) return;  // its Fisher operator is singular and refuses
    FlowVb model(Bowl{3}, family, {.scores = 500});
    const auto report = testing::check_scores(model, frame, {.repeats = 400});
    EXPECT_TRUE(report.ok()) << name << '\n' << report;
  });
}

// ∫q = E[q/n] for y ~ n, a normal that covers q: within 5 standard errors, which must be small.
TEST(FlowFamily, DensitiesIntegrateToOne) {
  for (const Index d : {2, 5})
    in_all_families(d, [&](const auto& family, const auto& frame, const std::string& name) {
      const auto draws = family.sample(frame, toy::random_matrix(d, 4000, 6));
      const Vector mean = draws.ys.rowwise().mean();
      const Matrix centred = draws.ys.colwise() - mean;
      const Matrix cover = 1.5 / 4000.0 * centred * centred.transpose();
      const Matrix L = cover.llt().matrixL();
      const Index count = 40000;
      const Matrix z = toy::random_matrix(d, count, 7);
      const Vector log_n = -0.5 * z.colwise().squaredNorm().transpose().array() -
                           0.5 * double(d) * std::log(2 * std::acos(-1.0)) -
                           L.diagonal().array().log().sum();
      const Matrix ys = (L * z).colwise() + mean;
      const Eigen::ArrayXd ratio = (family.log_density(frame, ys) - log_n).array().exp();
      const double error = std::sqrt((ratio - ratio.mean()).square().mean() / double(count));
      EXPECT_NEAR(ratio.mean(), 1.0, 5.0 * error) << name << ", d = " << d;
      EXPECT_LT(error, 0.02) << name << ", d = " << d;
    });
}

// 100,000 draws: an entry of their covariance has a standard error of at most √(2/n) of its scale.
TEST(FlowFamily, StartsWithTheMomentsOfAGaussian) {
  const Index d = 3, n = 100000;
  const Vector mean{{1.0, -2.0, 0.5}};
  const Matrix A = toy::random_matrix(d, d, 31),
               covariance = A * A.transpose() + 0.1 * Matrix::Identity(d, d);
  for (const bool free_w1 : {false, true}) {
    const OrthogonalFlow family(d, {.scaled = true, .free_w1 = free_w1});
    const Matrix ys =
        family.sample(family.start(mean, covariance), Draws(7, 0).normals(0, d, n)).ys;
    const Vector centre = ys.rowwise().mean();
    const Matrix spread = ys.colwise() - centre;
    const double scale = covariance.diagonal().maxCoeff();
    EXPECT_LT((centre - mean).cwiseAbs().maxCoeff(), 5.0 * std::sqrt(scale / double(n)));
    EXPECT_LT((spread * spread.transpose() / double(n) - covariance).cwiseAbs().maxCoeff(),
              5.0 * scale * std::sqrt(2.0 / double(n)));
  }
  EXPECT_THROW(OrthogonalFlow(d, {.scaled = false}).start(mean, covariance), Misuse);
}

TEST(FlowVb, StickingTheLandingHasTheSameMean) {
  const OrthogonalFlow family(3);
  const auto frame = wandered(family.start(Vector::Zero(3), 1.5), 0.5, 8);
  const FlowVb plain(Bowl{3}, family, {.draws = 100000}),
      landing(Bowl{3}, family, {.draws = 100000, .landing = true});
  const Vector a = plain.gradient(frame, Draws(1, 1)), b = landing.gradient(frame, Draws(1, 1));
  const Matrix scores = FlowVb(Bowl{3}, family, {.scores = 100000}).scores(frame, Draws(1, 2));
  // They differ by the mean of 100,000 scores.
  const Vector error = (scores.rowwise().squaredNorm() / 1e10).cwiseSqrt();
  EXPECT_LT(((a - b).array() / (error.array() + 1e-12)).abs().maxCoeff(), 5.0);
  EXPECT_GT((a - b).norm(), 0.0);
}

TEST(FlowVb, AFlowWithoutLayersIsTheGaussian) {
  const SylvesterFlow family(3, {.rank = 1, .layers = 0});
  const auto frame = family.start(Vector{{0.1, -0.3, 0.2}}, 0.8, 1);
  const PointwiseTarget normal(3, [](const Vector& b, Vector& g) {
    g = -b;
    return -0.5 * b.squaredNorm();
  });
  // KL(N(m, s²I) ‖ N(0, I)) less the normal's constant; 200,000 draws, standard deviation about 1.
  const double exact =
      0.5 * (0.14 + 3 * 0.64 - 3 - 3 * std::log(0.64)) - 1.5 * std::log(2 * std::acos(-1.0));
  const auto estimate = FlowVb(normal, family).nelbo(frame, Draws(1, 1), 200000);
  EXPECT_NEAR(estimate.mean, exact, 5.0 * estimate.error);
  EXPECT_LT(estimate.error, 0.01);
}

NeuralTarget small_network() {
  const Matrix X = toy::random_matrix(40, 2, 11), u = Draws(11, 1).uniforms(0, 40, 1);
  Vector y(40);
  for (Index i = 0; i < 40; ++i) y(i) = u(i) < (X(i, 0) > 0.0 ? 0.8 : 0.2) ? 1.0 : 0.0;
  return {X, y, {.hidden = 3}};  // 13 weights
}

TEST(FactoredWindow, EqualsAWindowOfWrittenOutScores) {
  const OrthogonalFlow family(5, {.free_w1 = true});
  auto frame = family.start(Vector::Zero(5));
  const FlowVb model(Bowl{5}, family, {.scores = 3});
  Window written(frame.dimension(), {.size = 8, .epsilon = 2.0});
  FactoredWindow factored(family.score_shape(), {.size = 8, .epsilon = 2.0});
  for (std::uint64_t k = 0; k < 12; ++k) {
    const Vector g = toy::random_vector(frame.dimension(), 20 + k);
    written.absorb(model.scores(frame, Draws(1, k)));
    factored.learn(model, frame, Draws(1, k));
    const Vector ours = factored.solve(g);
    EXPECT_LT((ours - written.solve(g)).norm(), 1e-12 * ours.norm());
    frame = frame.retract(0.1 * g / g.norm());
  }
  expect_misuse([&] { factored.absorb(Matrix::Zero(frame.dimension(), 1)); }, "factored");
  expect_misuse(
      [&] {
        AnyFisher erased = factored;
        AnyModel plain = AnyModel::of<Euclidean>(toy::Attraction{Vector::Zero(3)});
        erased.learn(plain, Euclidean(Vector::Zero(3)), Draws(1, 1));
      },
      "no factors");
}

/// The paper's method as printed: scores and ψ-vectors are ambient matrices, projected by
/// eq:stiefel-tangent-projection and moved by eq:stiefel-isometric-transport.
struct AmbientMethod {
  Matrix W2, W1;
  Vector rest;

  static Matrix projected(const Matrix& X, const Matrix& M) {
    const Matrix A = X.transpose() * M;
    return M - X * (0.5 * (A + A.transpose()));
  }
  static Matrix cayley(const Matrix& X, const Matrix& U) {
    const Matrix I = Matrix::Identity(X.rows(), X.rows()), P = I - 0.5 * X * X.transpose();
    const Matrix W = P * U * X.transpose() - X * U.transpose() * P;
    return (I - 0.5 * W).inverse() * (I + 0.5 * W);
  }
  Vector flat(const Matrix& a, const Matrix& b, const Vector& c) const {
    Vector out(a.size() + b.size() + c.size());
    out << as_vector(a), as_vector(b), c;
    return out;
  }
  void move(const Vector& v, oracle::PsiRecursion& psi) {
    const Index d = W2.rows(), size = d * d;
    const Matrix C2 = cayley(W2, as_matrix(v.data(), d, d)),
                 C1 = cayley(W1, as_matrix(v.data() + size, d, d));
    W2 = C2 * W2;
    W1 = C1 * W1;
    rest += v.tail(rest.size());
    const Transport::Map turn = [=](const ConstMatrixRef& m) -> Matrix {
      Matrix out = m;
      for (Index k = 0; k < m.cols(); ++k) {
        Eigen::Map<Matrix>(out.col(k).data(), d, d) = C2 * as_matrix(m.col(k).data(), d, d);
        Eigen::Map<Matrix>(out.col(k).data() + size, d, d) =
            C1 * as_matrix(m.col(k).data() + size, d, d);
      }
      return out;
    };
    psi.transport(Transport::isometry(turn, turn));
  }
};

TEST(FactoredWindow, IsThePapersMethodInAmbientNumbersOver150Iterations) {
  const NeuralTarget target = small_network();
  const Index d = target.dimension(), K = 40, new_scores = 5;
  ASSERT_EQ(d, 13);
  const double epsilon = 50.0;
  const OrthogonalFlow family(d, {.scaled = true, .free_w1 = true});
  const FlowVb model(target, family, {.draws = 5, .scores = new_scores});
  const StepRule rule{.step_size = 0.02,
                      .delay = 50.0,
                      .decay = 0.6,
                      .kl_radius = 0.0,
                      .norm_cap = 0.3,
                      .guard = false};
  State state{family.start(0.1 * toy::random_vector(d, 12)),
              FactoredWindow(family.score_shape(), {.size = K, .epsilon = epsilon}), 7};
  AmbientMethod paper{state.frame.factor<0>()[0].matrix(), state.frame.factor<0>()[1].matrix(),
                      state.frame.factor<1>().point()};
  oracle::PsiRecursion psi(K, epsilon);
  double apart = 0.0, moved = 0.0;
  const Vector start = state.frame.point();
  for (std::int64_t s = 0; s < 150; ++s) {
    // The oracle: Euclidean scores and gradients, written out and projected.
    const Draws draws(7, std::uint64_t(s));
    const auto frame = OrthogonalFlow::Frame(Power<Stiefel>({Stiefel(paper.W2), Stiefel(paper.W1)}),
                                             Euclidean(paper.rest));
    const auto sample = family.sample(frame, draws.normals(1, d, new_scores));
    const ScoreFactors factors = scores_as<ScoreFactors>(family, frame, sample);
    for (Index k = 0; k < new_scores; ++k) {
      // log q depends on W₂ through z = W₂ᵀ(y−b₂)/s: its Euclidean gradient is (y−b₂)aᵀ.
      const Matrix E = (sample.ys.col(k) - paper.rest.segment(d, d)) * sample.a.col(k).transpose();
      psi.insert(paper.flat(AmbientMethod::projected(paper.W2, E), Matrix::Zero(d, d),
                            factors.rest.col(k)),
                 paper.flat(AmbientMethod::projected(paper.W2, E), Matrix::Zero(d, d),
                            factors.rest.col(k)));
    }
    const auto drawn = family.sample(frame, draws.normals(0, d, 5));
    Matrix slopes(d, 5);
    target.log_density(drawn.ys, slopes);
    const Matrix u = paper.W2.transpose() * slopes;
    const Matrix t =
        (2.0 * drawn.z.array() - 1.0 - drawn.p.array() * (1.0 - drawn.z.array()) * u.array())
            .matrix();
    const Vector all = family.gradient(frame, drawn, slopes);
    const Vector g = paper.flat(
        AmbientMethod::projected(paper.W2, -slopes * drawn.p.transpose() / 5.0),
        AmbientMethod::projected(paper.W1, t * drawn.eps.transpose() / 5.0), all.tail(3 * d));
    const Vector natural = psi.solve(g);
    const double tau = rule.length(s, g.dot(natural), natural.norm());
    paper.move(-tau * natural, psi);

    advance(state, model, rule);
    ++state.iteration;
    const Vector theirs = paper.flat(paper.W2, paper.W1, paper.rest);
    apart = std::max(apart, (Vector(state.frame.point()) - theirs).cwiseAbs().maxCoeff());
    moved = (theirs - start).norm();
  }
  EXPECT_LT(apart, 1e-12);
  EXPECT_GT(moved, 1.0);  // it went somewhere
}

TEST(FlowFamily, Misuse) {
  expect_misuse([] { OrthogonalFlow(1); }, "at least 2");
  expect_misuse([] { OrthogonalFlow(3).start(Vector::Zero(2)); }, "must have 3");
  expect_misuse([] { OrthogonalFlow(3, {.scaled = false}).start(Vector::Zero(3), 2.0); },
                "printed family's is 1");
  expect_misuse([] { SylvesterFlow(3, {.rank = 4}); }, "rank is 4");
  expect_misuse([] { SylvesterFlow(3, {.layers = -1}); }, "layers is -1");
  const OrthogonalFlow free(3, {.free_w1 = true});
  expect_misuse([&] { free.fisher(free.start(Vector::Zero(3))); }, "singular");
  expect_misuse([] { FlowVb(Bowl{3}, OrthogonalFlow(4)); }, "dimension 3");
  expect_misuse([] { FlowVb(Bowl{3}, OrthogonalFlow(3), {.minibatch = 5}); }, "minibatches");
  expect_misuse(
      [] { FlowVb(Bowl{3}, OrthogonalFlow(3), {.draws = 2, .scores = 3, .reuse_draws = true}); },
      "only 2 draws");
}

}  // namespace
}  // namespace fisherman::model_flow_test
