#include "fisherman/manifold/grassmann.hpp"

#include <numbers>

#include "expect_laws.hpp"
#include "fisherman/core/spectral.hpp"
#include "toy.hpp"

namespace fisherman::manifold_grassmann_test {
namespace {

TEST(Grassmann, Laws) {
  for (const auto& [n, p] : {std::pair{5, 2}, {6, 5}, {2, 1}, {7, 3}}) {
    const Matrix X = toy::random_orthonormal(n, p, 1);
    expect_laws(Grassmann(X), {.embedded = true, .order = 1});
    expect_laws(Grassmann(X, GrassmannRetraction::polar), {.embedded = true, .order = 1});
    expect_laws(Grassmann(X, GrassmannRetraction::qr), {.embedded = true, .order = 1});
    expect_transport_laws(Grassmann(X));
  }
}

// As subspaces: the distance between retract(tv) and exp(tv) falls with order 3.
TEST(Grassmann, AllRetractionsAreSecondOrder) {
  const Matrix X = toy::random_orthonormal(6, 2, 2);
  for (const auto kind : {GrassmannRetraction::polar, GrassmannRetraction::qr}) {
    const Grassmann f(X, kind);
    const Vector v = toy::random_vector(f.dimension(), 3).normalized();
    const auto error = [&](double t) { return f.retract(t * v).distance(f.exp(t * v)); };
    EXPECT_GT(testing::slope(0.2, error(0.2), 0.025, error(0.025), 1e-14), 2.85);
  }
}

TEST(Grassmann, LinesInThePlaneByHand) {
  const Grassmann line(Matrix(Vector::Unit(2, 0)));
  const Matrix Y{{std::cos(0.3)}, {std::sin(0.3)}};
  EXPECT_NEAR(line.distance(Grassmann(Y)), 0.3, 1e-14);
  EXPECT_NEAR(line.distance(Grassmann(-Y)), 0.3, 1e-14);  // the same line
  EXPECT_NEAR(line.distance(line.exp(Vector::Constant(1, std::numbers::pi))), 0.0, 1e-14);
}

// Parallel transport along the geodesic, as Edelman, Arias and Smith (1998) write it.
TEST(Grassmann, ParallelTransportIsTheIdentityInCoordinates) {
  const Index n = 7, p = 2;
  const Grassmann f(toy::random_orthonormal(n, p, 4));
  const Vector step = 0.8 * toy::random_vector(f.dimension(), 5).normalized();
  const Vector pushed = f.push(step);
  const Matrix H = as_matrix(pushed.data(), n, p), X = f.matrix();
  const auto [A, s, B] = svd(H);
  const Matrix sine = s.array().sin().matrix().asDiagonal(),
               cosine = s.array().cos().matrix().asDiagonal();
  const Matrix T =
      (-X * B * sine + A * cosine) * A.transpose() + Matrix::Identity(n, n) - A * A.transpose();
  const Grassmann next = f.retract(step);
  const Vector v = toy::random_vector(f.dimension(), 6), at_f = f.push(v), at_next = next.push(v);
  EXPECT_LT((as_matrix(at_next.data(), n, p) - T * as_matrix(at_f.data(), n, p)).norm(), 1e-12);
}

TEST(Grassmann, ManyStepsStayOrthonormal) {
  Grassmann f(toy::random_orthonormal(8, 3, 7));
  const Matrix directions = toy::random_matrix(f.dimension(), 64, 8);
  for (int k = 0; k < 5000; ++k) f = f.retract(0.02 * directions.col(k % 64));
  EXPECT_LT((f.matrix().transpose() * f.matrix() - Matrix::Identity(3, 3)).norm(), 1e-10);
}

TEST(Grassmann, Misuse) {
  expect_misuse([] { Grassmann(Matrix::Identity(2, 3)); }, "2 x 3");
  expect_misuse([] { Grassmann(Matrix::Identity(3, 3)); }, "single point");
  const Grassmann x(Matrix(Vector::Unit(2, 0)));
  expect_misuse([&] { x.log(Grassmann(Matrix(Vector::Unit(2, 1)))); }, "not unique");
  const Grassmann qr(Matrix(Vector::Unit(2, 0)), GrassmannRetraction::qr);
  expect_misuse([&] { qr.transport_to(qr); }, "exponential");
}

}  // namespace
}  // namespace fisherman::manifold_grassmann_test
