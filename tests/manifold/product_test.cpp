#include "fisherman/manifold/product.hpp"

#include "expect_laws.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/manifold/extrinsic.hpp"
#include "fisherman/manifold/fixed_rank.hpp"
#include "fisherman/manifold/spd.hpp"
#include "fisherman/manifold/sphere.hpp"
#include "fisherman/manifold/stiefel.hpp"
#include "toy.hpp"

namespace fisherman::manifold_product_test {
namespace {

TEST(Product, Laws) {
  const Euclidean x(toy::random_vector(3, 1));
  const Stiefel W(toy::random_orthonormal(4, 4, 2));
  const Sphere s(toy::random_vector(3, 3));
  expect_laws(Product(W, x, s), {.embedded = true, .order = 2});
  expect_transport_laws(Product(W, x, s));
  expect_laws(Product(SpdAffine(toy::random_spd(3, 4)), x), {.order = 2});
  expect_transport_laws(Product(SpdBuresWasserstein(toy::random_spd(3, 4)), x));
  expect_laws(Product(Product(x, s), W), {.embedded = true, .order = 2});
}

TEST(Product, PartsStandOneAfterTheOther) {
  const Product p(Euclidean(Vector::Ones(2)), Euclidean(Vector::Zero(3)));
  EXPECT_EQ(p.dimension(), 5);
  const auto next = p.retract(Vector::LinSpaced(5, 1.0, 5.0));
  EXPECT_EQ(next.factor<0>().point(), (Vector{{2.0, 3.0}}));
  EXPECT_EQ(next.factor<1>().point(), (Vector{{3.0, 4.0, 5.0}}));
  EXPECT_EQ(next.point(), (Vector{{2.0, 3.0, 3.0, 4.0, 5.0}}));
}

TEST(Product, OfFixedRankAndEuclideanHasTheProjectionTransport) {
  const Product p(FixedRank(toy::random_matrix(4, 3, 5), 2), Euclidean(Vector::Zero(2)));
  expect_laws(p, {.embedded = true, .order = 2});
  expect_transport_laws(p);
  EXPECT_FALSE(p.transport_to(p).inverse_adjoint);  // the projection has none
}

TEST(Extrinsic, Laws) {
  expect_laws(Extrinsic(Sphere(toy::random_vector(4, 6))), {.embedded = true, .order = 2});
  expect_laws(Extrinsic(FixedRank(toy::random_matrix(4, 3, 7), 2)), {.embedded = true, .order = 2});
  // Raw gradients come through; only the step is projected.
  const Extrinsic x(Sphere(Vector::Unit(3, 0)));
  EXPECT_EQ(Matrix(x.pull(Vector::Ones(3))), Matrix(Vector::Ones(3)));
  EXPECT_LT((x.push(Vector::Ones(3)) - Vector{{0.0, 1.0, 1.0}}).norm(), 1e-15);
}

TEST(AnyFrame, KnowsWhatIsInside) {
  const AnyFrame any(Sphere(Vector::Unit(3, 0)));
  EXPECT_EQ(any.as<Sphere>().rows(), 3);
  expect_misuse([&] { any.as<Euclidean>(); }, "not of the type");
  expect_misuse([&] { any.transport_to(AnyFrame(Euclidean(Vector::Zero(3)))); }, "not of the type");
}

}  // namespace
}  // namespace fisherman::manifold_product_test
