// L-BFGS in moving frames, against closed forms and against itself: resumed, erased, on a sphere or flat.
#include "fisherman/solve/descend.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "expect_laws.hpp"
#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/exact.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/manifold/grassmann.hpp"
#include "fisherman/manifold/sphere.hpp"
#include "fisherman/manifold/stiefel.hpp"
#include "fisherman/model/any_model.hpp"
#include "toy.hpp"

namespace fisherman::solve_descend_test {
namespace {

/// ½xᵀAx − bᵀx, with A as its Fisher operator.
struct Quadratic {
  Matrix A;
  Vector b;
  Vector gradient(const Euclidean& x, const Draws&) const { return A * x.point() - b; }
  double objective(const Euclidean& x) const {
    return 0.5 * x.point().dot(A * x.point()) - b.dot(x.point());
  }
  Matrix scores(const Euclidean&, const Draws& draws) const {
    return A.llt().matrixL() * draws.normals(0, A.rows(), 4);
  }
  FisherOperator fisher(const Euclidean&) const {
    return {[this](const Vector& v) -> Vector { return A * v; },
            [this](const Vector& g) -> Vector { return A.llt().solve(g); }};
  }
};

struct Rosenbrock {
  ValueAndGradient value_and_gradient(const Euclidean& at) const {
    const Vector x = at.point();
    const double a = 1.0 - x(0), c = x(1) - x(0) * x(0);
    return {a * a + 100.0 * c * c, Vector{{-2.0 * a - 400.0 * x(0) * c, 200.0 * c}}};
  }
  Vector gradient(const Euclidean& x, const Draws&) const { return value_and_gradient(x).gradient; }
};

/// −½ tr XᵀAX: the leading eigenvectors.
struct Rayleigh {
  Matrix A;
  template <class F>
  Vector gradient(const F& x, const Draws&) const {
    const Index n = A.rows();
    const Vector point = x.point();
    const Matrix image = A * as_matrix(point.data(), n, point.size() / n);
    return x.pull(Matrix(-as_vector(image)));
  }
  template <class F>
  double objective(const F& x) const {
    const Index n = A.rows();
    const Vector point = x.point();
    const auto X = as_matrix(point.data(), n, point.size() / n);
    return -0.5 * (X.transpose() * A * X).trace();
  }
};

const Stop precise = when_predicted_below(1e-14) || after_iterations(500);

TEST(Descend, SolvesALinearSystem) {
  Quadratic model{toy::random_spd(12, 1), toy::random_vector(12, 2)};
  State state{Euclidean(Vector::Zero(12)), Identity(12)};
  const Outcome outcome = descend(state, model, {}, precise);
  EXPECT_EQ(outcome.status, Status::converged);
  // ½gᵀA⁻¹g < 1e-14 is an error of 1.4e-7/√λmin, and λmin > 0.1.
  EXPECT_LT((state.frame.point() - model.A.llt().solve(model.b)).norm(), 1e-6);
}

TEST(Descend, TakesOneStepWithTheExactFirstMatrix) {
  Quadratic model{toy::random_spd(12, 1), toy::random_vector(12, 2)};
  State state{Euclidean(Vector::Zero(12)), Exact(12)};
  const Outcome outcome = descend(state, model, {.learn_every = 1}, precise);
  EXPECT_EQ(outcome.status, Status::converged);
  EXPECT_EQ(state.iteration, 1);
}

TEST(Descend, WalksRosenbrocksValley) {
  Rosenbrock model;
  State state{Euclidean(Vector{{-1.2, 1.0}}), Identity(2)};
  const Outcome outcome =
      descend(state, model, {}, when_predicted_below(1e-20) || after_iterations(200));
  EXPECT_EQ(outcome.status, Status::converged);
  EXPECT_LT((state.frame.point() - Vector::Ones(2)).norm(), 1e-8);
  EXPECT_LT(state.iteration, 60);  // published implementations take 35 to 40
}

TEST(Descend, FindsEigenvectorsOnEveryManifoldOfThem) {
  const Index n = 30;
  const Matrix A = toy::random_spd(n, 3);
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(A).eigenvalues();
  const auto check = [&](const auto& start, Index p, Index most) {
    Rayleigh model{A};
    State state{start, Identity(start.dimension())};
    const Outcome outcome = descend(state, model, {}, precise);
    EXPECT_EQ(outcome.status, Status::converged) << p;
    EXPECT_NEAR(state.objective, -0.5 * values.tail(p).sum(), 1e-10) << p;
    EXPECT_LT(state.iteration, most) << p;
  };
  check(Sphere(toy::random_vector(n, 4)), 1, 80);
  check(Stiefel(toy::random_orthonormal(n, 3, 5)), 3, 160);
  check(Grassmann(toy::random_orthonormal(n, 3, 5)), 3, 160);
}

TEST(Descend, GoesOnBitForBitAndErasedToo) {
  const Matrix A = toy::random_spd(20, 3);
  const Sphere start(toy::random_vector(20, 4));
  Rayleigh model{A};
  State whole{start, Identity(start.dimension())};
  descend(whole, model, {}, after_iterations(20));
  State part{start, Identity(start.dimension())};
  descend(part, model, {}, after_iterations(7));
  State resumed{start, Identity(start.dimension())};
  restore(resumed, saved(part));
  descend(resumed, model, {}, after_iterations(20));
  EXPECT_EQ(Vector(whole.frame.point()), Vector(resumed.frame.point()));
  EXPECT_EQ(whole.predicted, resumed.predicted);
  State<AnyFrame, AnyFisher> erased{AnyFrame(start), AnyFisher(Identity(start.dimension()))};
  AnyModel any = AnyModel::of<Sphere>(model);
  descend(erased, any, {}, after_iterations(20));
  EXPECT_EQ(Vector(whole.frame.point()), Vector(erased.frame.point()));
}

TEST(Descend, GoesOnBitForBitWithAMatrixThatLearns) {
  Quadratic model{toy::random_spd(12, 1), toy::random_vector(12, 2)};
  const auto check = [&](const auto& fisher) {
    const Euclidean start(Vector::Zero(12));
    State whole{start, fisher}, part{start, fisher}, resumed{start, fisher};
    for (const std::int64_t every : {1, 3}) {
      const DescentOptions options{.learn_every = every};
      State a = whole, b = part, c = resumed;
      descend(a, model, options, after_iterations(6));
      descend(b, model, options, after_iterations(3));
      restore(c, saved(b));
      descend(c, model, options, after_iterations(6));
      EXPECT_EQ(Vector(a.frame.point()), Vector(c.frame.point())) << every;
      EXPECT_EQ(a.predicted, c.predicted) << every;
    }
  };
  check(Dense(12, {.epsilon = 1.0}));
  check(Exact(12));
}

TEST(Descend, SaysWhereItStalls) {
  struct Uphill {
    double objective(const Euclidean& x) const { return x.point().squaredNorm(); }
    Vector gradient(const Euclidean& x, const Draws&) const { return -2.0 * x.point(); }
  } model;
  State state{Euclidean(Vector::Ones(2)), Identity(2)};
  const Outcome outcome = descend(state, model, {}, precise);
  EXPECT_EQ(outcome.status, Status::stalled);
  EXPECT_EQ(Vector(state.frame.point()), Vector(Vector::Ones(2)));
}

TEST(Descend, StepsBackFromWhereTheModelIsNotDefined) {
  struct Barrier {  // x − log x
    double objective(const Euclidean& x) const { return x.point()(0) - std::log(x.point()(0)); }
    Vector gradient(const Euclidean& x, const Draws&) const {
      return Vector::Constant(1, 1.0 - 1.0 / x.point()(0));
    }
  } model;
  State state{Euclidean(Vector::Constant(1, 8.0)), Identity(1)};
  const Outcome outcome = descend(state, model, {}, precise);
  EXPECT_EQ(outcome.status, Status::converged);
  EXPECT_NEAR(state.frame.point()(0), 1.0, 1e-6);
  State outside{Euclidean(Vector::Constant(1, -1.0)), Identity(1)};
  EXPECT_THROW(descend(outside, model, {}, precise), NotFinite);
}

}  // namespace
}  // namespace fisherman::solve_descend_test
