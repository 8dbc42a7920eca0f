#include "fisherman/manifold/stiefel.hpp"

#include <Eigen/LU>

#include "expect_laws.hpp"
#include "toy.hpp"

namespace fisherman::manifold_stiefel_test {
namespace {

TEST(Stiefel, Laws) {
  for (const auto& [n, p] : {std::pair{5, 2}, {7, 3}, {3, 3}, {4, 1}, {6, 5}}) {
    const Matrix X = toy::random_orthonormal(n, p, 1);
    expect_laws(Stiefel(X), {.embedded = true, .order = 1, .exp_log = n == p});
    expect_laws(Stiefel(X, StiefelRetraction::qr),
                {.embedded = true, .order = 1, .exp_log = n == p});
    expect_laws(Stiefel(X, StiefelRetraction::polar),
                {.embedded = true, .order = 1, .exp_log = n == p});
    expect_transport_laws(Stiefel(X));
  }
}

// St(p, n) with p < n has no exp in closed form: the order is checked by the acceleration.
TEST(Stiefel, CayleyIsSecondOrderForOneColumn) {
  expect_laws(Stiefel(toy::random_orthonormal(4, 1, 2)),
              {.embedded = true, .order = 2, .exp_log = false});
}

TEST(Stiefel, NearlyOrthonormalStartsAreMadeOrthonormal) {
  const Stiefel f(toy::random_orthonormal(5, 2, 2) + 1e-10 * toy::random_matrix(5, 2, 3));
  EXPECT_LT((f.matrix().transpose() * f.matrix() - Matrix::Identity(2, 2)).norm(), 1e-14);
}

TEST(Orthogonal, AHalfTurnHasNoUniqueLogarithm) {
  const Matrix half = Vector{{-1.0, -1.0, 1.0}}.asDiagonal();
  expect_misuse([&] { Stiefel(Matrix::Identity(3, 3)).log(Stiefel(half)); }, "not unique");
}

TEST(Stiefel, PolarIsSecondOrder) {
  expect_laws(Stiefel(toy::random_orthonormal(6, 3, 2), StiefelRetraction::polar),
              {.embedded = true, .order = 2, .exp_log = false});
}

TEST(Orthogonal, LawsAndSecondOrderCayley) {
  for (const Index n : {2, 5}) {
    const Stiefel W(toy::random_orthonormal(n, n, 3));
    expect_laws(W, {.embedded = true, .order = 2});
    expect_transport_laws(W);
  }
}

TEST(Stiefel, OneStepByHand) {
  // On the circle St(1,2) from (1,0), the Cayley step with angle coordinate k moves to the angle
  // 2·atan(k/2).
  const Stiefel X(Matrix(Vector::Unit(2, 0)));
  const double k = 0.6 * (X.complement()(1, 0) > 0 ? 1.0 : -1.0);
  const Matrix Y = X.retract(Vector::Constant(1, k)).matrix();
  EXPECT_NEAR(std::atan2(Y(1), Y(0)), 2.0 * std::atan(0.3), 1e-14);
}

// eq:stiefel-isometric-transport with the n×n matrix W_U as the paper prints it.
TEST(Stiefel, PaperTransportIsTheIdentityInCoordinates) {
  for (const auto& [n, p] : {std::pair{6, 6}, {9, 3}, {8, 5}}) {
    const Stiefel f(toy::random_orthonormal(n, p, 4));
    const Vector step = 0.7 * toy::random_vector(f.dimension(), 5).normalized();
    const Matrix X = f.matrix(), I = Matrix::Identity(n, n), P = I - 0.5 * X * X.transpose();
    const Vector pushed = f.push(step);
    const Matrix U = as_matrix(pushed.data(), n, p);
    const Matrix W = P * U * X.transpose() - X * U.transpose() * P;
    const Matrix C = (I - 0.5 * W).inverse() * (I + 0.5 * W);
    const Stiefel next = f.retract(step);
    EXPECT_LT((next.matrix() - C * X).norm(), 1e-12);
    for (std::uint64_t k = 0; k < 5; ++k) {
      const Vector v = toy::random_vector(f.dimension(), 6 + k), at_f = f.push(v),
                   at_next = next.push(v);
      EXPECT_LT((as_matrix(at_next.data(), n, p) - C * as_matrix(at_f.data(), n, p)).norm(),
                1e-12 * v.norm());
    }
  }
}

// Three quarter turns about an octant of the sphere: holonomy is a rotation by the area, π/2. On O(3) there is none.
TEST(Stiefel, ATriangleOnTheSphereTurnsTheFrameByItsArea) {
  const Stiefel start(Matrix(Vector::Unit(3, 0)));
  Stiefel f = start;
  for (const Index corner : {1, 2, 0})  // Cayley turns by 2·atan(‖K‖/2)
    f = f.retract(2.0 * f.complement().transpose() * Vector::Unit(3, corner));
  EXPECT_LT((f.matrix() - start.matrix()).norm(), 1e-14);
  const Matrix turn = start.complement().transpose() * f.complement();
  EXPECT_NEAR(turn.determinant(), 1.0, 1e-14);
  EXPECT_NEAR(turn.trace(), 0.0, 1e-14);  // 2·cos(π/2)
}

TEST(Stiefel, TwentyThousandStepsStayOrthonormalAndContinuous) {
  for (const auto retraction : {StiefelRetraction::cayley, StiefelRetraction::qr}) {
    Stiefel f(toy::random_orthonormal(10, 3, 7), retraction);
    const Matrix directions = toy::random_matrix(f.dimension(), 64, 8);
    double largest_jump = 0.0;
    const int steps = retraction == StiefelRetraction::cayley ? 20000 : 2000;
    for (int k = 0; k < steps; ++k) {
      const Stiefel next = f.retract(0.01 * directions.col(k % 64));
      largest_jump = std::max(largest_jump, (next.complement() - f.complement()).norm());
      f = next;
    }
    EXPECT_LT((f.matrix().transpose() * f.matrix() - Matrix::Identity(3, 3)).norm(), 1e-10);
    EXPECT_LT((f.matrix().transpose() * f.complement()).norm(), 1e-10);
    EXPECT_LT(largest_jump, 0.2);  // steps of length about 0.05 turn the complement by as much
  }
}

TEST(Stiefel, Misuse) {
  expect_misuse([] { Stiefel(Matrix::Identity(2, 3)); }, "2 x 3");
  expect_misuse([] { Stiefel(2.0 * Matrix::Identity(3, 2)); }, "orthonormal");
  expect_misuse([] { Stiefel(Matrix::Constant(3, 2, NAN)); }, "NaN");
  const Stiefel qr(toy::random_orthonormal(4, 2, 1), StiefelRetraction::qr);
  expect_misuse([&] { qr.transport_to(qr); }, "Cayley");
  expect_misuse([&] { qr.exp(Vector::Zero(qr.dimension())); }, "O(n) only");
  expect_misuse([&] { qr.push(Vector::Zero(2)); }, "must have 5");
}

}  // namespace
}  // namespace fisherman::manifold_stiefel_test
