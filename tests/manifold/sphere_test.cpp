#include "fisherman/manifold/sphere.hpp"

#include <numbers>

#include "expect_laws.hpp"
#include "toy.hpp"

namespace fisherman::manifold_sphere_test {
namespace {

TEST(Sphere, Laws) {
  for (const Index n : {2, 3, 6}) {
    expect_laws(Sphere(toy::random_vector(n, 1)), {.embedded = true, .order = 2});
    expect_transport_laws(Sphere(toy::random_vector(n, 1)));
  }
}

TEST(Oblique, Laws) {
  expect_laws(Oblique(toy::random_matrix(4, 3, 2)), {.embedded = true, .order = 2});
  expect_transport_laws(Oblique(toy::random_matrix(4, 3, 2)));
}

TEST(Sphere, QuarterTurnByHand) {
  const Sphere north(Vector::Unit(3, 2));
  const Vector v = 0.5 * std::numbers::pi * Vector::Unit(3, 0);
  EXPECT_LT((north.retract(v).point() - Vector::Unit(3, 0)).norm(), 1e-15);
  EXPECT_NEAR(north.distance(Sphere(Vector::Unit(3, 0))), 0.5 * std::numbers::pi, 1e-14);
  // Carried along the turn, the direction of travel points down.
  const Matrix moved = north.transport_to(Sphere(Vector::Unit(3, 0))).apply(Vector::Unit(3, 0));
  EXPECT_LT((moved + Vector::Unit(3, 2)).norm(), 1e-14);
}

TEST(Sphere, Misuse) {
  expect_misuse([] { Sphere(Vector::Zero(3)); }, "column 1 is zero");
  expect_misuse([] { Sphere(Vector::Constant(3, INFINITY)); }, "infinity");
  expect_misuse([] { Sphere(Vector::Unit(3, 0)).log(Sphere(-Vector::Unit(3, 0))); }, "opposite");
  expect_misuse([] { Sphere(Vector::Unit(3, 0)).transport_to(Sphere(-Vector::Unit(3, 0))); },
                "opposite");
}

}  // namespace
}  // namespace fisherman::manifold_sphere_test
