#include "fisherman/manifold/euclidean.hpp"

#include "expect_laws.hpp"
#include "toy.hpp"

namespace fisherman::manifold_euclidean_test {

TEST(Euclidean, Laws) {
  expect_laws(Euclidean(toy::random_vector(5, 1)), {.embedded = true, .order = 2});
  expect_laws(Euclidean(toy::random_vector(1, 1)), {.embedded = true, .order = 2});
  expect_transport_laws(Euclidean(toy::random_vector(5, 1)));
}

TEST(Euclidean, MovesByAdding) {
  EXPECT_EQ(Euclidean(Vector::Unit(2, 0)).retract(Vector::Unit(2, 1)).point(), Vector::Ones(2));
}

TEST(Euclidean, Misuse) {
  expect_misuse([] { Euclidean(Vector::Constant(2, NAN)); }, "NaN");
  const Euclidean x(Vector::Zero(3));
  expect_misuse([&] { x.pull(Matrix::Zero(2, 1)); }, "2 rows, but must have 3");
  EXPECT_THROW(x.retract(Vector::Constant(3, INFINITY)), NotFinite);
}

}  // namespace fisherman::manifold_euclidean_test
